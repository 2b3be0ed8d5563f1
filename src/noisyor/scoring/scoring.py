"""Steps 1 to 3 of the paper: from records to every family that some credible network might use."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from noisyor.cluster import chosen_cluster
from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    Relation,
    ScoreTable,
    SettingsError,
)
from noisyor.scoring.board import Board, board_for, run, thread_count, unfinished
from noisyor.scoring.child_search import ChildScores, CountBy, settings_for
from noisyor.scoring.cluster_tasks import ChildTasks, lost_children
from noisyor.scoring.rules import ALL_RULES, PruningRule
from noisyor.scoring.statistics import ScoringStatistics, combine
from noisyor.scoring.tables import KeepChild, Keeper, open_gaps, table_of

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
    """A score table and how it came about.

    The statistics lack the children that were taken from a table without them.
    """

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
    children: Iterable[int] | None = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    finished: Mapping[int, ChildScores] | None = None,
    keep: KeepChild | None = None,
    progress: Callable[[ScoringProgress], None] | None = None,
) -> Scored:
    """Score every family that could be in a network within the Bayes factor of the best.

    The table loses no such family (see `rules`) and is the same bit for bit whatever the number
    of `jobs` (threads; all cores by default). Without `jobs`, inside `joblib.parallel_config` with
    the backend "dask", its cluster scores instead, to the same table (see `cluster`). With
    a `time_limit` in seconds, or if only some `children` are asked for, it lacks others, and its
    scope says which. `finished` takes the children of an earlier call that ended early
    (or `scores_in` its table); that it had the same data and settings is for the caller to see to.
    `keep` is given a table of each child, and its statistics, as soon as it is finished.
    """
    settings = settings_for(data, bayes_factor, relations, constraints, rules, count_by)
    threads = thread_count(jobs)
    if time_limit is not None and not time_limit > 0:
        raise SettingsError(f"the time limit is {time_limit}; it must be above 0 seconds")
    started = time.monotonic()
    known = dict(finished or {})
    wanted = _wanted(data, children)
    todo = [child for child in wanted if child not in known]
    cluster = chosen_cluster() if jobs is None else None
    work: Board | ChildTasks
    if cluster is None:
        work = board_for(data, settings, todo)
    else:
        work = ChildTasks(cluster, data, settings, todo)
    keeper = Keeper(data, settings, work, keep)

    def look() -> bool:
        seconds = time.monotonic() - started
        keeper.look()
        if progress is not None:
            done, partly, decided = work.progress()
            before = len(wanted) - len(todo)
            share = (before + done + partly) / len(wanted)
            progress(ScoringProgress(len(wanted), before + done, share, decided, seconds))
        return seconds > (time_limit or inf)

    interrupted = False
    try:
        if isinstance(work, Board):
            run(work, threads, look, _POLL_SECONDS)
        else:
            work.run(look)
    except KeyboardInterrupt:
        interrupted = True  # even if all is done: who asked to stop wants nothing after it
    keeper.look()
    done = {**known, **work.done}
    statistics = combine(part.statistics for part in done.values() if part.statistics is not None)
    cause = "an interruption" if interrupted else f"the time limit of {time_limit or inf:.3g} s"
    lost = {} if isinstance(work, Board) else work.lost
    shortfalls = [*_lacking(data.names, wanted, done, lost, cause), *open_gaps(statistics.fits)]
    scored = Scored(
        table=table_of(data, settings, done, shortfalls),
        statistics=statistics,
        seconds=time.monotonic() - started,
        children=done,
    )
    if interrupted:
        raise ScoringInterrupted(scored)
    return scored


def _wanted(data: BinaryDataset, children: Iterable[int] | None) -> list[int]:
    """Return the children to score, all by default."""
    everyone = range(data.variable_count)
    wanted = list(everyone) if children is None else sorted(set(children))
    wrong = [child for child in wanted if child not in everyone]
    if wrong or not wanted:
        raise SettingsError(
            f"the children to score are {wrong or 'none'}; they must be numbers of variables, "
            f"0 to {data.variable_count - 1}, and at least one"
        )
    return wanted


def _lacking(
    names: Sequence[str],
    wanted: Collection[int],
    done: Collection[int],
    lost: Mapping[int, str],
    cause: str,
) -> list[str]:
    """Return, if children are not done, a line for each cause that says which."""
    others = set(range(len(names))) - set(wanted)
    return [
        *unfinished(names, {*wanted, *done}, "the choice of children"),
        *lost_children(names, lost),
        *unfinished(names, {*done, *others, *lost}, cause),
    ]
