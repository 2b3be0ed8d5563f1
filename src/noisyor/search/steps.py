"""The steps of a search: bounds, the optimum, and the members of every branch."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from noisyor.cluster import Cluster
from noisyor.core.choices import choice_of
from noisyor.core.progress import Progress
from noisyor.search.bounds.root import Bounds, bounds_without_cuts, find_bounds
from noisyor.search.branch_counting import count_branch
from noisyor.search.clock import Clock, Stopwatch
from noisyor.search.members.branch_union import BranchUnion, CountedBranch
from noisyor.search.members.component import Choice
from noisyor.search.members.counting import Hands
from noisyor.search.preparation import Problem
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.optimum import (
    DENSE,
    FEW,
    SMALL,
    improve,
    prove_optimum,
    prove_whole,
    settle,
)
from noisyor.search.proof.shrinking import shrink
from noisyor.search.proof.state import Standing, State
from noisyor.search.result import Found

if TYPE_CHECKING:
    from noisyor.search.members.enumeration import Tally

_DENSE_SECONDS = 2.0  # for cuts, if the whole lattice can be searched, which takes seconds
_FEW_SECONDS = 8.0  # for cuts, if the lattice will take seconds in spite of a gap
_LARGE_GAP = 50.0  # nats, as cuts leave on large samples


class BoundKind(StrEnum):
    """What bounds the search over orders."""

    AUTO = "auto"  # a linear program, unless the whole lattice is faster
    LP = "lp"  # weights on cuts from a linear program
    NONE = "none"  # no bounds: the classical dynamic programme, as a check

    @classmethod
    def of(cls, name: str) -> "BoundKind":
        """Return the kind with this name."""
        return choice_of(cls, name, "bounds")


@dataclass(frozen=True, slots=True)
class SearchStatistics:
    """How the result was found."""

    families_given: int
    families_reduced: int
    families_used: int
    lower_bound: float
    lp_gap: float
    lp_rounds: int
    cuts: int
    branches: int  # in which members were found
    branch_nodes: int  # linear programs solved in branches
    subsets: int
    nodes: int
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Resources:
    """What a search may use: time, threads, bytes for the lattice, a cluster; and its callback."""

    clock: Clock
    jobs: int
    memory: int
    progress: Callable[[Progress], None] | None = None
    cluster: Cluster | None = None


def find_members(
    problem: Problem, best: Choice, branches: Sequence[Branch], resources: Resources
) -> "Run":
    """Find the optimum and all members, given a network and branches with all credible networks."""
    run = Run(problem, resources)
    run.search_branches(best, branches)
    return run


class Run:
    """A search: its steps and their results."""

    def __init__(self, problem: Problem, resources: Resources) -> None:
        self.problem = problem
        self._resources = resources
        self._clock = resources.clock
        self._watch = Stopwatch()
        self._shortfalls: list[str] = []
        self._standing: Standing
        self._states: list[State] = []
        self._counted: list[CountedBranch] = []
        self._lower_bound = 0
        self._root_bound = 0
        self._rounds = 0
        self._cuts = 0
        self._reduced = 0
        self._union: BranchUnion | None = None
        self._tally: Tally | None = None

    def search(self, kind: BoundKind) -> None:
        """Bound, prove, enumerate."""
        with self._watch.timed("bounds"):
            bounds, whole = self._bound(kind)
            root = Branch.root(
                self.problem.families.variable_count, bounds.duals.cuts, bounds.proof.weighted
            )
            self._rounds = bounds.statistics.rounds
            self._begin(bounds.incumbent, [root])
        reason = None
        if whole:
            with self._watch.timed("optimum"):
                walks = kind is not BoundKind.NONE
                reason = prove_whole(
                    self._states[0],
                    self._clock,
                    self._resources.jobs,
                    self._resources.memory,
                    walks=walks,
                )
        self._go_on(reason, shrinks=kind is not BoundKind.NONE)

    def search_branches(self, best: Choice, branches: Sequence[Branch]) -> None:
        """Prove and enumerate, starting from branches."""
        with self._watch.timed("bounds"):
            self._begin(best, branches)
        self._go_on(None, shrinks=True)

    def _begin(self, best: Choice, branches: Sequence[Branch]) -> None:
        self._standing = Standing(self.problem, best)
        states = [State.of(self._standing, branch) for branch in branches]
        self._states = [state for state in states if state is not None]
        self._cuts = sum(int((state.proof.weights > 0).sum()) for state in self._states)
        self._root_bound = self._least_bound()
        kept = [state.index for state in self._states]
        self._reduced = len(np.unique(np.concatenate(kept))) if kept else 0

    def _go_on(self, reason: str | None, *, shrinks: bool) -> None:
        """Prove the optimum, unless a step has failed for this reason, and count."""
        with self._watch.timed("optimum"):
            if reason is None:
                self._states, reason = prove_optimum(
                    self._standing,
                    self._states,
                    self._clock,
                    self._resources.jobs,
                    self._resources.memory,
                )
        self._lower_bound = self._least_bound()
        if reason is not None:
            self._shortfalls.append(
                f"{reason} before the optimum was proven: a better network may exist, down to the "
                "lower bound"
            )
            return
        self._lower_bound = self._standing.upper_bound
        with self._watch.timed("members"):
            self._enumerate(shrinks=shrinks)

    def _least_bound(self) -> int:
        """Return a lower bound on all networks; states cover those within the limit."""
        bounds = [state.lower_bound for state in self._states]
        return min([*bounds, self._standing.upper_bound])

    def _bound(self, kind: BoundKind) -> tuple[Bounds, bool]:
        """Return bounds, and whether to search the whole lattice; then they have no cuts."""
        variables = self.problem.families.variable_count
        may_skip = kind is BoundKind.AUTO and variables <= DENSE
        if kind is BoundKind.LP or (kind is BoundKind.AUTO and variables > SMALL):
            is_limited = kind is BoundKind.AUTO
            bounds = self._linear_program(_seconds_for_cuts(variables) if is_limited else None)
            gap = (bounds.upper_bound - bounds.proof.lower_bound) * self.problem.tick
            if not (may_skip and gap > _LARGE_GAP):
                return bounds, False
        with self._clock.limit() as cancellation:
            bounds = bounds_without_cuts(
                self.problem.families, self.problem.tick, cancellation=cancellation
            )
        return bounds, True

    def _linear_program(self, seconds: float | None) -> Bounds:
        """Return the bounds of the linear program, found in at most `seconds`."""
        deadlines = [] if self._clock.deadline is None else [self._clock.deadline]
        if seconds is not None:
            deadlines.append(time.monotonic() + seconds)
        with self._clock.limit() as cancellation:
            return find_bounds(
                self.problem.families,
                self.problem.tick,
                deadline=min(deadlines, default=None),
                cancellation=cancellation,
                progress=lambda now: self._report(
                    "bounds", now.lower_bound, now.upper_bound, f"{now.cuts} cuts"
                ),
            )

    def _enumerate(self, *, shrinks: bool) -> None:
        """Count the members of one branch after the other; some must be split first."""
        waiting = list(self._states)
        if shrinks:
            self._report(
                "bounds",
                self._lower_bound,
                self._standing.upper_bound,
                f"of {len(waiting):,} branches",
            )
            improve(waiting, self._clock, self._resources.jobs)
        best: list[list[int]] = []
        while waiting and not self._clock.time_is_up:
            state = waiting.pop(0)
            parts = self._prepare(state, shrinks=shrinks)
            if self._clock.time_is_up:
                waiting.insert(0, state)
            elif parts is not None:
                waiting = parts + waiting
            elif not state.empty:
                self._count(state, best)
        missing = []
        if waiting:
            missing.append(
                f"{self._clock.ending} before the members were counted"
                if not self._counted
                else f"{self._clock.ending} before the members of {len(waiting)} of "
                f"{len(waiting) + len(self._counted)} branches were counted"
            )
        self._states = waiting
        self._standing.best = np.array(min(best, default=self._standing.best.tolist()))
        self._unite(missing)

    def _prepare(self, state: State, *, shrinks: bool) -> list[State] | None:
        """Settle and shrink a branch; return its parts if it had to be split."""
        resources = self._resources
        self._report_state("families", state)
        settle(state, self._clock, resources.jobs, resources.memory)
        if state.empty or not shrinks or self._clock.time_is_up:
            return None
        state.reduce()
        return shrink(state, self._clock, resources.jobs, resources.memory)

    def _count(self, state: State, best: list[list[int]]) -> None:
        """Count the members of a branch; add its first optimal network to `best` if it has one."""
        self._report_state("members", state)
        hands = Hands(self._resources.jobs, self._clock, self._resources.cluster)
        counted = count_branch(state, hands, self._resources.memory)
        self._standing.nodes += counted.tally.nodes
        self._counted.append(counted)
        if state.optimum == self._standing.upper_bound:
            with self._clock.limit() as cancellation:
                first = counted.enumeration.first(cancellation)
            best.append(state.index[state.best if first is None else first].tolist())

    def _unite(self, missing: list[str]) -> None:
        """Combine the branches that were counted."""
        self._shortfalls.extend(missing)
        if not self._counted:
            return
        places = self._places()
        branches = [replace(one, index=np.searchsorted(places, one.index)) for one in self._counted]
        self._union = BranchUnion(
            branches, len(places), self._standing.upper_bound, self.problem.decay, missing
        )
        self._tally = self._union.tally()
        self._shortfalls = list(self._tally.shortfalls)

    def _places(self) -> Choice:
        """Return the families of the counted members and of the best network."""
        return np.unique(np.concatenate([self._standing.best, *(c.index for c in self._counted)]))

    def found(self) -> Found:
        """Return the results of the run."""
        places = self._places()
        kept = np.zeros(len(self.problem.families), dtype=np.bool_)
        kept[places] = True
        return Found(
            self.problem,
            self.problem.families.select(kept),
            np.searchsorted(places, self._standing.best),
            self._lower_bound,
            self._union,
            self._tally,
            tuple(self._shortfalls),
        )

    def statistics(self, used: int) -> SearchStatistics:
        """Return the statistics of the run."""
        bound = self._root_bound
        return SearchStatistics(
            families_given=len(self.problem.families),
            families_reduced=self._reduced,
            families_used=used,
            lower_bound=self.problem.cost(bound),
            lp_gap=(self._standing.upper_bound - bound) * self.problem.tick,
            lp_rounds=self._rounds,
            cuts=self._cuts,
            branches=len(self._counted),
            branch_nodes=self._standing.branch_nodes,
            subsets=self._standing.subsets,
            nodes=self._standing.nodes,
            seconds=dict(self._watch.seconds),
        )

    def _report_state(self, step: str, state: State) -> None:
        upper = self._standing.upper_bound
        self._report(step, self._lower_bound, upper, f"{len(state.families):,} families")

    def _report(self, step: str, lower: int, upper: int, detail: str) -> None:
        if self._resources.progress is not None:
            cost = self.problem.cost
            self._resources.progress(
                Progress(step, detail, self._clock.seconds, cost(lower), cost(upper))
            )


def _seconds_for_cuts(variables: int) -> float | None:
    """Return how long to look for cuts; None if the lattice is no way out of a large gap."""
    if variables <= DENSE:
        return _DENSE_SECONDS
    return _FEW_SECONDS if variables <= FEW else None
