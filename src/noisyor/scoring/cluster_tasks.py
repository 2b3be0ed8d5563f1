"""Children, and parts of hard ones, as tasks on a cluster.

At first each child is a task, which one worker thread searches. After PART_SECONDS a task returns
what it has found, and the rest of its sets becomes one new task, or several if worker threads would
be idle. When all parts of a child have returned, a last task fits their families and decides which
to keep. The result is that of a single search, bit for bit, however the sets were divided and
whatever the parts knew of each other (proof in `set_ranges`). So a run may also go on where another
one was killed: with what the parts had found by then, and the ranges that were left.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf
from typing import Protocol
from uuid import uuid4

import numpy as np

from noisyor._kernels import kernels
from noisyor.cluster import POLL_SECONDS, Cluster, ClusterTasks, aligned, room_for_others
from noisyor.core import MismatchError
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.listing import listed
from noisyor.core.request import Request
from noisyor.core.variable_sets import from_words, set_of, word_count
from noisyor.scoring.board import Keep
from noisyor.scoring.child_search import ChildScores, ChildSearch, SearchPass, SearchSettings
from noisyor.scoring.set_ranges import SetRange
from noisyor.scoring.statistics import ScoringStatistics, combine

PART_SECONDS = 10.0
"""Time after which a task returns: long compared with the start-up of a task."""
_LEAST_SEARCH = 9  # times the start-up, which takes a while with many records
_PARTS_PER_THREAD = 2  # of the idle threads: parts are not equally hard


@dataclass(frozen=True, slots=True)
class PartTask:
    """The work of a task: a range of a child's sets."""

    child: int
    seconds: float  # after which to return
    order: tuple[int, ...] = ()  # of the candidates; the first task of a child determines it
    sets: SetRange | None = None  # all sets by default
    # The statistics of all parts that have returned if no other part is running, else None. With
    # them, a task that finishes its range also makes the final decision.
    before: tuple[ScoringStatistics, ...] | None = ()


@dataclass(frozen=True, slots=True)
class PartResult:
    """The result of a task that has not decided: what it found, and the rest of its range."""

    order: tuple[int, ...]
    found: FamilyColumns
    statistics: ScoringStatistics
    rest: SetRange
    seconds: float  # after which a task for the rest should return


@dataclass(frozen=True, slots=True)
class OpenChild:
    """A child whose search has begun: what its parts have found, and the ranges that are left."""

    child: int
    order: tuple[int, ...]
    found: FamilyColumns
    statistics: ScoringStatistics
    ranges: tuple[SetRange, ...]
    seconds: float  # after which a task should return

    def check_for(self, request: Request) -> None:
        """Raise an error if this cannot be the child of a request."""
        constraints, codes = request.constraints, [one.code for one in request.relations]
        required = constraints.required[self.child]
        candidates = constraints.allowed[self.child] & ~required
        sets = from_words(self.found.parents)
        fits = (
            set_of(self.order) in {0, candidates}
            and all(one.end <= 1 << candidates.bit_count() for one in self.ranges)
            and all(parents & ~candidates == required for parents in sets)
            and np.isin(self.found.relations, codes).all()
        )
        if not fits:
            name = request.data.names[self.child]
            raise MismatchError(f"what was kept of the child {name!r} is of other settings")


class KeepsOpenChildren(Protocol):
    """Keeps children whose search has begun, so that another run can go on with them."""

    def open_children(self) -> Mapping[int, OpenChild]:
        """Return those of earlier runs."""

    def keep_open_child(self, begun: OpenChild) -> None:
        """Keep a child, instead of what was kept of it before."""


