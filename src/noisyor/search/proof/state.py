"""The state of a search: what is known about all networks, and about those of a branch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Places, topological_order
from noisyor.search.bounds.cut_system import Proof
from noisyor.search.bounds.duals import Duals, duals_of
from noisyor.search.clock import Clock
from noisyor.search.families import Families, Ticks
from noisyor.search.members.component import Choice
from noisyor.search.preparation import Problem
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branching


@dataclass(slots=True)
class Standing:
    """What branches share: the best network so far, and the statistics of the work."""

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
        """The most ticks of a credible network."""
        return self.upper_bound + self.problem.slack

    def offer(self, network: Choice) -> None:
        """Take a network if it is better than the best so far."""
        if int(self.problem.families.ticks[network].sum()) < self.upper_bound:
            self.best = network


@dataclass(slots=True, eq=False)
class State:
    """What is known about the networks of a branch; families are only ever removed.

    `index` has the families' positions in the problem. `best` is the best known network of the
    branch, if one within the limit is known. When `proven`, it is the optimum of the branch, or
    there is none within the limit. `lower_bound` holds for the networks within the limit, and
    `at_least` (m,) for the networks of the branch with each family. The duals are those of
    clusters, for the lattice and for branching; the proof may use other cuts too, for the members.
    """

    standing: Standing
    part: Branch
    index: Places
    families: Families
    duals: Duals
    best: Choice | None = None
    proven: bool = False
    exact: bool = False  # whether every family is known to be in a credible network
    lattice_size: int = 0  # subsets that it took to prove the optimum, if that was by the lattice
    left_by_branching: bool = False  # whether it is a part that branching did not split further
    lower_bound: int = field(init=False)
    at_least: Ticks = field(init=False)
    proof: Proof = field(init=False)
    _branching: Branching | None = None
    _branched: Places = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        """Start with the lower bounds of the duals."""
        self.lower_bound = self.duals.lower_bound
        self.at_least = self.duals.lower_bound + self.duals.rc
        self.proof = Proof.of_cuts(self.families, self.duals.cuts)

    @classmethod
    def of(
        cls,
        standing: Standing,
        branch: Branch,
        index: Places | None = None,
        network: Choice | None = None,
    ) -> "State | None":
        """Return the state of a branch over some families; None if it has no credible network.

        `index` has their positions in the problem, all by default; `network` is one of the branch.
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
                state.best = place[known]  # standing.best comes last, as it is the best
        if branch.rounded is not None:
            state.take(branch.rounded.prove(families))
        return state if state.reduce() else None

    @property
    def tick(self) -> float:
        """The size of a tick in nats."""
        return self.standing.problem.tick

    @property
    def optimum(self) -> int | None:
        """The ticks of the best network of the branch so far, if within the limit."""
        if self.best is None:
            return None
        ticks = int(self.families.ticks[self.best].sum())
        return ticks if ticks <= self.standing.limit else None

    @property
    def upper_bound(self) -> int:
        """An upper bound on the ticks of the branch's best network, if one is within the limit."""
        optimum = self.optimum
        return self.standing.limit if optimum is None else optimum

    @property
    def empty(self) -> bool:
        """Whether the branch is proven to have no credible network."""
        return self.lower_bound > self.standing.limit or (self.proven and self.optimum is None)

    @property
    def slack(self) -> int:
        """The ticks by which credible networks may exceed the best one of the branch."""
        return self.standing.limit - self.upper_bound

    @property
    def gap(self) -> float:
        """The gap between the best network and the bound of the proof, in nats."""
        return (self.upper_bound - self.proof.lower_bound) * self.tick

    @property
    def may_be_split(self) -> bool:
        """Whether branching may split it: it was not tried yet, or has been split before.

        A part that branching left is proven well enough, or nothing in it is undecided.
        """
        branching = self._branching
        if branching is None:
            return not self.left_by_branching
        return branching.nodes != 1 or not branching.finished()

    @property
    def is_sharper_than_lattice(self) -> bool:
        """Whether cuts that the lattice cannot use have raised the bound."""
        return self.proof.lower_bound > self.duals.lower_bound

    def order(self) -> npt.NDArray[np.int32]:
        """Return a topological order of the best network so far."""
        if self.best is None:
            return topological_order(self.standing.problem.families, self.standing.best)
        return topological_order(self.families, self.best)

    def found(self, network: Choice) -> None:
        """Store a network of the branch, which must be the best one in it so far."""
        self.best = network
        self.standing.offer(self.index[network])

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Keep only some families, and those of the best network."""
        kept = kept.copy()
        if self.best is not None:
            kept[self.best] = True
            self.best = (np.cumsum(kept) - 1)[self.best]
        self.families = self.families.select(kept)
        self.index = self.index[kept]
        self.at_least = self.at_least[kept]
        self.proof = self.proof.weighted.prove(self.families)
        self.take(self.proof)
        self.use(duals_of(self.families, self.duals.cuts))

    def use(self, duals: Duals) -> None:
        """Use other duals over the same families."""
        self.duals = duals
        self.take(Proof.of_cuts(self.families, duals.cuts))

    def take(self, proof: Proof) -> None:
        """Take the lower bounds that are proven over the same families, where they are better.

        A network with a family exceeds the lower bound of all by at least the family's reduced
        cost.
        """
        self.raise_bound(proof.lower_bound)
        self.at_least = np.maximum(self.at_least, proof.lower_bound + proof.rc)
        if proof.lower_bound > self.proof.lower_bound:
            self.proof = proof

    def raise_bound(self, bound: int) -> None:
        """Raise the lower bound on the networks within the limit."""
        self.lower_bound = max(self.lower_bound, bound)

    def reduce(self) -> bool:
        """Remove families that no credible network can have; return False if no network is left."""
        close = self.at_least <= self.standing.limit
        children = self.families.children()[close]
        if not np.bincount(children, minlength=self.families.variable_count).all():
            self.raise_bound(self.standing.limit + 1)
            return False
        self.keep(close)
        return True

    def branch(
        self, nodes: int, clock: Clock, jobs: int, seconds: float = math.inf
    ) -> "list[State] | None":
        """Split the branch further, for `nodes` nodes; return its parts once that is finished.

        No node is begun after `seconds`. It is finished when the bounds of the parts reach the best
        network of all, or can no longer be raised. None also if the branch cannot be split at all.
        """
        standing = self.standing
        if self._branching is None:
            self._branching, self._branched = begin_branching(standing, [self])
        branching, index = self._branching, self._branched
        before = branching.nodes
        branching.run(self._beyond(branching), nodes, clock, jobs, seconds)
        standing.branch_nodes += branching.nodes - before
        standing.offer(index[branching.best])
        left = branching.left()
        self.raise_bound(min((one.lower_bound for one in left), default=standing.limit + 1))
        if branching.nodes == 1:  # not split, but its program has gone on
            for one in left:
                self._learn(one.branch)
        if branching.nodes == 1 or not branching.finished(self._beyond(branching)):
            return None
        return parts_of(standing, branching, index)

    def _learn(self, branch: Branch) -> None:
        """Take weights of the same networks where they prove more."""
        self.take(branch.prove(self.families))
        duals = duals_of(self.families, branch.cuts)
        if duals.lower_bound > self.duals.lower_bound:
            self.use(duals)

    def _beyond(self, branching: Branching) -> int:
        """Return by how much the best network of all exceeds the best one that branching knows."""
        return self.standing.upper_bound - branching.upper_bound


def begin_branching(standing: Standing, states: Sequence[State]) -> tuple[Branching, Places]:
    """Start splitting branches; also return the positions of its families in the problem.

    The best network of all may be in none of them.
    """
    whole = standing.problem.families
    kept = np.zeros(len(whole), dtype=np.bool_)
    kept[standing.best] = True
    branches = []
    for state in states:
        kept[state.index] = True
        rounded = state.proof.weighted if state.is_sharper_than_lattice else None
        branches.append(replace(state.part, cuts=state.duals.cuts, rounded=rounded))
    index = np.flatnonzero(kept)
    best = np.searchsorted(index, standing.best)
    slack = standing.problem.slack
    return Branching(whole.at(index), standing.problem.tick, best, slack, branches), index


def parts_of(standing: Standing, branching: Branching, index: Places) -> list[State]:
    """Return the branches that are left and may have a credible network, once it has ended."""
    parts = (
        State.of(
            standing,
            one.branch,
            index[one.inside],
            None if one.network is None else index[one.network],
        )
        for one in branching.left()
    )
    kept = [part for part in parts if part is not None]
    for part in kept:
        part.left_by_branching = True
    return kept
