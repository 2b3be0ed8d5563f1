"""`calibrate` and `compare_scores`: whatever `read` takes in, in one call."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from noisyor.core import (
    BIC,
    BayesFactor,
    Constraints,
    Dataset,
    Knowledge,
    Network,
    Prior,
    Score,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import SettingsError
from noisyor.core.progress import Progress
from noisyor.core.relations import RelationChoice, relations_from
from noisyor.core.request import DEFAULT_BAYES_FACTOR, Request
from noisyor.core.score import SCORES, score_named
from noisyor.data.binned_tables import BinsOption, asked_bins
from noisyor.data.constants import without_constants
from noisyor.data.missing import MissingPolicy, refuse_em
from noisyor.data.reading import ReadOptions, read_with_bins
from noisyor.data.wishes import Wishes
from noisyor.resampling.calibration import RESAMPLES, Calibration, calibrate_request
from noisyor.resampling.comparison import (
    FOLDS,
    TABLE_PRIOR,
    Candidate,
    Prediction,
    ScoreComparison,
    compare_requests,
)
from noisyor.runs.plan import Plan
from noisyor.runs.progress import shown_progress

COMPARED: dict[str, str] = {
    "full tables": "cpt",
    "full tables and noisy-OR": "paper",
    "full tables and leaky noisy-OR": "default",
    "all relations": "all",
}
"""The sets of relations that are compared by default: what they are called, and their groups."""


@checked_arguments
def calibrate(  # noqa: PLR0913  (each option is one that a user names)
    data: object,
    bayes_factor: float | BayesFactor = DEFAULT_BAYES_FACTOR,
    *,
    score: str | Score = BIC,
    relations: RelationChoice | None = None,
    constraints: Constraints | Knowledge | None = None,
    prior: Prior | None = None,
    order: Mapping[str, Sequence[str]] | Network | None = None,
    bins: BinsOption = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    keep_constants: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    quiet: bool = False,
) -> Calibration:
    """Find the temperature at which the weights of a table's credible set can be believed.

    The weights at a temperature predict the arcs of the best networks of resampled tables; that of
    the least log loss is returned, with the result at it. `learn(data, temperature=...)` uses it.

    Parameters
    ----------
    data
        A `Dataset`, or whatever `noisyor.read` takes.
    bayes_factor, score, relations, constraints, prior
        As for `learn`.
    order, bins
        As for `learn`; not for a `Dataset`.
    missing
        What to do about missing cells: `"error"` refuses them, `"drop"` leaves out records that
        have some, and `"state"` makes absence a state.
    keep_constants
        As for `learn`.
    resamples
        The number of resampled tables.
    seed
        Their seed.
    jobs
        The number of threads; all cores by default.
    time_limit
        Seconds for everything together; the result says what it leaves open.
    progress, quiet
        As for `learn`.

    """
    began = time.monotonic()
    read = _records(data, order, bins, MissingPolicy.of(missing))
    records = without_constants(read, constraints, prior, keep_constants=keep_constants)
    request = Request.of(
        records,
        bayes_factor,
        score=score,
        relations=relations,
        constraints=constraints,
        prior=prior,
        jobs=jobs,
        time_limit=time_limit,
    )
    plan = Plan(
        progress=progress,
        quiet=quiet,
        began=began,
        columns_left_out=records.columns_left_out,
    )
    with shown(plan) as plan:
        return calibrate_request(request, plan, resamples=resamples, seed=seed)


@checked_arguments
def compare_scores(  # noqa: PLR0913  (each option is one that a user names)
    data: object,
    bayes_factor: float | BayesFactor = DEFAULT_BAYES_FACTOR,
    *,
    scores: Sequence[str | Score] = tuple(SCORES),
    relations: Mapping[str, RelationChoice] | Sequence[str] = COMPARED,
    constraints: Constraints | Knowledge | None = None,
    prior: Prior | None = None,
    order: Mapping[str, Sequence[str]] | Network | None = None,
    bins: BinsOption = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    keep_constants: bool = False,
    folds: int = FOLDS,
    seed: int = 0,
    table_prior: float = TABLE_PRIOR,
    jobs: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    quiet: bool = False,
) -> ScoreComparison:
    """Compare how well scores and relations predict held-out records of a table.

    Parameters
    ----------
    data
        A `Dataset`, or whatever `noisyor.read` takes.
    bayes_factor, constraints, prior
        As for `learn`; the credible sets are averaged.
    scores
        The scores; all by default. One that is not defined for some relations is left out there.
    relations
        The sets of relations by name, or names of groups and relations. Others are compared with
        the first.
    order, bins
        As for `learn`; not for a `Dataset`.
    missing
        What to do about missing cells: `"error"` refuses them, `"drop"` leaves out records that
        have some, and `"state"` makes absence a state.
    keep_constants
        As for `learn`.
    folds
        The number of folds of the cross-validation.
    seed
        The seed of the folds.
    table_prior
        Records of each state that are added to every configuration of a full table to predict.
    jobs
        The number of threads; all cores by default.
    time_limit
        Seconds for everything together; the folds that were done by then are compared.
    progress, quiet
        As for `learn`.

    """
    began = time.monotonic()
    read = _records(data, order, bins, MissingPolicy.of(missing))
    records = without_constants(read, constraints, prior, keep_constants=keep_constants)
    requests = requests_of(
        candidates(scores, relations),
        records,
        bayes_factor,
        constraints=constraints,
        prior=prior,
        jobs=jobs,
        time_limit=time_limit,
    )
    how = Prediction(table_prior)
    with shown(Plan(progress=progress, quiet=quiet, began=began)) as plan:
        return compare_requests(requests, plan, count=folds, seed=seed, how=how)


def candidates(
    scores: Sequence[str | Score], relations: Mapping[str, RelationChoice] | Sequence[str]
) -> list[Candidate]:
    """Return every set of relations with every score that is defined for it."""
    if not isinstance(relations, Mapping):
        known = {group: name for name, group in COMPARED.items()}
        relations = {known.get(one, one): one.split("+") for one in relations}
    sets = {name: relations_from(choice) for name, choice in relations.items()}
    found = [
        Candidate(name, own, score)
        for score in dict.fromkeys(score_named(one) for one in scores)
        for name, own in sets.items()
        if all(score.is_defined_for(relation) for relation in own)
    ]
    if len(found) < 2:  # noqa: PLR2004
        raise SettingsError(
            "there is nothing to compare: name at least two scores or sets of relations that the "
            "scores are defined for"
        )
    return found


def requests_of(  # noqa: PLR0913  (what all candidates share, by name)
    chosen: Sequence[Candidate],
    records: Dataset,
    bayes_factor: float | BayesFactor,
    *,
    constraints: Constraints | Knowledge | None,
    prior: Prior | None,
    jobs: int | None,
    time_limit: float | None,
) -> list[tuple[Candidate, Request]]:
    """Return the candidates, each with its request for the same records."""
    return [
        (
            one,
            Request.of(
                records,
                bayes_factor,
                score=one.score,
                relations=one.relations,
                constraints=constraints,
                prior=prior,
                jobs=jobs,
                time_limit=time_limit,
            ),
        )
        for one in chosen
    ]


def _records(
    data: object,
    order: Mapping[str, Sequence[str]] | Network | None,
    bins: BinsOption,
    missing: MissingPolicy,
) -> Dataset:
    """Return the records of a table, which must be complete."""
    refuse_em(missing)
    if not isinstance(data, Dataset):
        options = ReadOptions(wishes=Wishes.of(None, order), bins=asked_bins(bins), missing=missing)
        return read_with_bins(data, options)[0]
    if order is not None or bins is not None:
        raise SettingsError("order and bins are for tables that are read; a Dataset has states")
    return data


@contextmanager
def shown(plan: Plan) -> Iterator[Plan]:
    """Yield the plan, with progress on the terminal unless another or none is wanted."""
    if plan.progress is not None or plan.quiet:
        yield plan
    else:
        with shown_progress() as show:
            yield replace(plan, progress=show)
