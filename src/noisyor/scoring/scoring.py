"""Steps 1 to 3 of the paper: score every family that some credible network may have."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from noisyor.cluster import chosen_cluster
from noisyor.core import (
    BIC,
    BayesFactor,
    Constraints,
    Dataset,
    Prior,
    Score,
    ScoreTable,
    SettingsError,
)
from noisyor.core.progress import Progress
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import RelationChoice
from noisyor.core.request import DEFAULT_BAYES_FACTOR, Request
from noisyor.scoring.board import Board, board_for, run, thread_count, unfinished
from noisyor.scoring.child_search import ChildScores, CountBy, settings_for
from noisyor.scoring.cluster_tasks import ChildTasks, KeepsOpenChildren, lost_children
from noisyor.scoring.statistics import ScoringStatistics, combine
from noisyor.scoring.tables import KeepChild, keeping, open_gaps, table_of

_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Scored:
    """A score table and how it was made.

    The statistics do not include children that were taken from a table.
    """

    table: ScoreTable
    statistics: ScoringStatistics
    seconds: float
    children: Mapping[int, ChildScores] = field(repr=False)


class ScoringInterrupted(KeyboardInterrupt):
    """Scoring was interrupted by Ctrl-C; `scored` holds the children finished by then."""

    def __init__(self, scored: Scored) -> None:
        super().__init__("scoring was interrupted")
        self.scored = scored


def score(  # noqa: PLR0913  (one option each, all by name)
    data: Dataset,
    bayes_factor: float | BayesFactor = DEFAULT_BAYES_FACTOR,
    *,
    score: str | Score = BIC,
    relations: RelationChoice | None = None,
    constraints: Constraints | None = None,
    prior: Prior | None = None,
    rules: PruningRule = ALL_RULES,
    count_by: CountBy | None = None,
    children: Iterable[int] | None = None,
    jobs: int | None = None,
    time_limit: float | None = None,
    finished: Mapping[int, ChildScores] | None = None,
    keep: KeepChild | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Scored:
    """Score every family that a network within the Bayes factor of the best may have.

    No such family is lost (see `noisyor.core.pruning_rules`).

    Parameters
    ----------
    data
        The records.
    bayes_factor
        The largest Bayes factor between the best network and a credible one.
    score
        The score: its name, such as `"bic"` or `"ebic(0.5)"`, or a `Score`.
    relations
        The relations that compete at each node: names, values, or a group: `default` (full
        tables and leaky noisy-ORs), `paper` (full tables and noisy-ORs) or `all`. By default
        `default`, or full tables alone if the score is defined for no others.
    constraints
        Certain knowledge about the network.
    prior
        How likely arcs and relations are beforehand.
    rules
        The pruning rules to use. They do not affect the result.
    count_by
        How records are counted; by default the method that is likely to be faster.
    children
        The variables whose families are scored, by number; all by default. The scope of the table
        lists the missing ones.
    jobs
        The number of threads; all cores by default. It does not affect the table. If it is None,
        inside `joblib.parallel_config` with the backend "dask", the cluster scores instead, with
        the same result (see `noisyor.cluster`).
    time_limit
        Seconds after which scoring stops. The scope of the table lists the missing children.
    finished
        Children of an earlier call that ended early (or `scores_in` its table). The caller must
        ensure that data and settings are the same.
    keep
        Called with the table of each child and its statistics as soon as it is finished.
    progress
        Called every tenth of a second with the progress.

    """
    request = Request.of(
        data,
        bayes_factor,
        score=score,
        relations=relations,
        constraints=constraints,
        prior=prior,
        jobs=jobs,
        time_limit=time_limit,
    )
    return score_request(
        request,
        rules=rules,
        count_by=count_by,
        children=children,
        finished=finished,
        keep=keep,
        progress=progress,
    )


def score_request(  # noqa: PLR0913
    request: Request,
    *,
    rules: PruningRule = ALL_RULES,
    count_by: CountBy | None = None,
    children: Iterable[int] | None = None,
    finished: Mapping[int, ChildScores] | None = None,
    keep: KeepChild | None = None,
    begun: KeepsOpenChildren | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Scored:
    """Score the families of a request; see `score` for the parameters.

    `begun` keeps the children that a cluster has begun: a later run goes on with them.
    """
    settings = settings_for(request, rules, count_by)
    data, jobs, time_limit = request.data, request.limits.jobs, request.limits.seconds
    threads = thread_count(jobs)
    started = time.monotonic()
    known = dict(finished or {})
    wanted = _wanted(data, children)
    todo = [child for child in wanted if child not in known]
    cluster = chosen_cluster() if jobs is None else None
    keeper = keeping(request, keep)
    work: Board | ChildTasks = (
        board_for(settings, todo, keeper)
        if cluster is None
        else ChildTasks(cluster, settings, todo, begun, keeper)
    )

    def look() -> bool:
        seconds = time.monotonic() - started
        if progress is not None:
            done, partly, decided = work.progress()
            before = len(wanted) - len(todo)
            progress(
                Progress(
                    step="scoring",
                    detail=f"{before + done} of {len(wanted)} children",
                    seconds=seconds,
                    share=(before + done + partly) / len(wanted),
                    decided=decided,
                )
            )
        return seconds > (time_limit or inf)

    interrupted = False
    try:
        if isinstance(work, Board):
            run(work, threads, look, _POLL_SECONDS)
        else:
            work.run(look)
    except KeyboardInterrupt:
        interrupted = True  # even if all children are done: the user asked to stop
    done = {**known, **work.done}
    statistics = combine(part.statistics for part in done.values() if part.statistics is not None)
    cause = "an interruption" if interrupted else "the time limit"
    lost = {} if isinstance(work, Board) else work.lost
    shortfalls = [*_lacking(data.names, wanted, done, lost, cause), *open_gaps(statistics.fits)]
    scored = Scored(
        table=table_of(request, done, shortfalls),
        statistics=statistics,
        seconds=time.monotonic() - started,
        children=done,
    )
    if interrupted:
        raise ScoringInterrupted(scored)
    return scored


def _wanted(data: Dataset, children: Iterable[int] | None) -> list[int]:
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
    """Return a line for each cause of unfinished children that names them."""
    others = set(range(len(names))) - set(wanted)
    return [
        *unfinished(names, {*wanted, *done}, "the choice of children"),
        *lost_children(names, lost),
        *unfinished(names, {*done, *others, *lost}, cause),
    ]