@dataclass(slots=True)
class _Parts:
    """The combined results of a child's parts: empty tuples, or one entry each."""

    # Those of the tasks under way. No two have the same end. None: one task, for all sets.
    ranges: tuple[SetRange, ...] | None = None
    found: tuple[FamilyColumns, ...] = ()
    statistics: tuple[ScoringStatistics, ...] = ()

    @property
    def running(self) -> int:
        return 1 if self.ranges is None else len(self.ranges)

    def add(self, back: PartResult) -> None:
        self.ranges = tuple(one for one in self.ranges or () if one.end != back.rest.end)
        self.found = (FamilyColumns.concatenated([*self.found, back.found], back.found.word_count),)
        self.statistics = (combine([*self.statistics, back.statistics]),)


Tasks = ClusterTasks[int, ChildScores | PartResult | None]


class ChildTasks:
    """The children that a cluster searches; `score` uses it like a Board."""

    def __init__(
        self,
        cluster: Cluster,
        settings: SearchSettings,
        children: Iterable[int],
        kept: KeepsOpenChildren | None = None,
        keep: Keep | None = None,
    ) -> None:
        self.done: dict[int, ChildScores] = {}
        self.lost: dict[int, str] = {}  # children without a result, and the reason
        self._cluster = cluster
        self._settings = settings
        self._keep_done = keep
        self._parts = {child: _Parts() for child in sorted(children)}
        self._kept = kept
        self._begun: dict[int, OpenChild] = {}  # not kept yet
        self._kept_at: dict[int, float] = {}

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, 0 for the others' shares, and the families decided so far."""
        work = [scores.statistics for scores in self.done.values()]
        for child, parts in self._parts.items():
            work += parts.statistics if child not in self.done else ()
        known = combine(one for one in work if one is not None)
        return len(self.done), 0.0, sum(one.evaluated for one in known.relations.values())

    def run(self, look: Callable[[], bool]) -> None:
        """Score all children, and poll `look`, which returns whether to stop."""
        with room_for_others(self._cluster):
            tasks: Tasks = ClusterTasks(
                self._cluster, search_part, self._settings, f"settings-{uuid4().hex}"
            )
            self.lost = tasks.lost

            earlier = {} if self._kept is None else self._kept.open_children()
            for child in self._parts:
                if child in earlier:
                    self._resume(tasks, earlier[child])
                else:
                    tasks.submit(child, PartTask(child, PART_SECONDS), None)
            try:
                tasks.run(look, partial(self._take, tasks))
            finally:
                for begun in self._begun.values():
                    self._keep(begun)

    def _take(self, tasks: Tasks, child: int, result: ChildScores | PartResult | None) -> None:
        """Take the result of a task, and submit what the child needs next."""
        if result is None:
            raise RuntimeError(f"a worker did not finish child {child}, but was not stopped")
        if isinstance(result, ChildScores):
            self.done[child] = result
            self._parts[child] = _Parts()  # frees the results of the parts
            if self._keep_done is not None:
                self._keep_done(result)
            self._begun.pop(child, None)
        elif child not in self.lost:  # because another part was lost
            self._parts[child].add(result)
            self._go_on(tasks, child, result)

    def _go_on(self, tasks: Tasks, child: int, back: PartResult) -> None:
        """Submit the rest of a part, or the final decision after a child's last part."""
        parts = self._parts[child]
        ranges = back.rest.cut(max(1, _PARTS_PER_THREAD * tasks.idle_threads()))
        if not parts.running and not ranges:
            ranges = [back.rest]
        parts.ranges = (*(parts.ranges or ()), *ranges)
        (found,), (statistics,) = parts.found, parts.statistics
        begun = OpenChild(child, back.order, found, statistics, parts.ranges, back.seconds)
        self._submit(tasks, begun, ranges)
        self._begun[child] = begun
        # What is worth a task is worth a file, but many parts of a child may return at once.
        if time.monotonic() - self._kept_at.get(child, -inf) >= PART_SECONDS:
            self._keep(begun)
            del self._begun[child]

    def _resume(self, tasks: Tasks, begun: OpenChild) -> None:
        """Submit what an earlier run has left of a child."""
        begun.check_for(self._settings.request)
        self._parts[begun.child] = _Parts(begun.ranges, (begun.found,), (begun.statistics,))
        self._submit(tasks, begun, begun.ranges)

    def _submit(self, tasks: Tasks, begun: OpenChild, ranges: Sequence[SetRange]) -> None:
        """Submit some of the ranges that are left of a child."""
        if not ranges:
            return
        before = (begun.statistics,) if len(begun.ranges) == 1 else None
        found = tasks.send(begun.found, f"found-{uuid4().hex}")
        for sets in ranges:
            part = PartTask(begun.child, begun.seconds, begun.order, sets, before)
            tasks.submit(begun.child, part, found)

    def _keep(self, begun: OpenChild) -> None:
        if self._kept is not None:
            self._kept.keep_open_child(begun)
            self._kept_at[begun.child] = time.monotonic()


