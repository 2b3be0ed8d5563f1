"""Steps 1 to 3 of the paper: from records to every family that some credible network might use."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from noisyor._kernels import kernels
from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    Family,
    MismatchError,
    Provenance,
    Relation,
    ScoreTable,
    SettingsError,
    TableScope,
)
from noisyor.core.relation import relations_from
from noisyor.core.tolerance import tolerance_at
from noisyor.core.variable_sets import word_count
from noisyor.core.version import VERSION
from noisyor.fitting import fit
from noisyor.scoring.rules import ALL_RULES, PruningRule
from noisyor.scoring.search import ChildScores, ChildSearch, CountBy, SearchSettings
from noisyor.scoring.statistics import ScoringStatistics, combine

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class ScoringProgress:
    """How far the scoring is."""

    children: int
    children_done: int
    share_done: float  # of the subtrees of all children, some much harder than others
    decided: int  # families counted or fitted so far
    seconds: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A score table and how it came about; the statistics are those of the children scored now."""

    table: ScoreTable
    statistics: ScoringStatistics
    seconds: float
    children: Mapping[int, ChildScores] = field(repr=False)


class ScoringInterrupted(KeyboardInterrupt):
    """Ctrl-C during scoring; `scored` holds the children that were finished by then."""

    def __init__(self, scored: Scored) -> None:
        super().__init__("scoring was interrupted")
        self.scored = scored


def score(  # noqa: PLR0913  (each option is one that the paper or a user names)
    data: BinaryDataset,
    bayes_factor: float | BayesFactor = 20,
    *,
    relations: Iterable[str | Relation] = (CPT, NOISY_OR),
    constraints: Constraints | None = None,
    rules: PruningRule = ALL_RULES,
    count_by: CountBy | None = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    finished: Mapping[int, ChildScores] | None = None,
    progress: Callable[[ScoringProgress], None] | None = None,
) -> Scored:
    """Score every family that could be in a network within the Bayes factor of the best.

    The table loses no such family (see `rules`) and is the same bit for bit whatever the number
    of `jobs` (threads; all cores by default). With a `time_limit` in seconds it may lack children,
    and its scope says which. `finished` takes the children of an earlier call that ended early
    (or `scores_in` its table); that it had the same data and settings is for the caller to see to.
    """
    settings = SearchSettings(
        bayes_factor if isinstance(bayes_factor, BayesFactor) else BayesFactor(bayes_factor),
        relations_from(relations),
        constraints or Constraints.none(data.names),
        tolerance=_tolerance(data),
        rules=rules,
        count_by=count_by,
    )
    if settings.constraints.names != data.names:
        raise MismatchError("the constraints are about other variables than the data")
    if jobs is not None and jobs < 1:
        raise SettingsError(f"jobs is {jobs}; it must be at least 1")
    if time_limit is not None and not time_limit > 0:
        raise SettingsError(f"the time limit is {time_limit}; it must be above 0 seconds")
    board = _Board(data, settings, finished or {})
    started = time.monotonic()
    interrupted = _run(board, jobs or os.cpu_count() or 1, time_limit or inf, progress)
    statistics = combine(
        part.statistics for part in board.done.values() if part.statistics is not None
    )
    shortfalls = [
        *_missing_children(data, board.done, interrupted=interrupted, time_limit=time_limit),
        *_open_gaps(statistics),
    ]
    scored = Scored(
        table=_table(data, settings, board.done, shortfalls),
        statistics=statistics,
        seconds=time.monotonic() - started,
        children=dict(board.done),
    )
    if interrupted:
        raise ScoringInterrupted(scored)
    return scored


class _Board:
    """Who works on which child. Idle threads join the child that has most left to do."""

    def __init__(
        self, data: BinaryDataset, settings: SearchSettings, finished: Mapping[int, ChildScores]
    ) -> None:
        self.data = data
        self.settings = settings
        self.cancellation = kernels.Cancellation()
        self.done: dict[int, ChildScores] = dict(finished)
        self.failure: BaseException | None = None
        self._waiting = [c for c in reversed(range(data.variable_count)) if c not in finished]
        self._running: dict[ChildSearch, int] = {}  # with the number of threads on each
        self._lock = threading.Lock()

    def work(self) -> None:
        """Do what there is to do, until nothing is left."""
        try:
            while (search := self._join()) is not None:
                search.work(self.cancellation)
                if self._leave(search) and search.finished:
                    scores = search.result()
                    with self._lock:
                        self.done[search.child] = scores
        except BaseException as error:  # noqa: BLE001  (raised again by the caller's thread)
            self.failure = error
            self.cancellation.cancel()

    def _join(self) -> ChildSearch | None:
        with self._lock:
            if self.cancellation.cancelled:
                return None
            if self._waiting:
                search = ChildSearch(self.data, self._waiting.pop(), self.settings)
                self._running[search] = 1
                return search
            left = {
                search: search.subtrees - search.subtrees_done - threads
                for search, threads in self._running.items()
            }
            busiest = max(left, key=left.__getitem__, default=None)
            if busiest is None or left[busiest] <= 0:
                return None
            self._running[busiest] += 1
            return busiest

    def _leave(self, search: ChildSearch) -> bool:
        """Return whether this thread was the search's last."""
        with self._lock:
            self._running[search] -= 1
            if self._running[search]:
                return False
            del self._running[search]
            return True

    def progress(self, seconds: float) -> ScoringProgress:
        """Return how far the work is."""
        with self._lock:
            running = list(self._running)
            done = list(self.done.values())
        children = self.data.variable_count
        partly = sum(search.subtrees_done / max(1, search.subtrees) for search in running)
        decided = sum(search.decided for search in running)
        known = combine(part.statistics for part in done if part.statistics is not None)
        decided += sum(one.evaluated for one in known.relations.values())
        return ScoringProgress(
            children, len(done), (len(done) + partly) / children, decided, seconds
        )


