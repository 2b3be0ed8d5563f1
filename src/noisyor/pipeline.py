"""From records to every credible network, in one call: the order of the steps.

The paper's four steps are to score every candidate family as a full table and as a noisy-OR, to
prune safely, to merge the two, and to search for all networks within the Bayes factor. By table,
the first three are `score` and the last is `search`; by price, the search asks for families, and
all four take turns in one loop.
"""

import math
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    DataError,
    Knowledge,
    Relation,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.core.relation import relations_from
from noisyor.data import read
from noisyor.formats import read_scores
from noisyor.formats.scope_json import constraints_to_json
from noisyor.runs.checkpoint import Checkpoint, KeptSource
from noisyor.runs.folder import MOST_MEMBERS, SCORES, is_finished, open_run, read_run, used_alone
from noisyor.runs.learned import Learned, Method
from noisyor.runs.preflight import BRIEF_TRIAL, Estimate, brief_trial, estimate, refuse_if_too_large
from noisyor.runs.progress import LearnProgress, shown_progress
from noisyor.scoring import RecordSource, Scored, ScoringProgress, score
from noisyor.search import (
    BoundKind,
    SearchedByPrice,
    SearchProgress,
    search,
    search_by_price,
)
from noisyor.search.table_search import check_limits

if TYPE_CHECKING:
    from noisyor.core.family_source import FamilySource

FEW_VARIABLES = 25
"""Up to so many, a table of all families is quickly made, and its search needs no prices."""

_MOMENT = 1e-3  # seconds
_TRIAL = 2.0  # seconds, before a large table
_WRITING_SHARE = 0.2  # of a time limit
_MOST_WRITING = 15.0  # seconds


def learn(  # noqa: PLR0913  (each option is one that a user names)
    data: object,
    bayes_factor: float | BayesFactor = 20,
    *,
    relations: Iterable[str | Relation] = (CPT, NOISY_OR),
    constraints: Constraints | Knowledge | None = None,
    method: str | Method = Method.AUTO,
    labels: str | Labels = Labels.BEST,
    bounds: str | BoundKind = BoundKind.AUTO,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    folder: str | Path | None = None,
    max_networks: int = MOST_MEMBERS,
    progress: Callable[[LearnProgress], None] | None = None,
    quiet: bool = False,
    began: float | None = None,
    expecting: Callable[[Estimate], None] | None = None,
) -> Learned:
    """Find the best network and all networks within a Bayes factor of it.

    The data are a BinaryDataset, or whatever `noisyor.read` takes. The `method` decides only how
    long it takes. For the other options see `score` and `search`; the time limit is for
    reading, scoring, search and writing together. If it is hit, the result is the best network so
    far with a proven bound, and says so.

    With a `folder`, everything is written there (see `run_folder`; of the networks at most
    `max_networks`). A run that was killed goes on from what it had finished if it is started again
    with the same data, settings and folder, and one that was complete is loaded. Part of a time
    limit is left for writing, a fifth but no more than 15 seconds; what is there is written even
    if that is not enough, though of the networks only a few. A folder that another run is using is
    refused.

    On a terminal a line shows how far it is, unless it is to be `quiet` or `progress` is given. If
    the run `began` before this call, by time.monotonic(), its time counts from then. `expecting` is
    told, after a trial of a moment and before the work, what it will take (see `preflight`).
    """
    check_limits(jobs, time_limit, memory_limit)
    if max_networks < 1:
        raise SettingsError(f"max_networks is {max_networks}; it must be at least 1")
    started = time.monotonic() if began is None else began
    dataset = data if isinstance(data, BinaryDataset) else read(data)
    if dataset.record_count == 1:
        raise DataError(
            "the table has a single record: to BIC parameters then cost nothing, and every network "
            "is credible. At least 2 records are needed to learn"
        )
    names = dataset.names
    with ExitStack() as stack:
        if progress is None and not quiet:
            progress = stack.enter_context(shown_progress())
        request = _Request(
            dataset,
            bayes_factor if isinstance(bayes_factor, BayesFactor) else BayesFactor(bayes_factor),
            relations_from(relations),
            constraints.constraints(names)
            if isinstance(constraints, Knowledge)
            else constraints or Constraints.none(names),
            Labels.of(labels),
            BoundKind.of(bounds),
            jobs,
            time_limit,
            memory_limit,
            progress,
            started,
            expecting,
        )
        how = method_for(dataset, request.relations, Method.of(method), request.bounds)
        if folder is None:
            return _learned(request, how, None)
        stack.enter_context(used_alone(Path(folder)))
        return _learned_in(Path(folder), request.with_folder(), how, max_networks)


