"""How each relation is fitted and searched: the registry that a new relation must enter."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from noisyor.core import (
    BIC,
    CPT,
    Dataset,
    Distribution,
    Family,
    FitCertificate,
    Prior,
    Relation,
    Score,
    SettingsError,
)
from noisyor.core.penalty import FamilyPenalty
from noisyor.core.relations import CAUSE_RELATIONS, Acting, Effect, registered
from noisyor.core.score import check_score, score_named
from noisyor.fitting.causes import fit_causes
from noisyor.fitting.cpt import fit_cpt, fit_marginal
from noisyor.fitting.expert_prior import (
    PriorFit,
    PriorRecords,
    fit_causes_with_prior,
    fit_table_with_prior,
)
from noisyor.fitting.fitted_family import FittedFamily
from noisyor.fitting.fitters import Fitter, FitterSettings, settings_of
from noisyor.fitting.likelihood_fit import LikelihoodFit, per_record

if TYPE_CHECKING:
    from types import ModuleType

    from noisyor._kernels import kernels

RelationFit = Callable[[Dataset, Family, FitterSettings], LikelihoodFit]
"""Fits a family of the relation to records: its parameters and bounds on -ln L."""

_fits: dict[Relation, RelationFit] = {
    CPT: lambda data, family, _settings: fit_cpt(data, family),
    **dict.fromkeys(CAUSE_RELATIONS, fit_causes),
}

_prior_fits: dict[Relation, PriorFit] = {
    CPT: fit_table_with_prior,
    **dict.fromkeys(CAUSE_RELATIONS, fit_causes_with_prior),
}

_MOST_REMEMBERED = 2**12  # fits of a table of records
_MOST_PARENTS_REMEMBERED = 8  # of each: large tables would fill the memory

_remembered: WeakKeyDictionary[
    Dataset, dict[tuple[Family, FitterSettings, RelationFit], LikelihoodFit]
] = WeakKeyDictionary()

KernelSearch = Callable[
    ["ModuleType", Relation, "kernels.Penalty", Sequence[Relation], Score], "kernels.RelationSpec"
]
"""Takes a kernel build, a relation, its penalty, the relations that compete, and the score; returns
how that build searches the relation's families."""


def narrower_of(relation: Relation, competing: Iterable[Relation]) -> Relation | None:
    """Return the relation whose families are also families of this one, at the same penalty.

    A family of the wider relation that costs no less than its twin, the family of the narrower one
    over the same parents, is the twin.
    """
    model = relation.causes
    if model is None:
        return None
    usual = replace(model, acting=Acting.PRESENT)
    return next((one for one in competing if one.causes == usual and model != usual), None)


def _full_table(
    build: "ModuleType",
    relation: Relation,
    penalty: "kernels.Penalty",
    _competing: Sequence[Relation],
    score: Score,
) -> "kernels.RelationSpec":
    rows = score.dirichlet
    prior = None
    if rows is not None:
        prior = build.DirichletPrior(rows.size, build.DividedBy[rows.divided_by.name])
    spec: kernels.RelationSpec = build.RelationSpec.full_table(relation.code, penalty, prior)
    return spec


def _causes(
    build: "ModuleType",
    relation: Relation,
    penalty: "kernels.Penalty",
    competing: Sequence[Relation],
    _score: Score,
) -> "kernels.RelationSpec":
    model = relation.causes
    if model is None:
        raise TypeError(f"{relation} has no causes")
    narrower = narrower_of(relation, competing)
    spec: kernels.RelationSpec = build.RelationSpec.causes(
        relation.code,
        penalty,
        least_parents=relation.least_parents,
        leak=model.leak,
        minimum=model.effect is Effect.MIN,
        any_state=model.acting is Acting.ANY,
        narrower=None if narrower is None else narrower.code,
    )
    return spec


_kernel_searches: dict[Relation, KernelSearch] = {
    CPT: _full_table,
    **dict.fromkeys(CAUSE_RELATIONS, _causes),
}


def kernel_search(relation: Relation) -> KernelSearch | None:
    """Return the kernel's own search for a relation; None if it has only a fit."""
    return _kernel_searches.get(relation)


@contextmanager
def fitted_by(relation: Relation, fit: RelationFit) -> Iterator[Relation]:
    """Register a relation with its fit, for as long as the context lasts.

    It can be learned, saved and queried like any other. Nothing is known about its likelihood, so
    only the pruning rules that hold for every relation apply to it.
    """
    with registered(relation):
        _fits[relation] = fit
        try:
            yield relation
        finally:
            del _fits[relation]


