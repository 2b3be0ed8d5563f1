"""Branching: where cuts leave a gap, split the networks into branches with better bounds.

A fractional solution of the linear program is undecided about some edges, and about how many
parents some children have. Every network has such an edge or lacks it, and a child has more than k
parents or not. Each side has fewer families, hence a program with a higher bound. The choice of the
split matters most (see `split_choice`).
"""

import heapq
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Bounding, Places, topological_order
from noisyor.search.bounds.duals import duals_of
from noisyor.search.bounds.effort import NEGLIGIBLE, ONE_ROUND, QUICK, Effort
from noisyor.search.bounds.linear_program import Start
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.no_network import NoNetworkError
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.split_choice import Experience, Tried, choose_split, undecided
from noisyor.search.proof.splits import Split

if TYPE_CHECKING:
    from noisyor._kernels import kernels

_EFFORT = Effort(patience=1, share=0.05, exact=False)
_ALL_CUTS = replace(_EFFORT, further=Effort(patience=3, share=0.1, exact=False))
_TOGETHER = 2  # branches to split at a time, for any number of threads
_MOST_PROGRAMS = 64  # linear programs to keep, of some 10 MB each


@dataclass(frozen=True, slots=True, eq=False)
class Branched:
    """Branches that hold all networks but those dropped, and the best network known.

    The credible networks of a branch have only families at the positions in its `insides`.
    `lower_bounds` are those of the branches, proven by their cuts for these families, and
    `lower_bound` holds for all networks. A program of a branch may begin at its start. `nodes`
    counts the linear programs solved, `dropped` the branches without a credible network.
    """

    branches: tuple[Branch, ...]
    insides: tuple[Places, ...]
    starts: tuple[Start | None, ...]
    lower_bounds: tuple[int, ...]
    lower_bound: int
    best: Places
    nodes: int
    dropped: int


