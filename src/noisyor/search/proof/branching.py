"""Branching on edges: where cuts leave a gap, split the networks into ones that are bounded better.

A fractional solution of the linear program is undecided about some edges. Every network has such an
edge or lacks it; each side has fewer families, hence a program of its own with a higher bound. On
which edge to branch matters most: of those in doubt, the one that raises the bounds of both sides
most, as far as a few steps of the simplex method tell (strong branching).
"""

import heapq
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Bounding, Places, topological_order
from noisyor.search.bounds.duals import duals_of
from noisyor.search.bounds.effort import NEGLIGIBLE, QUICK, Effort
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.no_network import NoNetworkError
from noisyor.search.proof.branch import Branch

if TYPE_CHECKING:
    from noisyor._kernels import kernels

_EFFORT = Effort(patience=2, share=0.05, exact=False)
_IN_DOUBT = 1e-3  # of an edge's value: less is the solver's tolerance
_CANDIDATES = 16  # edges to try
_ITERATIONS = 60  # for each side of each
_LEAST_GAIN = 1e-3  # nats, so that of edges without gain on one side the other one decides
_TOGETHER = 2  # branches to split at a time, for any number of threads


@dataclass(frozen=True, slots=True, eq=False)
class Branched:
    """Branches that hold all networks but those dropped, and the best network known.

    No network of a branch goes below its one of the `lower_bounds`, and none at all below
    `lower_bound`. `nodes` counts the programs that were solved, `dropped` the branches that hold
    no credible network.
    """

    branches: tuple[Branch, ...]
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
    goal: int,
    most_nodes: int,
    clock: Clock,
    jobs: int,
    all_families: bool = True,
) -> Branched:
    """Split branches until their lower bounds reach a goal, in ticks, or so many nodes are solved.

    The branches given are solved first, whatever `most_nodes` says. A branch is dropped if no
    network of it is within the slack of the best one known; but not if these are not
    `all_families`, as others could make such a network.
    """
    branching = Branching(families, tick, best, slack, branches, all_families=all_families)
    branching.run(goal, most_nodes, clock, jobs)
    return branching.found()


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A branch, its bound, an order to search from, the best network known in it, if any is.

    The work on its bound is kept if it may be split.
    """

    branch: Branch
    lower_bound: int
    order: npt.NDArray[np.int32]
    network: Places | None = None
    work: Bounding | None = None


class Branching:
    """Branches that partition the networks of some families, split as long as one likes.

    They are split in the same order for any number of threads, so no result depends on it.
    """

    def __init__(  # noqa: PLR0913  (those of `branch_out`)
        self,
        families: Families,
        tick: float,
        best: Places,
        slack: int,
        branches: Sequence[Branch],
        *,
        all_families: bool = True,
    ) -> None:
        """Take branches without a network in common; `best` is in one of them, or elsewhere."""
        self._families = families
        self._tick = tick
        self._slack = slack
        self._all = all_families
        self.best = best
        self.nodes = 0
        self.dropped = 0
        order = topological_order(families, best)
        self._unsolved = [Node(one, self._bound_of(one), order) for one in branches]
        self._open: list[tuple[int, int, Node]] = []  # a heap, by bound and age
        self._done: list[Node] = []
        self._pushed = 0

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return int(self._families.ticks[self.best].sum())

    def found(self) -> Branched:
        """Return the branches as they are now, and what is proven of them."""
        left = self.left()
        return Branched(
            branches=tuple(node.branch for node in left),
            lower_bounds=tuple(node.lower_bound for node in left),
            lower_bound=min([self.upper_bound, *(node.lower_bound for node in left)]),
            best=self.best,
            nodes=self.nodes,
            dropped=self.dropped,
        )

    def left(self) -> list[Node]:
        """Return the branches as they are now, but those dropped."""
        return self._done + [node for _, _, node in sorted(self._open)] + self._unsolved

    def finished(self, goal: int) -> bool:
        """Return whether no branch is left that should be split for this goal, or can be."""
        waiting = [node for _, _, node in self._open] + self._unsolved
        return all(node.lower_bound >= self._reachable(goal) for node in waiting)

    def run(self, goal: int, most_nodes: int, clock: Clock, jobs: int) -> None:
        """Go on until all bounds reach a goal, or so many nodes more are solved, or time is up.

        The least bound is raised first: the branches that have it are split.
        """
        last = self.nodes + most_nodes
        with clock.limit() as cancellation, ThreadPoolExecutor(jobs) as pool:

            def solve(nodes: list[Node]) -> None:
                limits = (clock.deadline, cancellation, self.upper_bound + self._slack)
                self._take(list(pool.map(lambda node: self._solve(node, *limits), nodes)))

            if self._unsolved and not clock.time_is_up:
                waiting, self._unsolved = self._unsolved, []
                solve(waiting)
            while self.nodes < last and not clock.time_is_up and (chosen := self._next(goal)):
                edges = pool.map(lambda node: self._edge(node, goal), chosen)
                solve(
                    [side for one in zip(chosen, edges, strict=True) for side in self._sides(*one)]
                )

    def _reachable(self, goal: int) -> int:
        """Return the goal, or what the branch of the best network can reach if that is less."""
        return min(goal, self.upper_bound - int(NEGLIGIBLE / self._tick) - 1)

    def _bound_of(self, branch: Branch) -> int:
        """Return what the branch's own cuts prove; more than is credible if it has no network."""
        fitting = self._families.select(branch.fits(self._families))
        if not np.diff(fitting.first).all():
            return self.upper_bound + self._slack + 1
        return duals_of(fitting, branch.cuts).lower_bound

    def _next(self, goal: int) -> list[Node]:
        """Return the branches to split next; those that need not be split are put aside."""
        chosen: list[Node] = []
        while self._open and len(chosen) < _TOGETHER:
            _, _, node = heapq.heappop(self._open)
            if node.lower_bound >= self._reachable(goal):
                self._done.append(_as_it_is(node))
            else:
                chosen.append(node)
        return chosen

    def _take(self, nodes: list[Node | None]) -> None:
        """Take branches that were solved."""
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

    def _solve(
        self,
        node: Node,
        deadline: float | None,
        cancellation: "kernels.Cancellation",
        limit: int,
    ) -> Node | None:
        """Return the branch with better cuts; None if it is proven to hold nothing credible."""
        fits = node.branch.fits(self._families)
        fitting = self._families.select(fits)
        try:
            work = Bounding(fitting, self._tick, deadline=deadline, cancellation=cancellation)
        except NoNetworkError:
            return None if self._all else replace(node, lower_bound=limit + 1)
        work.improve_order(node.order)
        work.begin(node.branch.cuts)
        work.run(_EFFORT, enough=limit + 1)
        if self._all and work.best.lower_bound > limit:
            return None
        return Node(
            replace(node.branch, cuts=work.best.cuts),
            work.best.lower_bound,
            work.order,
            np.flatnonzero(fits)[work.incumbent],
            work,
        )

    def _edge(self, node: Node, goal: int) -> tuple[int, int] | None:
        """Return the edge to branch on: the one that raises the bounds of both sides most.

        The product of the gains is compared (Achterberg, Koch and Martin, 2005), each as far as it
        is needed to reach the goal. None if no edge is in doubt, not even after more cuts.
        """
        if node.work is None:
            return None
        edges = self._in_doubt(node, node.work)
        if not edges:  # the solution is a network with cycles: cuts are missing
            node.work.run(QUICK)
            edges = self._in_doubt(node, node.work)
        if not edges:
            return None
        room = (self._reachable(goal) - node.lower_bound) * self._tick
        gains = [
            max(_LEAST_GAIN, min(room, absent)) * max(_LEAST_GAIN, min(room, present))
            for absent, present in node.work.edge_gains(edges, _ITERATIONS)
        ]
        return edges[int(np.argmax(gains))]

    def _in_doubt(self, node: Node, work: Bounding) -> list[tuple[int, int]]:
        """Return the edges whose values are nearest to one half, at most so many."""
        values = work.edge_values()
        doubt = np.minimum(values, 1 - values)
        most = np.argsort(-doubt, axis=None, kind="stable")[:_CANDIDATES].tolist()
        edges: list[tuple[int, int]] = [divmod(place, len(doubt)) for place in most]
        return [edge for edge in edges if doubt[edge] > _IN_DOUBT and self._may_split(node, edge)]

    def _may_split(self, node: Node, edge: tuple[int, int]) -> bool:
        """Return whether both sides have a family for each child, unless none are missing."""
        return self._all or all(
            np.diff(self._families.select(side.fits(self._families)).first).all()
            for side in node.branch.split(*edge)
        )

    def _sides(self, node: Node, edge: tuple[int, int] | None) -> list[Node]:
        """Return both sides of an edge; none without an edge, and the branch is put aside."""
        if edge is None:
            self._done.append(_as_it_is(node))
            return []
        return [Node(side, node.lower_bound, node.order) for side in node.branch.split(*edge)]


def _as_it_is(node: Node) -> Node:
    """Return a branch that is not to be split, with the best bound that was found."""
    if node.work is None:
        return node
    best = node.work.best
    return Node(replace(node.branch, cuts=best.cuts), best.lower_bound, node.order, node.network)
