"""Children, and parts of hard ones, as tasks of a cluster.

A task is a child at first, which one thread of a worker searches. A task that has searched for so
long comes back with what it has found, and what is left of its sets becomes tasks again: one, or
several if threads of the cluster would have nothing to do. When all parts of a child are back, a
last task fits and decides what they have found together. That gives the families that one search
would, to the last bit, however they were cut and whatever the parts knew of each other (`parts` has
the proof).
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from functools import partial
from uuid import uuid4

from noisyor._kernels import kernels
from noisyor.cluster import POLL_SECONDS, Cluster, ClusterTasks, aligned, room_for_others
from noisyor.core import Dataset
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.listing import listed
from noisyor.scoring.child_search import ChildScores, ChildSearch, SearchPass, SearchSettings
from noisyor.scoring.set_ranges import SetRange
from noisyor.scoring.statistics import ScoringStatistics, combine

PART_SECONDS = 10.0
"""After which a task comes back with what is left: long, compared with what a new start takes."""
_LEAST_SEARCH = 9  # times as long as it took to get ready: with many records that is not nothing
_PARTS_PER_THREAD = 2  # that has nothing to do: parts are not equally hard


@dataclass(frozen=True, slots=True)
class PartTask:
    """What a task is to do: a stretch of a child's sets."""

    child: int
    seconds: float  # after which to come back
    order: tuple[int, ...] = ()  # of the candidates; the first task of a child finds one
    stretch: SetRange | None = None  # all sets by default
    # Where no other part is under way, the work of all that have come back: the task then decides,
    # if it comes to its end.
    before: tuple[ScoringStatistics, ...] | None = ()


@dataclass(frozen=True, slots=True)
class PartResult:
    """What a task sends back that has not decided: what it found and what is left."""

    order: tuple[int, ...]
    found: FamilyColumns
    statistics: ScoringStatistics
    rest: SetRange
    seconds: float  # that the rest should have


@dataclass(slots=True)
class _Parts:
    """What has come back of a child, put together: nothing, or one of each."""

    under_way: int = 1
    found: tuple[FamilyColumns, ...] = ()
    statistics: tuple[ScoringStatistics, ...] = ()

    def add(self, back: PartResult) -> None:
        self.under_way -= 1
        self.found = (FamilyColumns.concatenated([*self.found, back.found], back.found.word_count),)
        self.statistics = (combine([*self.statistics, back.statistics]),)


Tasks = ClusterTasks[int, ChildScores | PartResult | None]


