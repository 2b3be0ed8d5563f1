"""Step 4 of the paper: from a score table to the optimum and every credible network."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from noisyor.core import (
    BayesFactor,
    ConstraintError,
    Constraints,
    CredibleSet,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.search.bounds import Bounds, NoNetworkError, bounds_without_cuts, find_bounds
from noisyor.search.clock import Clock
from noisyor.search.enumeration import Enumeration, Tally
from noisyor.search.optimum import DENSE, SMALL, State, prove_optimum, shrink
from noisyor.search.parts import members_of
from noisyor.search.preparation import Problem, bayes_factor_for, prepare
from noisyor.search.result import Found, credible_set

_POLL_SECONDS = 0.1
_MEMORY_SHARE = 0.5  # of the machine's
_MOST_MEMORY = 12 * 2**30
_DENSE_SECONDS = 5.0  # for cuts, where the whole lattice can be searched as well
_LARGE_GAP = 50.0  # nats, that cuts leave open on large samples


class BoundKind(StrEnum):
    """What bounds the search over orders."""

    AUTO = "auto"  # a linear program, except where the whole lattice is the shorter way
    LP = "lp"  # weights on cuts from a linear program
    NONE = "none"  # nothing: the classical dynamic programme, as a check

    @classmethod
    def of(cls, name: str) -> "BoundKind":
        """Return the kind of this name."""
        if name not in cls.__members__.values():
            raise SettingsError(f"bounds is {name!r}; it must be one of: {', '.join(cls)}")
        return cls(name)


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """How far the search is; bounds in nats."""

    step: str
    lower_bound: float
    upper_bound: float
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchStatistics:
    """How the result came about."""

    families_given: int
    families_reduced: int
    families_used: int
    lower_bound: float
    lp_gap: float
    lp_rounds: int
    cuts: int
    subsets: int
    nodes: int
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Searched:
    """A credible set and how it was found."""

    credible: CredibleSet
    statistics: SearchStatistics
    seconds: float


def search(  # noqa: PLR0913  (each option is one that a user names)
    table: ScoreTable,
    bayes_factor: float | BayesFactor | None = None,
    *,
    constraints: Constraints | None = None,
    labels: str | Labels = Labels.BEST,
    bounds: str | BoundKind = BoundKind.AUTO,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> Searched:
    """Find the best network of a table and all networks within a Bayes factor of it.

    By default the Bayes factor is the table's own, or 20. `constraints` are applied to the table;
    required edges must have been scored. `labels` says what counts as a network of its own,
    `bounds` what the search over orders is bounded with (see BoundKind); no result depends on it.
    `memory_limit`, in bytes, is for the lattice of subsets; by default half of the machine's
    memory, and 12 GiB at most. With a `time_limit` in seconds the result may be incomplete, and
    says so. Nothing in a complete result depends on the number of `jobs` (threads; all cores).
    """
    factor = bayes_factor_for(table, bayes_factor)
    kind = BoundKind.of(bounds)
    labels = Labels.of(labels)
    _check(jobs, time_limit, memory_limit)
    clock = Clock(time_limit)
    try:
        problem = prepare(table, factor, labels, constraints)
    except NoNetworkError as error:
        raise ConstraintError(error.message(table.names)) from None
    run = _Run(
        problem,
        kind,
        clock,
        jobs or os.cpu_count() or 1,
        memory_limit or _default_memory(),
        progress,
    )
    _interruptible(run.run, clock)
    credible = credible_set(table, factor, labels, run.found())
    return Searched(credible, run.statistics(len(credible.families)), clock.seconds)


def _check(jobs: int | None, time_limit: float | None, memory_limit: int | None) -> None:
    if jobs is not None and jobs < 1:
        raise SettingsError(f"jobs is {jobs}; it must be at least 1")
    if time_limit is not None and not time_limit > 0:
        raise SettingsError(f"the time limit is {time_limit}; it must be above 0 seconds")
    if memory_limit is not None and memory_limit < 1:
        raise SettingsError(f"the memory limit is {memory_limit} bytes; it must be at least 1")


def _default_memory() -> int:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_MEMORY, int(_MEMORY_SHARE * physical))


def _interruptible(work: Callable[[], None], clock: Clock) -> None:
    """Run something in a thread, so that Ctrl-C is noticed, and ends it."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001  (raised again in the caller's thread)
            failures.append(failure)

    thread = threading.Thread(target=run, name="noisyor-search", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
    except KeyboardInterrupt:
        clock.cancel()
        thread.join()
        raise
    if failures:
        raise failures[0]


class _Run:
    """The steps of a search, and what each has found."""

    def __init__(  # noqa: PLR0917, PLR0913  (the search's settings, in their order)
        self,
        problem: Problem,
        kind: BoundKind,
        clock: Clock,
        jobs: int,
        memory: int,
        progress: Callable[[SearchProgress], None] | None,
    ) -> None:
        self.problem = problem
        self._kind = kind
        self._clock = clock
        self._jobs = jobs
        self._memory = memory
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self.shortfalls: list[str] = []
        self.state: State
        self.bounds: Bounds
        self.reduced = 0
        self._whole = False  # whether the whole lattice is to be searched
        self.enumeration: Enumeration | None = None
        self.tally: Tally | None = None

    def run(self) -> None:
        """Bound, prove, enumerate."""
        with self._timed("bounds"):
            self._bound()
        with self._timed("optimum"):
            reason = prove_optimum(
                self.state,
                self._clock,
                self._jobs,
                self._memory,
                whole=self._whole,
                walks=self._kind is not BoundKind.NONE,
            )
        if reason is not None:
            gap = (self.state.upper_bound - self.state.lower_bound) * self.problem.tick
            self.shortfalls.append(
                f"{reason} before the optimum was proven: it may be up to {gap:.4f} nats lower, "
                "and only the best network found is counted"
            )
            return
        with self._timed("members"):
            self._enumerate()

    def _bound(self) -> None:
        """Find a network and duals; none where the whole lattice is the shorter way."""
        variables = self.problem.families.variable_count
        may_skip = self._kind is BoundKind.AUTO and variables <= DENSE
        bounds: Bounds | None = None
        if self._kind is BoundKind.LP or (self._kind is BoundKind.AUTO and variables > SMALL):
            bounds = self._linear_program(_DENSE_SECONDS if may_skip else None)
            gap = (bounds.upper_bound - bounds.duals.lower_bound) * self.problem.tick
            if may_skip and gap > _LARGE_GAP:
                bounds = None
        self._whole = bounds is None
        if bounds is None:
            with self._clock.limit() as cancellation:
                bounds = bounds_without_cuts(
                    self.problem.families, self.problem.tick, cancellation=cancellation
                )
        self.bounds = bounds
        self.state = State(self.problem, self.problem.families, bounds.duals, bounds.incumbent)
        self.state.reduce()
        self.reduced = len(self.state.families)

    def _linear_program(self, seconds: float | None) -> Bounds:
        """Return the bounds of the linear program, found in so much time."""
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

    def _enumerate(self) -> None:
        state = self.state
        self._report_state("families")
        if self._kind is not BoundKind.NONE:
            shrink(state, self._clock, self._jobs, self._memory)
        with self._clock.limit() as cancellation:
            first = members_of(state.families, state.duals, state.upper_bound).first(cancellation)
        if self._clock.time_is_up:
            self.shortfalls.append(
                "the time limit was reached before the members were counted: only the best "
                "network is counted"
            )
            return
        state.best = first.astype(np.int64)
        self._report_state("members")
        self.enumeration = Enumeration(
            self.problem, state.families, state.duals.cuts, state.best, self._jobs
        )
        with self._clock.limit() as cancellation:
            self.tally = self.enumeration.count(cancellation)
        state.nodes += self.tally.nodes
        self.shortfalls.extend(self.tally.shortfalls)

    def found(self) -> Found:
        """Return what the run has found."""
        return Found(self.problem, self.state, self.enumeration, self.tally, tuple(self.shortfalls))

    def statistics(self, used: int) -> SearchStatistics:
        """Return the figures of the run."""
        bound = self.bounds.duals.lower_bound
        return SearchStatistics(
            families_given=len(self.problem.families),
            families_reduced=self.reduced,
            families_used=used,
            lower_bound=self.problem.cost(bound),
            lp_gap=(self.state.upper_bound - bound) * self.problem.tick,
            lp_rounds=self.bounds.statistics.rounds,
            cuts=len(self.bounds.duals.cuts),
            subsets=self.state.subsets,
            nodes=self.state.nodes,
            seconds=dict(self._seconds),
        )

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        started = time.monotonic()
        yield
        self._seconds[step] = time.monotonic() - started

    def _report_state(self, step: str) -> None:
        self._report(
            step,
            self.state.lower_bound,
            self.state.upper_bound,
            f"{len(self.state.families):,} families",
        )

    def _report(self, step: str, lower: int, upper: int, detail: str) -> None:
        if self._progress is not None:
            cost = self.problem.cost
            self._progress(
                SearchProgress(step, cost(lower), cost(upper), detail, self._clock.seconds)
            )