def load(folder: str | Path) -> Learned:
    """Return what a run has written to its folder."""
    files, credible = read_run(Path(folder))
    scores = Path(folder) / SCORES
    return Learned(
        credible=credible,
        table=read_scores(scores) if scores.exists() else None,
        settings=files.best.provenance.settings,
        method=Method.of(str(files.summary.get("method", Method.TABLE))),
        saved=files,
    )


def _learned_in(folder: Path, request: "_Request", how: Method, most: int) -> Learned:
    """Learn in a folder: load what is finished, go on with what is not."""
    if open_run(folder, request.identity(how)) and is_finished(folder):
        earlier = load(folder)
        if earlier.complete and earlier.members_held >= min(earlier.count, most):
            Checkpoint(folder).remove()  # left there, if the run was killed at its very end
            return replace(earlier, data=request.data)
    checkpoint = Checkpoint(folder)
    learned = _learned(request, how, checkpoint).save_alone(
        folder, most_members=most, until=request.end(), tell=request.show_writing
    )
    if learned.complete:
        checkpoint.remove()
    return learned


def _learned(request: "_Request", how: Method, checkpoint: Checkpoint | None) -> Learned:
    _look_ahead(request, how, folder=checkpoint is not None)
    by = _by_table if how is Method.TABLE else _by_price
    return by(request, checkpoint)


def _look_ahead(request: "_Request", how: Method, *, folder: bool) -> None:
    """Refuse a table that the memory cannot hold, after a trial, before hours of work.

    And tell what is expected, if somebody asked to be told.
    """
    many = how is Method.TABLE and request.data.variable_count > FEW_VARIABLES
    if not many and request.expecting is None:
        return
    expected = estimate(
        request.data,
        request.factor,
        relations=request.relations,
        constraints=request.constraints,
        method=how,
        jobs=request.jobs,
        memory_limit=request.memory_limit,
        folder=folder,
        pilot_seconds=brief_trial(request.time_limit, _TRIAL if many else BRIEF_TRIAL),
    )
    if many:
        refuse_if_too_large(expected, request.memory_limit)
    if request.expecting is not None:
        request.expecting(expected)


@dataclass(frozen=True, slots=True)
class _Request:
    """What learn was asked for."""

    data: BinaryDataset
    factor: BayesFactor
    relations: tuple[Relation, ...]
    constraints: Constraints
    labels: Labels
    bounds: BoundKind
    jobs: int | None
    time_limit: float | None
    memory_limit: int | None
    progress: Callable[[LearnProgress], None] | None
    started: float
    expecting: Callable[[Estimate], None] | None
    loaded: float = field(default_factory=time.monotonic)
    reserved: float = 0.0  # seconds of the time limit that are kept for writing

    def with_folder(self) -> "_Request":
        """Return a request that keeps time for writing a folder."""
        limit = 0.0 if self.time_limit is None else self.time_limit
        return replace(self, reserved=min(_WRITING_SHARE * limit, _MOST_WRITING))

    def time_left(self) -> float | None:
        """Return the seconds that are left to learn in; a moment, if there are none."""
        if self.time_limit is None:
            return None
        return max(_MOMENT, self.time_limit - self.reserved - self.seconds())

    def end(self) -> float | None:
        """Return when the time is up, by time.monotonic()."""
        return None if self.time_limit is None else self.started + self.time_limit

    def seconds(self) -> float:
        """Return the seconds that have passed."""
        return time.monotonic() - self.started

    def times(self, steps: dict[str, float]) -> dict[str, float]:
        """Return the seconds of all steps, that of reading the table and the total included."""
        return {"load": self.loaded - self.started, **steps, "total": self.seconds()}

    def settings(self, method: Method) -> tuple[tuple[str, str], ...]:
        """Return what was asked for, as a result records it."""
        return (
            ("bayes_factor", repr(self.factor.value)),
            ("relations", ",".join(relation.name for relation in self.relations)),
            ("labels", str(self.labels)),
            ("method", str(method)),
            ("constraints", "none" if self.constraints.is_trivial else "some"),
        )

    def identity(self, method: Method) -> dict[str, object]:
        """Return what a folder's run must agree in."""
        return {
            "data": self.data.fingerprint(),
            "bayes_factor": self.factor.value,
            "relations": [relation.name for relation in self.relations],
            "labels": str(self.labels),
            "method": str(method),
            "constraints": constraints_to_json(self.constraints),
        }

    def source(self, checkpoint: Checkpoint | None = None) -> RecordSource:
        """Return the records as a source of families."""
        return RecordSource(
            self.data,
            self.factor,
            relations=self.relations,
            constraints=self.constraints,
            jobs=self.jobs,
            finished=None if checkpoint is None else checkpoint.finished(),
            keep=None if checkpoint is None else checkpoint.keep_child,
        )

    def show_writing(self, what: str) -> None:
        """Pass on what is being written."""
        if self.progress is not None:
            self.progress(LearnProgress("writing", what, None, None, self.seconds()))

    def show_scoring(self, now: ScoringProgress) -> None:
        """Pass the progress of scoring on."""
        if self.progress is not None:
            detail = f"{now.children_done} of {now.children} children"
            self.progress(
                LearnProgress("scoring", detail, None, None, self.seconds(), now.share_done)
            )

    def show_search(self, now: SearchProgress) -> None:
        """Pass the progress of the search on."""
        if self.progress is not None:
            self.progress(
                LearnProgress(
                    now.step, now.detail, now.lower_bound, now.upper_bound, self.seconds()
                )
            )