def search_part(
    settings: SearchSettings,
    stop: Callable[[], bool],
    part: PartTask,
    found_before: FamilyColumns | None,
) -> ChildScores | PartResult | None:
    """Search a range of a child's sets on a worker, in one thread; None if it was stopped.

    Families that earlier parts found save work; the last part also decides which of them to keep.
    """
    started = time.monotonic()
    request = settings.request
    data = replace(request.data, weights=aligned(request.data.weights))
    settings = replace(settings, request=replace(request, data=data))
    search = ChildSearch(settings, part.child, part.order)
    sets = part.sets or search.all_sets
    given = _aligned(found_before or FamilyColumns.none(word_count(data.variable_count)))
    wanted = SearchPass(request.factor.slack, request.relations, sets=sets)
    search.begin(replace(wanted, found=given, fits=False))
    watch = _Watch(search, started)
    work_until(search.work, lambda: stop() or watch.seconds() > part.seconds)
    if stop():
        return None
    found, statistics = search.found()
    rest = SetRange(search.reached, sets.end)
    if rest.empty and part.before is not None:
        everything = FamilyColumns.concatenated([given, found], found.word_count)
        search.begin(replace(wanted, sets=rest, found=everything))
        work_until(search.work, stop)
        return search.result([*part.before, statistics]) if search.finished else None
    # A task that made no progress had too little time.
    enough = part.seconds if rest != sets else 2 * part.seconds
    seconds = max(enough, _LEAST_SEARCH * watch.until_ready)
    return PartResult(search.order, found, statistics, rest, seconds)


@dataclass(slots=True)
class _Watch:
    """The time that a search takes, and its start-up time."""

    search: ChildSearch
    started: float
    until_ready: float = 0.0  # seconds until the first set of more than one candidate

    def seconds(self) -> float:
        """Return the time so far; must be polled to measure the start-up."""
        passed = time.monotonic() - self.started
        if not self.search.decided:
            self.until_ready = passed
        return passed


def work_until(work: "Callable[[kernels.Cancellation], None]", stop: Callable[[], bool]) -> None:
    """Let one thread work until it ends or `stop`, which is polled, returns True."""
    cancellation = kernels.Cancellation()
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work, cancellation)
        try:
            while not wait([working], POLL_SECONDS).done:
                if stop():
                    cancellation.cancel()
        finally:
            cancellation.cancel()
    working.result()


def _aligned(found: FamilyColumns) -> FamilyColumns:
    """Return families received from another process with aligned arrays for the kernels."""
    return FamilyColumns(*(aligned(getattr(found, column.name)) for column in fields(found)))


def lost_children(names: Sequence[str], lost: Mapping[int, str]) -> list[str]:
    """Return a line for each reason why children have no result."""
    lines = []
    for reason in sorted(set(lost.values())):
        own = [names[child] for child in sorted(lost) if lost[child] == reason]
        count = f"{len(own)} of {len(names)} children"
        lines.append(f"{reason} left {count} unscored: {listed(own)}")
    return lines