def fit(  # noqa: PLR0913 (one option each, all by name)
    data: Dataset,
    family: Family,
    *,
    score: str | Score = BIC,
    prior: float = 0.0,
    structure_prior: Prior | None = None,
    fitter: Fitter | str = Fitter.NEWTON,
    tolerance: float | None = None,
    threshold: float | None = None,
    max_iterations: int | None = None,
    start: FittedFamily | None = None,
) -> FittedFamily:
    """Fit one family by maximum likelihood, with a certificate of its cost.

    Under a Bayesian-Dirichlet score, the parameters of a full table are the means of the posterior,
    and the cost is that of its marginal likelihood.

    Parameters
    ----------
    data
        The records.
    family
        A child, its parents, and the relation between them.
    score
        The score, or its name, which determines the penalty.
    prior
        The number of records of each state to add to each configuration of a relation in closed
        form. 0 gives the maximum of the likelihood, or the pseudo-counts of the score.
    structure_prior
        How likely arcs and relations are beforehand, which adds to the cost (see `Prior`).
    fitter
        How the likelihood is maximised (see `Fitter`); ignored for a closed form.
    tolerance
        The largest proven gap of a converged fit, in nats.
    threshold
        The fitter's own stopping threshold; only for `gradient` and `em`.
    max_iterations
        The most steps of the fitter.
    start
        A fit of the same child for a warm start; only for `gradient` and `em`.

    Raises
    ------
    SettingsError
        An option is out of range, or a table is too large.
    InfeasibleFitError
        The likelihood is zero whatever the parameters.

    """
    if max(family.child, family.parents.bit_length() - 1) >= data.variable_count:
        raise ValueError(f"{family} has a variable beyond the {data.variable_count} of the table")
    settings = settings_of(
        fitter,
        tolerance=tolerance,
        threshold=threshold,
        max_iterations=max_iterations,
        start=start,
    )
    chosen = score_named(score)
    check_score(chosen, (family.relation,))
    if chosen.dirichlet is not None:
        found = fit_marginal(data, family, chosen.dirichlet, prior)
    elif family.relation.closed_form and prior:
        found = per_record(fit_cpt(data, family, prior * data.copies), data.copies)
    else:
        found = _remembered_fit(data, family, settings)
    penalty = penalty_of(data, family, chosen, structure_prior)
    return FittedFamily(
        family,
        found.distribution,
        FitCertificate(found.upper + penalty, found.lower + penalty),
        converged=found.converged,
        iterations=found.iterations,
    )


def fit_with_prior(
    data: Dataset, family: Family, expert: Distribution, prior: PriorRecords
) -> Distribution:
    """Fit one family to records, starting from a distribution that counts like some of them.

    Parameters
    ----------
    data
        The records.
    family
        A child, its parents, and the relation between them.
    expert
        The family's distribution before the records are seen.
    prior
        The imaginary records behind each of its numbers.

    Raises
    ------
    SettingsError
        The relation has no such fit.
    InfeasibleFitError
        The likelihood is zero whatever the parameters.
    NumericalError
        The optimum could not be proven to the required accuracy.

    """
    if family.relation not in _prior_fits:
        raise SettingsError(
            f"{data.names[family.child]!r} is a {family.relation}, which cannot be fitted with a "
            f"prior; allowed: {', '.join(one.name for one in _prior_fits)}"
        )
    return _prior_fits[family.relation](data, family, expert, prior)


def fit_likelihood(
    data: Dataset, family: Family, settings: FitterSettings | None = None
) -> LikelihoodFit:
    """Fit one family by maximum likelihood, without a penalty."""
    found = _fits[family.relation](data, family, settings or settings_of(Fitter.NEWTON))
    return per_record(found, data.copies)


def _remembered_fit(data: Dataset, family: Family, settings: FitterSettings) -> LikelihoodFit:
    """Return the fit of a family, which the same records are often asked for more than once.

    A network, a set of networks, a report and an explanation share most of their families, and with
    very many records a single fit takes a hundredth of a second.
    """
    remembered = _remembered.setdefault(data, {})
    key = family, settings, _fits[family.relation]
    found = remembered.get(key)
    if found is None:
        found = fit_likelihood(data, family, settings)
        if len(remembered) < _MOST_REMEMBERED and family.parent_count <= _MOST_PARENTS_REMEMBERED:
            remembered[key] = found
    return found


def penalty_of(
    data: Dataset, family: Family, score: Score, structure_prior: Prior | None = None
) -> float:
    """Return what a family costs besides its fit to these records, in nats."""
    return penalties_of(data, family, score, structure_prior).of(family.parents)


def penalties_of(
    data: Dataset, family: Family, score: Score, structure_prior: Prior | None = None
) -> FamilyPenalty:
    """Return what families like this one cost besides their fit to these records."""
    return FamilyPenalty(
        score,
        structure_prior or Prior.none(),
        family.relation,
        family.child,
        data.variables,
        data.record_count,
    )