def method_for(
    data: BinaryDataset, relations: tuple[Relation, ...], asked: Method, bounds: BoundKind
) -> Method:
    """Return the method to use; without a linear program there are no prices."""
    if bounds is BoundKind.NONE:
        if asked is Method.PRICE:
            raise SettingsError(
                "method is 'price', whose prices come from bounds; bounds is 'none'"
            )
        return Method.TABLE
    if asked is not Method.AUTO:
        return asked
    few = data.variable_count <= FEW_VARIABLES or relations == (CPT,)
    return Method.TABLE if few else Method.PRICE


def _by_table(request: _Request, checkpoint: Checkpoint | None) -> Learned:
    """Score, then search."""
    scored = score(
        request.data,
        request.factor,
        relations=request.relations,
        constraints=request.constraints,
        jobs=request.jobs,
        time_limit=request.time_left(),
        finished=None if checkpoint is None else checkpoint.finished(),
        keep=None if checkpoint is None else checkpoint.keep_child,
        progress=request.show_scoring,
    )
    table, unknown = scored.table, 0.0
    if len(scored.children) < request.data.variable_count:
        table, unknown = _filled(scored, request)
    found = search(
        table,
        request.factor,
        labels=request.labels,
        bounds=request.bounds,
        jobs=request.jobs,
        time_limit=request.time_left(),
        memory_limit=request.memory_limit,
        progress=request.show_search,
    )
    credible = found.credible
    if unknown:
        credible = replace(credible, lower_bound=credible.lower_bound - unknown)
    return Learned(
        credible=credible,
        settings=request.settings(Method.TABLE),
        method=Method.TABLE,
        data=request.data,
        table=scored.table,
        seconds=request.times({"scoring": scored.seconds, **found.statistics.seconds}),
        search=found.statistics,
        scoring=scored.statistics,
    )


def _filled(scored: Scored, request: _Request) -> tuple[ScoreTable, float]:
    """Return the table with one family of each child that was not scored, the smallest.

    And by how much the optimum may be below that of the filled table: another family of such a
    child may be cheaper, and has no fewer parents, so it does not make the others' choice freer.
    """
    source = request.source()
    smallest = source.seed(lambda: True).table
    lacking = np.setdiff1d(np.arange(request.data.variable_count), list(scored.children))
    fewest = smallest.parent_counts() == [
        request.constraints.required[child].bit_count() for child in smallest.children.tolist()
    ]
    rows = np.flatnonzero(fewest & np.isin(smallest.children, lacking))
    unknown = math.fsum(smallest.costs[rows] - source.least_costs()[lacking])
    return scored.table.joined(smallest.select(rows)), unknown


def _by_price(request: _Request, checkpoint: Checkpoint | None) -> Learned:
    """Score what the search asks for."""
    records = request.source(checkpoint)
    source: FamilySource = records if checkpoint is None else KeptSource(records, checkpoint)
    found = search_by_price(
        source,
        request.factor,
        labels=request.labels,
        jobs=request.jobs,
        time_limit=request.time_left(),
        memory_limit=request.memory_limit,
        progress=request.show_search,
    )
    # Families that no price allowed are not there: the table promises nothing by itself.
    table = replace(found.table, scope=replace(found.table.scope, bayes_factor=None))
    return Learned(
        credible=found.credible,
        settings=request.settings(Method.PRICE),
        method=Method.PRICE,
        data=request.data,
        table=table,
        seconds=request.times(_together(found)),
        search=found.statistics,
        pricing=found.pricing,
        source=records.statistics,
    )


def _together(found: SearchedByPrice) -> dict[str, float]:
    """Return the seconds of the steps; both parts have bounds."""
    seconds = dict(found.pricing.seconds)
    if found.statistics is not None:
        for step, more in found.statistics.seconds.items():
            seconds[step] = seconds.get(step, 0.0) + more
    return seconds
