"""From a request to every credible network: the order of the steps.

The paper's four steps are to score every candidate family as a full table and as a noisy-OR, to
prune safely, to merge the two, and to search for all networks within the Bayes factor. By table,
the first three are `score` and the last is `search`; by price, the search asks for families, and
all four take turns in one loop.
"""

import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from noisyor.anytime import Anytime
from noisyor.core import DataError, FormatError
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import errors_at
from noisyor.core.progress import Progress
from noisyor.core.request import Limits, Request
from noisyor.formats import read_scores
from noisyor.formats.json_place import JsonPlace
from noisyor.runs.checkpoint import Checkpoint
from noisyor.runs.folder import (
    SCORES,
    SUMMARY,
    is_finished,
    open_run,
    read_run,
    used_alone,
)
from noisyor.runs.learned import Learned, Method
from noisyor.runs.missing_summary import columns_left_out_in, missing_in
from noisyor.runs.plan import (
    FEW_VARIABLES,
    MANY_VARIABLES,
    Plan,
    Remaining,
    method_for,
    run_identity,
    run_settings,
)
from noisyor.runs.preflight import (
    BRIEF_TRIAL,
    brief_trial,
    estimate,
    refuse_if_too_large,
    refuse_without_room,
)
from noisyor.runs.progress import shown_progress
from noisyor.runs.work import TableWork
from noisyor.scoring import Scored, score_request
from noisyor.search import search

_LEAST_SECONDS = 1e-3  # for a step that begins after its time is up
_TRIAL = 2.0  # seconds, before a large table
_TRIED_CELLS = 1 << 20  # of the distinct records, for each second of a time limit
_TRIED_PAIRS = 1 << 17  # of variables, likewise
_WRITING = 1.0  # second to keep for writing a folder,
_WRITING_EACH = 0.006  # and for each variable,
_WRITING_CELL = 5e-8  # and for each variable of each distinct record,
_WRITING_SHARE = 0.4  # but no larger part of a time limit than this
_LEARNING_SHARE = 0.5  # of the time for learning and a further step
_UNSCORED_SHARE = 0.4  # of a time limit, for a network if scoring has not finished by then,
_MOST_UNSCORED = 30.0  # seconds, at most


def limited_if_endless(request: Request, plan: Plan) -> tuple[Request, Plan]:
    """Return a run that ends: one of too many variables for a proof gets the plan's patience."""
    if method_for(request, plan) is not Method.LAYERS:
        return request, plan
    variables = request.data.variable_count
    if variables > MANY_VARIABLES:
        return _limited(request, plan, f"{variables} variables are too many to expect a proof soon")
    return _limited(request, plan, "learning by layers may go on for very long")


def limited_if_long(request: Request, plan: Plan) -> tuple[Request, Plan]:
    """Return a run that ends, also by a short trial; the plan's patience is then used up.

    For steps before the learning, which must know the limit: they are part of the run.
    """
    request, plan = limited_if_endless(request, plan)
    if method_for(request, plan) is Method.PRICE and plan.patience is not None:
        tried = _Run(request, replace(plan, expecting=None), Method.PRICE)
        run = _estimate_first(tried, folder=plan.folder is not None)
        request, plan = run.request, replace(run.plan, expecting=plan.expecting)
    return request, replace(plan, patience=None)


def _limited(request: Request, plan: Plan, why: str) -> tuple[Request, Plan]:
    """Return a run without a time limit with that of the plan's patience, and a note of it."""
    if request.limits.seconds is not None or plan.patience is None:
        return request, plan
    note = (
        f"{why}, so the run was given {plan.patience:g} s; "
        f"time_limit={plan.patience * 5:g} gives more, and time_limit=inf any time"
    )
    limited = replace(request, limits=replace(request.limits, seconds=plan.patience))
    return limited, replace(plan, notes=(*plan.notes, note))


def learn_request(request: Request, plan: Plan) -> Learned:
    """Carry out a request."""
    _check(request, plan)
    request, plan = limited_if_endless(request, plan)
    with ExitStack() as stack:
        if plan.progress is None and not plan.quiet:
            plan = replace(plan, progress=stack.enter_context(shown_progress()))
        if plan.folder is not None:
            stack.enter_context(used_alone(plan.folder))
        return learn_alone(request, plan)


def learn_alone(request: Request, plan: Plan) -> Learned:
    """Like `learn_request`, but the caller already holds the folder lock and shows the progress."""
    _check(request, plan)
    method = method_for(request, plan)
    if plan.folder is None:
        run = _estimate_first(_Run(request, plan, method), folder=False)
        return run.went_further(_learned(run, None))
    return _learned_in(plan.folder, _Run.with_folder(request, plan, method))


def _check(request: Request, plan: Plan) -> None:
    """Refuse what cannot be learned, before a folder is made."""
    if request.data.record_count == 1:
        raise DataError(
            "the table has a single record: parameters then cost nothing, and every network is "
            "credible. At least 2 records are needed to learn"
        )
    method_for(request, plan)