class ChildTasks:
    """The children that a cluster works on; for `score` the same as a Board."""

    def __init__(
        self,
        cluster: Cluster,
        settings: SearchSettings,
        children: Iterable[int],
    ) -> None:
        self.done: dict[int, ChildScores] = {}
        self.lost: dict[int, str] = {}  # children that came to nothing, and why
        self._cluster = cluster
        self._settings = settings
        self._parts = {child: _Parts() for child in sorted(children)}

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, none in part, and the families decided so far."""
        work = [scores.statistics for scores in self.done.values()]
        for child, parts in self._parts.items():
            work += parts.statistics if child not in self.done else ()
        known = combine(one for one in work if one is not None)
        return len(self.done), 0.0, sum(one.evaluated for one in known.relations.values())

    def run(self, look: Callable[[], bool]) -> None:
        """Have all children scored; ask `look` now and then whether that shall stop."""
        with room_for_others(self._cluster):
            tasks: Tasks = ClusterTasks(
                self._cluster, search_part, self._settings, f"settings-{uuid4().hex}"
            )
            self.lost = tasks.lost

            for child in self._parts:
                tasks.submit(child, PartTask(child, PART_SECONDS), None)
            tasks.run(look, partial(self._take, tasks))

    def _take(self, tasks: Tasks, child: int, result: ChildScores | PartResult | None) -> None:
        """Take what a task has sent, and have done what is next for the child."""
        if result is None:
            raise RuntimeError(f"a worker did not finish child {child}, though nobody stopped it")
        if isinstance(result, ChildScores):
            self.done[child] = result
            self._parts[child] = _Parts()  # what was found in parts is no longer needed
        elif child not in self.lost:  # with another part of it
            self._parts[child].add(result)
            self._go_on(tasks, child, result)

    def _go_on(self, tasks: Tasks, child: int, back: PartResult) -> None:
        """Have done what is left of a part, or decided when it was the last of its child."""
        parts = self._parts[child]
        stretches = back.rest.cut(max(1, _PARTS_PER_THREAD * tasks.idle_threads()))
        if not parts.under_way and not stretches:
            stretches = [back.rest]
        if not stretches:
            return
        parts.under_way += len(stretches)
        before = parts.statistics if parts.under_way == 1 else None
        together = FamilyColumns.concatenated(parts.found, back.found.word_count)
        found = tasks.send(together, f"found-{uuid4().hex}")
        for stretch in stretches:
            part = PartTask(child, back.seconds, back.order, stretch, before)
            tasks.submit(child, part, found)


def search_part(
    settings: SearchSettings,
    stop: Callable[[], bool],
    part: PartTask,
    found_before: FamilyColumns | None,
) -> ChildScores | PartResult | None:
    """Search some sets of a child on a worker, in one thread; None if it was stopped.

    What earlier parts have found saves work; the last part decides upon it, too.
    """
    started = time.monotonic()
    request = settings.request
    data = Dataset(request.data.variables, request.data.codes, aligned(request.data.weights))
    settings = replace(settings, request=replace(request, data=data))
    search = ChildSearch(settings, part.child, part.order)
    stretch = part.stretch or search.all_sets
    given = _aligned(found_before or FamilyColumns.none(data.bits.shape[1]))
    wanted = SearchPass(request.factor.slack, request.relations, stretch=stretch)
    search.begin(replace(wanted, found=given, fits=False))
    watch = _Watch(search, started)
    _work(search, lambda: stop() or watch.seconds() > part.seconds)
    if stop():
        return None
    found, statistics = search.found()
    rest = SetRange(search.reached, stretch.end)
    if rest.empty and part.before is not None:
        everything = FamilyColumns.concatenated([given, found], found.word_count)
        search.begin(replace(wanted, stretch=rest, found=everything))
        _work(search, stop)
        return search.result([*part.before, statistics]) if search.finished else None
    # Who has only come to where it should begin has had too little time.
    enough = part.seconds if rest != stretch else 2 * part.seconds
    seconds = max(enough, _LEAST_SEARCH * watch.until_ready)
    return PartResult(search.order, found, statistics, rest, seconds)


@dataclass(slots=True)
class _Watch:
    """How long a search takes, and how much of that it takes to get ready."""

    search: ChildSearch
    started: float
    until_ready: float = 0.0  # seconds until sets of more than one candidate were looked at

    def seconds(self) -> float:
        """Return how long it has taken so far; to be asked now and then."""
        passed = time.monotonic() - self.started
        if not self.search.decided:
            self.until_ready = passed
        return passed


def _work(search: ChildSearch, stop: Callable[[], bool]) -> None:
    """Let one thread work on a search to its end, or until `stop`, asked now and then, says so."""
    cancellation = kernels.Cancellation()
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(search.work, cancellation)
        try:
            while not wait([work], POLL_SECONDS).done:
                if stop():
                    cancellation.cancel()
        finally:
            cancellation.cancel()
    work.result()


def _aligned(found: FamilyColumns) -> FamilyColumns:
    """Return families from the wire as kernels can take them."""
    return FamilyColumns(*(aligned(getattr(found, column.name)) for column in fields(found)))


def lost_children(names: Sequence[str], lost: Mapping[int, str]) -> list[str]:
    """Return a line for each reason for which children came to nothing."""
    lines = []
    for reason in sorted(set(lost.values())):
        own = [names[child] for child in sorted(lost) if lost[child] == reason]
        count = f"{len(own)} of {len(names)} children"
        lines.append(f"{reason} left {count} unscored: {listed(own)}")
    return lines
