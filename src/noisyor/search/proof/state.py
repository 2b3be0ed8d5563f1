"""What is known while the search goes on: of the networks in all, and of those of a branch."""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Places, topological_order
from noisyor.search.bounds.duals import Duals, duals_of
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.members.component import Choice
from noisyor.search.preparation import Problem
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branching


@dataclass(slots=True)
class Standing:
    """What branches share: the best network so far, and the work that was done."""

    problem: Problem
    best: Choice  # of the problem's families
    subsets: int = 0
    nodes: int = 0
    branch_nodes: int = 0

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return int(self.problem.families.ticks[self.best].sum())

    @property
    def limit(self) -> int:
        """The ticks that a credible network has at most."""
        return self.upper_bound + self.problem.slack

    def offer(self, network: Choice) -> None:
        """Take a network if it is better than the best so far."""
        if int(self.problem.families.ticks[network].sum()) < self.upper_bound:
            self.best = network


@dataclass(slots=True, eq=False)
class State:
    """What is known of the networks of a branch; families only ever become fewer.

    `index` has the families' places in the problem, `best` is the branch's own best network, if one
    within the limit is known. When `proven`, it is the optimum of the branch, or there is none
    within the limit. No network within the limit goes below the lower bound.
    """

    standing: Standing
    part: Branch
    index: Places
    families: Families
    duals: Duals
    best: Choice | None = None
    proven: bool = False
    exact: bool = False  # whether every family is known to be in a credible network
    lower_bound: int = field(init=False)
    _branching: Branching | None = None
    _branched: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        """Take the duals' bound."""
        self.lower_bound = self.duals.lower_bound

    @classmethod
    def of(
        cls,
        standing: Standing,
        branch: Branch,
        index: Places | None = None,
        network: Choice | None = None,
    ) -> "State | None":
        """Return what the branch's cuts prove of some families; None if nothing credible is left.

        `index` has their places in the problem, all by default; `network` is one of the branch.
        """
        whole = standing.problem.families
        mask = branch.fits(whole)
        if index is not None:
            inside = np.zeros(len(whole), dtype=np.bool_)
            inside[index] = True
            mask &= inside
        families = whole.select(mask)
        if not np.diff(families.first).all():
            return None
        duals = duals_of(families, branch.cuts)
        state = cls(standing, branch, np.flatnonzero(mask), families, duals)
        place = np.full(len(whole), -1, dtype=np.int64)
        place[state.index] = np.arange(len(families))
        for known in (network, standing.best):
            if known is not None and (place[known] >= 0).all():
                state.best = place[known]  # that of all comes last, being the best
        return state if state.reduce() else None

    @property
    def tick(self) -> float:
        """The nats of a tick."""
        return self.standing.problem.tick

    @property
    def optimum(self) -> int | None:
        """The ticks of the best network of the branch so far, if they are within the limit."""
        if self.best is None:
            return None
        ticks = int(self.families.ticks[self.best].sum())
        return ticks if ticks <= self.standing.limit else None

    @property
    def upper_bound(self) -> int:
        """The ticks that the best network has at most, if one is within the limit."""
        optimum = self.optimum
        return self.standing.limit if optimum is None else optimum

    @property
    def empty(self) -> bool:
        """Whether the branch is proven to have no credible network."""
        return self.lower_bound > self.standing.limit or (self.proven and self.optimum is None)

    @property
    def slack(self) -> int:
        """The ticks by which credible networks may exceed the branch's own best one."""
        return self.standing.limit - self.upper_bound

    @property
    def gap(self) -> float:
        """The nats between the best network and what the duals prove."""
        return (self.upper_bound - self.duals.lower_bound) * self.tick

    def order(self) -> npt.NDArray[np.int32]:
        """Return a topological order of the best network so far."""
        if self.best is None:
            return topological_order(self.standing.problem.families, self.standing.best)
        return topological_order(self.families, self.best)

    def found(self, network: Choice) -> None:
        """Take a network of the branch, which is the best one in it so far."""
        self.best = network
        self.standing.offer(self.index[network])

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Let go of families; those of the best network stay in any case."""
        kept = kept.copy()
        if self.best is not None:
            kept[self.best] = True
            self.best = (np.cumsum(kept) - 1)[self.best]
        self.families = self.families.select(kept)
        self.index = self.index[kept]
        self.use(duals_of(self.families, self.duals.cuts))

    def use(self, duals: Duals) -> None:
        """Bound with other duals, over the same families."""
        self.duals = duals
        self.raise_bound(duals.lower_bound)

    def raise_bound(self, bound: int) -> None:
        """Take a bound on the networks within the limit that was proven in another way."""
        self.lower_bound = max(self.lower_bound, bound)

    def reduce(self) -> bool:
        """Let go of families that exceed the bounds on their own; false if no network is left.

        A network that has a family exceeds the lower bound by its reduced cost at least.
        """
        close = self.duals.rc <= self.standing.limit - self.duals.lower_bound
        children = self.families.children()[close]
        if not np.bincount(children, minlength=self.families.variable_count).all():
            self.raise_bound(self.standing.limit + 1)
            return False
        self.keep(close)
        return True

    def branch(self, nodes: int, clock: Clock, jobs: int) -> "list[State] | None":
        """Split the branch further, by so many nodes; return its parts once that is finished.

        That is when their bounds reach the best network of all, or can no longer be raised. None
        also if it cannot be split at all.
        """
        standing = self.standing
        if self._branching is None:
            self._branching = self._begin_branching()
        branching, index = self._branching, self._branched
        before = branching.nodes
        branching.run(standing.upper_bound, nodes, clock, jobs)
        standing.branch_nodes += branching.nodes - before
        standing.offer(index[branching.best])
        left = branching.left()
        self.raise_bound(min((one.lower_bound for one in left), default=standing.limit + 1))
        if branching.nodes == 1 or not branching.finished(standing.upper_bound):
            return None
        parts = (
            State.of(
                standing, one.branch, index, None if one.network is None else index[one.network]
            )
            for one in left
        )
        return [part for part in parts if part is not None]

    def _begin_branching(self) -> Branching:
        """Return the branch, to be split; the best network of all may be in another one."""
        standing, whole = self.standing, self.standing.problem.families
        kept = np.zeros(len(whole), dtype=np.bool_)
        kept[self.index] = True
        kept[standing.best] = True
        self._branched = np.flatnonzero(kept)
        return Branching(
            whole.select(kept),
            self.tick,
            (np.cumsum(kept) - 1)[standing.best],
            standing.problem.slack,
            [replace(self.part, cuts=self.duals.cuts)],
        )
