"""How each relation is fitted: the one place that a new relation must enter."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, BinaryDataset, Family, Relation
from noisyor.fitting.cpt import fit_cpt
from noisyor.fitting.fitted_family import FittedFamily
from noisyor.fitting.fitters import Fitter, FitterSettings, settings_of
from noisyor.fitting.noisy_or import fit_noisy_or

RelationFit = Callable[[BinaryDataset, Family, FitterSettings], FittedFamily]
"""From records and a family of this relation to its parameters, cost and certificate."""

RELATION_FITS: Mapping[Relation, RelationFit] = MappingProxyType(
    {
        CPT: lambda data, family, _settings: fit_cpt(data, family),
        NOISY_OR: fit_noisy_or,
        LEAKY_NOISY_OR: fit_noisy_or,
    }
)


def fit(  # noqa: PLR0913 (one option each, all by name)
    data: BinaryDataset,
    family: Family,
    *,
    fitter: Fitter | str = Fitter.NEWTON,
    tolerance: float | None = None,
    threshold: float | None = None,
    max_iterations: int | None = None,
    start: FittedFamily | None = None,
) -> FittedFamily:
    """Fit one family by maximum likelihood, with a certificate of its cost.

    A full table has closed form, whatever the fitter. `Fitter` says what each fitter does, and
    FitterSettings what the options mean and where they apply. SettingsError where an option makes
    no sense or a table is too large; InfeasibleFitError where the likelihood is zero.
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
    return RELATION_FITS[family.relation](data, family, settings)