def _run(
    board: _Board,
    jobs: int,
    time_limit: float,
    progress: Callable[[ScoringProgress], None] | None,
) -> bool:
    """Let threads work on the board; return whether Ctrl-C ended it."""
    started = time.monotonic()
    threads: list[threading.Thread] = []
    interrupted = False
    try:
        for _ in range(jobs):
            threads.append(threading.Thread(target=board.work, daemon=True))
            threads[-1].start()
        for thread in threads:
            while thread.is_alive():
                thread.join(_POLL_SECONDS)
                seconds = time.monotonic() - started
                if seconds > time_limit:
                    board.cancellation.cancel()
                if progress is not None:
                    progress(board.progress(seconds))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        board.cancellation.cancel()
        _wait_for(threads)
    if board.failure is not None:
        raise board.failure
    return interrupted and len(board.done) < board.data.variable_count


def _wait_for(threads: Sequence[threading.Thread]) -> None:
    """Wait until cancelled threads have ended, which takes them a moment.

    Another Ctrl-C meanwhile asks for what is under way, and must not lose what is finished.
    """
    for thread in threads:
        while thread.is_alive():
            with contextlib.suppress(KeyboardInterrupt):
                thread.join()


def _tolerance(data: BinaryDataset) -> float:
    """Return the tolerance of a network's cost, which no family may be judged more finely than.

    No credible network costs more than the one without edges, plus the slack.
    """
    total = sum(
        fit(data, Family(child, 0)).certificate.cost for child in range(data.variable_count)
    )
    return tolerance_at(total)


def _open_gaps(statistics: ScoringStatistics) -> list[str]:
    fits = statistics.fits
    if not fits.unconverged:
        return []
    count = f"{fits.unconverged} of {fits.final} final fits"
    return [f"{count} did not close their gap; the table states the gap of each family"]


def _missing_children(
    data: BinaryDataset,
    done: Mapping[int, ChildScores],
    *,
    interrupted: bool,
    time_limit: float | None,
) -> list[str]:
    missing = [name for child, name in enumerate(data.names) if child not in done]
    if not missing:
        return []
    cause = "an interruption" if interrupted else f"the time limit of {time_limit} s"
    count = f"{len(missing)} of {data.variable_count} children"
    return [f"{cause} left {count} unscored: {', '.join(missing)}"]


def _table(
    data: BinaryDataset,
    settings: SearchSettings,
    done: Mapping[int, ChildScores],
    shortfalls: Sequence[str],
) -> ScoreTable:
    """Put the children's families one below the other."""
    parts = [done[child] for child in sorted(done)]
    sizes = [len(part.costs) for part in parts]
    starts = np.cumsum([0, *(len(part.parameters) for part in parts)])
    scope = TableScope(
        settings.constraints,
        settings.bayes_factor,
        settings.relations,
        Provenance(
            version=VERSION,
            data=data.fingerprint(),
            records=data.record_count,
            settings=(
                ("bayes_factor", repr(settings.bayes_factor.value)),
                ("relations", ",".join(relation.name for relation in settings.relations)),
            ),
        ),
        tuple(shortfalls),
    )
    no_words = np.empty((0, word_count(data.variable_count)), dtype=np.uint64)
    return ScoreTable(
        names=data.names,
        children=np.repeat([part.child for part in parts], sizes).astype(np.int32),
        parents=np.concatenate([no_words, *(part.parents for part in parts)]),
        relations=np.concatenate([np.empty(0, np.uint8), *(part.relations for part in parts)]),
        costs=np.concatenate([np.empty(0), *(part.costs for part in parts)]),
        gaps=np.concatenate([np.empty(0), *(part.gaps for part in parts)]),
        offsets=np.concatenate(
            [
                *(
                    part.offsets[:-1] + start
                    for part, start in zip(parts, starts[:-1], strict=True)
                ),
                starts[-1:],
            ]
        ),
        parameters=np.concatenate([np.empty(0), *(part.parameters for part in parts)]),
        scope=scope,
    )