def branch_out(  # noqa: PLR0913  (each by name)
    families: Families,
    tick: float,
    best: Places,
    slack: int,
    branches: Sequence[Branch],
    *,
    beyond: int = 0,
    most_nodes: int,
    clock: Clock,
    jobs: int,
    all_families: bool = True,
) -> Branched:
    """Split branches as `Branching.run` does.

    The given branches are always solved first. A branch is dropped if none of its networks is
    within the slack of the best one known, unless these are not `all_families`, since others could
    make such a network.
    """
    branching = Branching(families, tick, best, slack, branches, all_families=all_families)
    branching.run(beyond, most_nodes, clock, jobs)
    return branching.found()


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A branch, its lower bound, an order to search from, and its best known network, if any.

    The cuts are its own, or its parent's if it is not solved. Its program has the families `inside`
    it, given by their positions among all. `work` is kept for a branch that may be split soon.
    Without it, its program begins at `start`, near its optimum, with positions among all families.
    """

    branch: Branch
    inside: Places
    lower_bound: int
    order: npt.NDArray[np.int32]
    network: Places | None = None
    work: Bounding | None = None
    start: Start | None = None


@dataclass(frozen=True, slots=True)
class _Split:
    """A branch, its sides, none if it cannot be split, and the splits that were tried."""

    node: Node
    sides: list[Node]
    trials: list[Tried]


class Branching:
    """Branches that partition the networks of some families and can be split further.

    They are split in the same order for any number of threads, so results do not depend on it.
    """

    def __init__(  # noqa: PLR0913  (those of `branch_out`)
        self,
        families: Families,
        tick: float,
        best: Places,
        slack: int,
        branches: Sequence[Branch],
        *,
        starts: Sequence[Start | None] | None = None,
        all_families: bool = True,
    ) -> None:
        """Take branches without a network in common; `best` need not be in one of them.

        Their programs begin at the `starts`, which need not be bases of these families.
        """
        self._families = families
        self._tick = tick
        self._slack = slack
        self._all = all_families
        self.best = best
        self.nodes = 0
        self.dropped = 0
        order = topological_order(families, best)
        self._unsolved = []
        for branch, start in zip(branches, starts or [None] * len(branches), strict=True):
            inside, bound = self._within(branch, np.flatnonzero(branch.fits(families)))
            self._unsolved.append(Node(branch, inside, bound, order, start=start))
        self._open: list[tuple[int, int, Node]] = []  # a heap, by bound and age
        self._done: list[Node] = []
        self._pushed = 0
        self._experience = Experience()

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return int(self._families.ticks[self.best].sum())

    @property
    def gap(self) -> int:
        """The ticks between the best network so far and the lower bound of the branches."""
        return self.upper_bound - self.lower_bound

    @property
    def lower_bound(self) -> int:
        """A lower bound on the ticks of all networks."""
        return min([self.upper_bound, *(node.lower_bound for node in self.left())])

    def found(self) -> Branched:
        """Return the current branches and their bounds."""
        left = self.left()
        return Branched(
            branches=tuple(node.branch for node in left),
            insides=tuple(node.inside for node in left),
            starts=tuple(self._start_of(node) for node in left),
            lower_bounds=tuple(node.lower_bound for node in left),
            lower_bound=self.lower_bound,
            best=self.best,
            nodes=self.nodes,
            dropped=self.dropped,
        )

    def left(self) -> list[Node]:
        """Return the current branches, without the dropped ones."""
        return self._done + self.waiting() + self._unsolved

    def waiting(self) -> list[Node]:
        """Return the solved branches that may be split, in that order."""
        return [node for _, _, node in sorted(self._open)]

    def finished(self, beyond: int = 0) -> bool:
        """Return whether no branch is left that can be split; see `run`."""
        left = self.waiting() + self._unsolved
        return all(node.lower_bound >= self._reachable(node, beyond) for node in left)

    def run(
        self,
        beyond: int,
        most_nodes: int,
        clock: Clock,
        jobs: int,
        most_seconds: float = math.inf,
    ) -> None:
        """Split until all bounds reach a goal, `most_nodes` more nodes are solved, or time is up.

        The goal is `beyond` ticks above the best network so far, so it falls when a better one is
        found: 0 proves the optimum. The branches with the least bounds are split first.
        """
        last, until = self.nodes + most_nodes, clock.seconds + most_seconds
        with clock.limit() as cancellation, ThreadPoolExecutor(jobs) as pool:
            limits = (clock.deadline, cancellation)

            def solve(nodes: list[Node]) -> None:
                most = self._limit
                self._take(list(pool.map(lambda node: self._solve(node, *limits, most), nodes)))
                self._release()

            while self._unsolved and not clock.time_is_up:
                waiting = self._unsolved[:_MOST_PROGRAMS]
                self._unsolved = self._unsolved[_MOST_PROGRAMS:]
                solve(waiting)
            while (
                self.nodes < last
                and clock.seconds < until
                and not clock.time_is_up
                and (chosen := self._next(beyond))
            ):
                splits = list(pool.map(lambda node: self._split(node, beyond, *limits), chosen))
                for own in splits:
                    self._experience.learn(own.trials)
                    if not own.sides:
                        self._finish(own.node)
                solve([side for own in splits for side in own.sides])

    def _reachable(self, node: Node, beyond: int) -> int:
        """Return the goal, or what the bound of a branch can reach if that is less.

        That is the best network known, or the best one of the branch for a goal beyond that.
        """
        goal = top = self.upper_bound + beyond
        if node.network is not None:
            top = min(goal, int(self._families.ticks[node.network].sum()))
        return min(goal, max(top, self.upper_bound) - int(NEGLIGIBLE / self._tick) - 1)

    @property
    def _limit(self) -> int:
        """The ticks of the costliest networks that are within the slack of the best so far."""
        return self.upper_bound + self._slack

    def _within(self, branch: Branch, inside: Places) -> tuple[Places, int]:
        """Return the families of a branch that may be of use, and the lower bound of its cuts.

        The bound is above the limit if it has no network. If these are all families, none that
        exceeds the limit is of use: the branch has no credible network with it.
        """
        fitting = self._families.at(inside)
        if not np.diff(fitting.first).all():
            return inside, self._limit + 1
        proof = branch.prove(fitting)
        if self._all:
            inside = inside[proof.lower_bound + proof.rc <= self._limit]
        return inside, proof.lower_bound

    def _next(self, beyond: int) -> list[Node]:
        """Return the branches to split next; those that need no split are moved to `_done`."""
        chosen: list[Node] = []
        while self._open and len(chosen) < _TOGETHER:
            _, _, node = heapq.heappop(self._open)
            if node.lower_bound >= self._reachable(node, beyond):
                self._finish(node)
            else:
                chosen.append(node)
        return chosen

    def _finish(self, node: Node) -> None:
        """Store a branch that will not be split."""
        closed = _closed(node, self._families)
        self._done.append(replace(closed, start=self._start_of(node)))

    def _take(self, nodes: list[Node | None]) -> None:
        """Store solved branches."""
        self.nodes += len(nodes)
        for node in nodes:
            if node is None:
                self.dropped += 1
                continue
            if node.network is not None:
                ticks = int(self._families.ticks[node.network].sum())
                self.best = node.network if ticks < self.upper_bound else self.best
            if node.work is None:
                self._done.append(node)
            else:
                heapq.heappush(self._open, (node.lower_bound, self._pushed, node))
                self._pushed += 1

    def _release(self) -> None:
        """Keep only the programs of the branches that will be split first."""
        self._open.sort()  # still a heap
        for place, (bound, age, node) in enumerate(self._open[_MOST_PROGRAMS:], _MOST_PROGRAMS):
            if node.work is not None:
                self._open[place] = (bound, age, self._released(node, node.work))

    def _released(self, node: Node, work: Bounding) -> Node:
        """Return an open branch without its program, and where that may begin again."""
        return replace(_closed(node, self._families), start=self._start_of(node), order=work.order)

    def _start_of(self, node: Node) -> Start | None:
        """Return where the program of a branch may begin, with positions among all families."""
        if node.work is None:
            return node.start
        return _among(node.inside, node.work.start())

    def _solve(
        self,
        node: Node,
        deadline: float | None,
        cancellation: "kernels.Cancellation",
        limit: int,
    ) -> Node | None:
        """Return the branch with better cuts; None if it is proven to have no credible network."""
        fitting = self._families.at(node.inside)
        try:
            work = self._begun(node, deadline, cancellation)
        except NoNetworkError:
            return None if self._all else replace(node, lower_bound=limit + 1)
        # Cuts of all kinds take time, and call for more families while some are missing. They pay
        # where they have paid before.
        effort = _EFFORT if node.branch.has_plain_clusters else _ALL_CUTS
        work.run(effort, enough=limit + 1)
        if self._all and work.lower_bound > limit:
            return None
        solved = Node(
            node.branch,
            node.inside,
            work.lower_bound,
            work.order,
            node.inside[work.incumbent],
            work,
        )
        return _with_bounds_of(work, solved, fitting)

    def _begun(
        self, node: Node, deadline: float | None, cancellation: "kernels.Cancellation"
    ) -> Bounding:
        """Return the program of a branch, with the columns and cuts that it begins with."""
        fitting = self._families.at(node.inside)
        work = Bounding(fitting, self._tick, deadline=deadline, cancellation=cancellation)
        work.improve_order(node.order)
        rounded = node.branch.rounded
        weights = node.branch.cuts if rounded is None else rounded
        if node.start is None:
            work.begin(weights)
        else:
            place = np.full(len(self._families), -1, dtype=np.int64)
            place[node.inside] = np.arange(len(node.inside))
            kept = place[node.start.columns] >= 0
            work.begin_at(node.start.select(kept, place), weights)
        return work

    def _split(
        self,
        node: Node,
        beyond: int,
        deadline: float | None,
        cancellation: "kernels.Cancellation",
    ) -> "_Split":
        """Return both sides of the best split; none if nothing is undecided."""
        work = node.work
        if work is None:
            work = self._begun(node, deadline, cancellation)
            work.run(ONE_ROUND)
            node = replace(node, work=work)
        room = (self._reachable(node, beyond) - node.lower_bound) * self._tick
        splits = self._undecided(node, work, room)
        if not splits:  # the solution is a network with cycles: cuts are missing
            work.run(QUICK)
            splits = self._undecided(node, work, room)
        if not splits:
            return _Split(node, [], [])
        choice = choose_split(work, splits, self._experience, room)
        return _Split(node, self._sides(node, work, choice.split), choice.trials)

    def _undecided(self, node: Node, work: Bounding, room: float) -> dict[Split, float]:
        """Return the splits to try, with their values, each with a family for every child."""
        families = self._families.at(node.inside)
        return undecided(
            work.point(),
            self._experience,
            room,
            lambda split: self._may_split(node.branch, split, families),
        )

    def _may_split(self, branch: Branch, split: Split, families: Families) -> bool:
        """Return whether both sides have a family for each child; with all known, they need not."""
        return self._all or all(
            np.diff(families.select(side.fits(families)).first).all()
            for side in split.sides(branch)
        )

    def _sides(self, node: Node, work: Bounding, split: Split) -> list[Node]:
        """Return the branches on both sides of a split."""
        starts = work.starts_at(split)
        inside, _ = self._within(node.branch, node.inside)
        families = self._families.at(inside)
        return [
            Node(
                side,
                inside[side.fits(families)],
                node.lower_bound,
                node.order,
                start=_among(node.inside, start),
            )
            for side, start in zip(split.sides(node.branch), starts, strict=True)
        ]


def _among(inside: Places, start: Start | None) -> Start | None:
    """Return a start with positions among all families, given those of the branch."""
    return None if start is None else replace(start, columns=inside[start.columns])


def _closed(node: Node, families: Families) -> Node:
    """Return a branch that will not be split, with the best bound found."""
    if node.work is None:
        return node
    return replace(_with_bounds_of(node.work, node, families.at(node.inside)), work=None)


def _with_bounds_of(work: Bounding, node: Node, fitting: Families) -> Node:
    """Return a branch with the best cuts found, clusters and others."""
    before = duals_of(fitting, node.branch.cuts).lower_bound
    better = work.best.lower_bound > before
    cuts = work.best.cuts if better else node.branch.cuts
    return replace(
        node,
        branch=replace(node.branch, cuts=cuts, rounded=work.rounded()),
        lower_bound=max(node.lower_bound, work.lower_bound),
    )
