"""Learning from records with gaps: structural EM, then the credible set of its best step."""

import time
from contextlib import ExitStack
from dataclasses import asdict, replace

import numpy as np

from noisyor.core import DataError, Dataset, Network, SettingsError
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.core.warning import warn_user
from noisyor.data.warning import DataWarning
from noisyor.files.whole import remove_files
from noisyor.incomplete.completing import column_network, complete, observed_log_likelihood
from noisyor.incomplete.options import Em
from noisyor.incomplete.starts import start_kinds
from noisyor.incomplete.structural_em import INTERRUPTED, StructuralEm
from noisyor.incomplete.trail import Trail, read_trails, write_trails
from noisyor.pipeline import learn_alone, limited_if_long
from noisyor.runs.checkpoint import Checkpoint
from noisyor.runs.folder import SUMMARY, open_run, used_alone
from noisyor.runs.learned import Learned
from noisyor.runs.missing_cells import EmRecord, EmStart, MissingCells
from noisyor.runs.plan import Plan, run_identity
from noisyor.runs.progress import shown_progress

_EM_SHARE = 0.5  # of a time limit; the rest is for the credible set
_MOST_PAIRS = 3  # named in a warning


def usable_records(data: IncompleteDataset) -> IncompleteDataset:
    """Return the records that have a value; warn of others, and of pairs that are never together.

    A record without any value says nothing about the variables, but would count in the penalty.
    """
    empty = np.asarray(data.gaps.all(axis=1))
    if empty.all():
        raise DataError("no record has a value; at least one is needed")
    if empty.any():
        count = int(data.weights[empty].sum())
        has, are = ("has", "is") if count == 1 else ("have", "are")
        warn_user(
            f"{count} of {data.record_count} records {has} no value at all and {are} left out",
            DataWarning,
        )
        data = replace(data, codes=data.codes[~empty], weights=data.weights[~empty])
    apart = data.never_together()
    if apart:
        named = ", ".join(f"{one!r} and {other!r}" for one, other in apart[:_MOST_PAIRS])
        more = f", and {len(apart) - _MOST_PAIRS} more pairs" if len(apart) > _MOST_PAIRS else ""
        warn_user(
            f"no record has both {named}{more}; nothing in the table says how they go together "
            "except through other columns, so what EM finds between them rests on its start",
            DataWarning,
        )
    return data


def first_completion(data: IncompleteDataset, em: Em) -> Dataset:
    """Return one table of completions, for a request to begin with."""
    network = column_network(data)
    return complete(network, data, copies=em.completions, seed=(em.seed,), jobs=1).data


def learn_incomplete(data: IncompleteDataset, request: Request, plan: Plan, em: Em) -> Learned:
    """Learn from records with gaps by structural EM.

    The result is the credible set of the completions of the best start's chosen step (see `Trail`),
    labelled as approximate. In a folder, a run that was killed resumes after its last finished
    step, with the same result.

    Parameters
    ----------
    data
        The records that `usable_records` has returned.
    request
        What is to be learned, with any completion of the records.
    plan
        How each step is learned, and where the result goes.
    em
        The options of EM.

    """
    if request.score.dirichlet is not None:  # also for a single completion
        raise SettingsError(
            f"the score {request.score} is a marginal likelihood, by which the starts of EM cannot "
            "be compared; allowed: bic, aic, ebic, qnml"
        )
    said = {"data": data.fingerprint(), "missing": {"policy": "em", **asdict(em)}}
    plan = replace(plan, identity=said)
    with ExitStack() as stack:
        if plan.progress is None and not plan.quiet:
            plan = replace(plan, progress=stack.enter_context(shown_progress()))
        request, plan = limited_if_long(request, plan)
        run = _Run(data, request, plan, em)
        if plan.folder is None:
            trails = run.em.run([])
        else:
            stack.enter_context(used_alone(plan.folder))
            open_run(plan.folder, run_identity(request, plan))
            kinds = start_kinds(data, em.starts)
            trails = run.em.run(read_trails(plan.folder, kinds, data.variables))
        best = min(range(len(trails)), key=lambda at: trails[at].observed_cost)
        table = run.em.table_of(trails[best], best, trails[best].chosen).data

        def record(network: Network) -> MissingCells:
            likelihood = observed_log_likelihood(network, data, jobs=request.limits.jobs)
            own = EmRecord(
                em.completions,
                em.seed,
                _starts(trails, best),
                best,
                likelihood,
                asked=em.starts,
                stopped=run.em.stopped,
            )
            return MissingCells("em", data.missing_cells, data.incomplete_count, em=own)

        learned = learn_alone(replace(request, data=table), replace(plan, missing=record))
        stopped = learned.interrupted or run.em.stopped == INTERRUPTED
        return replace(learned, interrupted=stopped)


class _Run:
    """Structural EM as one run carries it out."""

    def __init__(self, data: IncompleteDataset, request: Request, plan: Plan, em: Em) -> None:
        limit = request.limits.seconds
        self._plan = plan
        self.em = StructuralEm(
            data,
            request,
            plan,
            em,
            until=None if limit is None else plan.began + _EM_SHARE * limit,
            keep=self._keep,
            show=self._show,
        )

    def _keep(self, trails: list[Trail]) -> None:
        """Write the steps so far; what was learned from earlier completions is void."""
        folder = self._plan.folder
        if folder is None:
            return
        remove_files([folder / SUMMARY])
        if (folder / "checkpoint").exists():
            Checkpoint(folder).remove()
        write_trails(folder, [trail for trail in trails if trail.steps])

    def _show(self, now: Progress) -> None:
        if self._plan.progress is not None:
            seconds = time.monotonic() - self._plan.began
            self._plan.progress(replace(now, seconds=seconds))


def _starts(trails: list[Trail], best: int) -> tuple[EmStart, ...]:
    wanted = _arcs(trails[best].network)
    return tuple(
        EmStart(
            str(trail.kind),
            tuple(trail.steps),
            trail.settled,
            trail.ended,
            trail.chosen,
            len(_arcs(trail.network) ^ wanted),
        )
        for trail in trails
    )


def _arcs(network: Network) -> set[tuple[str, str]]:
    return set(network.structure.edges())