@checked_arguments
def load(folder: str | Path) -> Learned:
    """Return the result that a run has written to its folder.

    Parameters
    ----------
    folder
        The folder of a finished run, or of `Learned.save`.

    """
    files, credible = read_run(Path(folder))
    scores = Path(folder) / SCORES
    missing = files.summary.get("missing")
    with errors_at(Path(folder) / SUMMARY, raised=FormatError):
        done = None if missing is None else missing_in(JsonPlace(missing, "missing"))
        left_out = columns_left_out_in(files.summary.get("columns_left_out"))
    return Learned(
        credible=credible,
        table=read_scores(scores) if scores.exists() else None,
        settings=files.best.provenance.settings,
        method=Method.of(str(files.summary.get("method", Method.TABLE))),
        saved=files,
        binning=files.binning,
        missing=done,
        columns_left_out=left_out,
        bootstrap=files.bootstrap,
    )


def _learned_in(folder: Path, run: "_Run") -> Learned:
    """Learn in a folder: load a complete run, resume any other."""
    most = run.plan.max_networks
    if open_run(folder, run.identity()) and is_finished(folder):
        earlier = load(folder)
        further = run.plan.further
        whole = earlier.complete and earlier.members_held >= min(earlier.count, most)
        if whole and (further is None or further.is_done(earlier)):
            Checkpoint(folder).remove()  # it is left over if the run was killed at its very end
            return replace(earlier, data=run.request.data)
    checkpoint = Checkpoint(folder)
    run = _estimate_first(run, folder=True)
    learned = run.went_further(_learned(run, checkpoint)).save_alone(
        folder, most_members=most, until=run.end(), tell=run.show_writing
    )
    if learned.complete:
        checkpoint.remove()
    return learned


def _learned(run: "_Run", checkpoint: Checkpoint | None) -> Learned:
    plan = run.plan
    by = _by_table if run.method is Method.TABLE else _anytime
    learned = by(run, checkpoint).with_columns_left_out(plan.columns_left_out)
    learned = replace(learned, binning=plan.binning)
    if plan.notes and not learned.complete:
        learned = learned.with_notes(plan.notes)
    return learned if plan.missing is None else learned.with_missing(plan.missing(learned.best))


def _estimate_first(run: "_Run", *, folder: bool) -> "_Run":
    """Refuse a table that does not fit into memory, after a trial and before hours of work.

    The plan's `expecting` gets the estimate, if it is set. Return the run, with a time limit if it
    has none and is not expected to end within the plan's patience; a further step and the writing
    share that limit.
    """
    request, plan = run.request, run.plan
    if not run.has_time_for_trial():
        return run
    many = run.method is Method.TABLE and request.data.variable_count > FEW_VARIABLES
    patience = plan.patience if request.limits.seconds is None else None
    doubtful = run.method is Method.PRICE and patience is not None
    if not (many or doubtful) and plan.expecting is None:
        return run
    run.show(Progress("estimating", "memory and time, by a short trial"))
    expected = estimate(
        request,
        method=run.method,
        folder=folder,
        pilot_seconds=brief_trial(request.limits.seconds, _TRIAL if many else BRIEF_TRIAL),
    )
    if many:
        refuse_if_too_large(expected, request.limits.memory)  # it says what helps
    refuse_without_room(expected)
    if plan.expecting is not None:
        plan.expecting(expected)
    least = expected.total_seconds.least
    if run.method is not Method.PRICE or patience is None or least <= patience:
        return run
    why = f"{least / 60:.0f} minutes or more are too long to expect a proof soon"
    request, plan = _limited(request, plan, why)
    reserved = _reserved(request) if folder else 0.0
    return replace(run, request=request, plan=plan, reserved=reserved)


def _reserved(request: Request) -> float:
    """Return the seconds of the time limit that are kept for writing a folder.

    That is more than writing takes on an idle machine, unless the limit is too short for it.
    """
    variables, records = request.data.variable_count, len(request.data.weights)
    needed = _WRITING + (_WRITING_EACH + _WRITING_CELL * records) * variables
    return min(needed, _WRITING_SHARE * (request.limits.seconds or 0.0))


@dataclass(frozen=True, slots=True)
class _Run:
    """A request being carried out: its method, and its time."""

    request: Request
    plan: Plan
    method: Method
    loaded: float = field(default_factory=time.monotonic)
    reserved: float = 0.0  # seconds of the time limit that are kept for writing

    @classmethod
    def with_folder(cls, request: Request, plan: Plan, method: Method) -> "_Run":
        """Return a run that reserves time for writing a folder."""
        return cls(request, plan, method, reserved=_reserved(request))

    def limits(self, *, spare: bool = False) -> Limits:
        """Return the limits of the next step, with the time that is left to learn in.

        If none is left, the step still gets the least time that is allowed. `spare` leaves some
        for climbers.
        """
        limits = self.request.limits
        if limits.seconds is None:
            return limits
        share = 1.0 if self.plan.further is None else _LEARNING_SHARE
        there = share * (limits.seconds - self.reserved)
        spared = min(_UNSCORED_SHARE * there, _MOST_UNSCORED) if spare else 0.0
        left = there - spared - self.seconds()
        return replace(limits, seconds=max(_LEAST_SECONDS, left))

    def has_time_for_trial(self) -> bool:
        """Return whether a trial takes little of the time limit.

        With very many records, a single child takes longer than a trial is meant to; with very many
        variables, so does the counting of their families.
        """
        limit, data = self.request.limits.seconds, self.request.data
        if limit is None:
            return True
        cells = len(data.weights) * data.variable_count
        return cells <= _TRIED_CELLS * limit and data.variable_count**2 <= _TRIED_PAIRS * limit

    def went_further(self, learned: Learned) -> Learned:
        """Return the result after the further step, if the plan has one."""
        further = self.plan.further
        if further is None:
            return learned
        folder = self.plan.folder
        remaining = Remaining(self.request, self.plan, self._left, folder, self.show)
        return further.carry_out(learned, remaining)

    def _left(self) -> float | None:
        limit = self.request.limits.seconds
        return None if limit is None else limit - self.reserved - self.seconds()

    def end(self) -> float | None:
        """Return when the time is up, by time.monotonic()."""
        limit = self.request.limits.seconds
        return None if limit is None else self.plan.began + limit

    def seconds(self) -> float:
        """Return the seconds that have passed."""
        return time.monotonic() - self.plan.began

    def times(self, steps: dict[str, float]) -> dict[str, float]:
        """Return the seconds of all steps, with those of reading the table and the total."""
        return {"load": self.loaded - self.plan.began, **steps, "total": self.seconds()}

    def settings(self) -> tuple[tuple[str, str], ...]:
        """Return the settings as a result records them."""
        return run_settings(self.request, self.plan, self.method)

    def identity(self) -> dict[str, object]:
        """Return the data and settings that a resumed run must share."""
        return run_identity(self.request, self.plan)

    def show(self, now: Progress) -> None:
        """Pass on the progress of a step, with the time since the run began."""
        if self.plan.progress is not None:
            self.plan.progress(replace(now, seconds=self.seconds()))

    def show_writing(self, what: str) -> None:
        """Pass on what is being written."""
        self.show(Progress("writing", what))


def _by_table(run: _Run, checkpoint: Checkpoint | None) -> Learned:
    """Score, then search; without time to score every child, climb instead."""
    request, plan = run.request, run.plan
    scored = score_request(
        replace(request, limits=run.limits(spare=True)),
        finished=None if checkpoint is None else checkpoint.finished(),
        keep=None if checkpoint is None else checkpoint.keep_child,
        begun=checkpoint,
        progress=run.show,
    )
    if len(scored.children) < request.data.variable_count:
        return _climbed(run, scored)
    limits = run.limits()
    found = search(
        scored.table,
        request.factor,
        labels=plan.labels,
        bounds=plan.bounds,
        jobs=limits.jobs,
        time_limit=limits.seconds,
        memory_limit=limits.memory,
        progress=run.show,
    )
    return Learned(
        credible=found.credible,
        settings=run.settings(),
        method=Method.TABLE,
        data=request.data,
        table=scored.table,
        seconds=run.times({"scoring": scored.seconds, **found.statistics.seconds}),
        work=TableWork(scored.statistics, found.statistics),
    )


def _climbed(run: _Run, scored: Scored) -> Learned:
    """Return what climbers find where some children are not scored.

    A table that lacks children has no network in which these have parents. Which ones it lacks
    depends on their places in the table, which must not decide what is found.
    """
    request = run.request
    work = Anytime(request, run.plan.labels, run.limits().seconds, run.show, None)
    found = work.by_climbing(
        {
            child: float((own.columns.costs - own.columns.gaps).min())
            for child, own in scored.children.items()
        }
    )
    missing = scored.table.scope.shortfalls
    return Learned(
        credible=replace(found.credible, shortfalls=(*missing, *found.credible.shortfalls)),
        settings=run.settings(),
        method=Method.TABLE,
        data=request.data,
        table=scored.table,
        seconds=run.times({"scoring": scored.seconds, **found.seconds}),
        work=found.work,
        interrupted=found.interrupted,
    )


def _anytime(run: _Run, checkpoint: Checkpoint | None) -> Learned:
    """Climb, and score what the search asks for: all at once, or layer by layer."""
    request = run.request
    work = Anytime(request, run.plan.labels, run.limits().seconds, run.show, checkpoint)
    found = work.by_layers() if run.method is Method.LAYERS else work.all_at_once()
    # Families that no price allowed are missing, so the table alone is good for no Bayes factor.
    table = replace(found.table, scope=replace(found.table.scope, bayes_factor=None))
    return Learned(
        credible=found.credible,
        settings=run.settings(),
        method=run.method,
        data=request.data,
        table=table,
        seconds=run.times(found.seconds),
        work=found.work,
        interrupted=found.interrupted,
    )
