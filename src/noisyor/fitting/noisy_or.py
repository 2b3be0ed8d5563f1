"""Noisy-ORs with and without a leak: maximum likelihood by a chosen fitter, always certified."""

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Dataset, Family
from noisyor.core.errors import InfeasibleFitError, SettingsError
from noisyor.core.relations import cause_relation
from noisyor.core.variable_sets import to_words
from noisyor.fitting.fitted_family import FittedFamily
from noisyor.fitting.fitters import Fitter, FitterSettings
from noisyor.fitting.likelihood_fit import LikelihoodFit

if TYPE_CHECKING:
    from types import ModuleType

_CLASSICAL = {
    Fitter.GRADIENT: attrgetter("fit_noisy_or_by_gradient"),
    Fitter.EM: attrgetter("fit_noisy_or_by_em"),
}


def fit_noisy_or(data: Dataset, family: Family, settings: FitterSettings) -> LikelihoodFit:
    """Fit a noisy-OR, with a leak if the family's relation has one, and certify the fit.

    The likelihood is zero for all q if and only if some record has the child present and no cause.
    That raises an InfeasibleFitError with the number of these records. A leak is a cause in every
    record.
    """
    relation = family.relation
    if relation.causes is None:
        raise ValueError(f"{relation} has no causes")
    fits = fit_parent_sets(
        data, family.child, [family.parents], settings, leak=relation.causes.leak
    )
    upper = float(fits.upper[0])
    if np.isinf(upper):
        raise _no_cause(data, family)
    sizes = tuple(data.variables[parent].state_count for parent in family.parent_indices())
    return LikelihoodFit(
        relation.distribution(fits.q, data.variables[family.child].state_count, sizes),
        upper,
        float(fits.lower[0]),
        converged=bool(fits.ends[0] == kernels.FitEnd.CONVERGED),
        iterations=int(fits.steps[0]),
    )


def fit_parent_sets(  # noqa: PLR0913 (the kernels' own arguments)
    data: Dataset,
    child: int,
    parent_sets: list[int],
    settings: FitterSettings,
    *,
    leak: bool,
    build: "ModuleType | None" = None,
) -> "kernels.NoisyOrFits":
    """Fit one child's noisy-ORs over many parent sets in a single kernel call, without penalties.

    `build` is the kernel build to use, by default that of the process.
    """
    module = kernels if build is None else build
    records = (data.bits, data.weights, data.variable_count, child)
    parents = to_words(parent_sets, data.bits.shape[1])
    limit, relative = settings.tolerance, settings.relative_tolerance
    fits: kernels.NoisyOrFits
    if settings.fitter is Fitter.NEWTON:
        by = module.fit_noisy_or
        fits = by(*records, parents, leak, limit, relative, settings.max_iterations)
    else:
        by = _CLASSICAL[settings.fitter](module)
        start = _start(data, child, settings.start)
        stop = (settings.threshold, settings.max_iterations)
        fits = by(*records, parents, leak, *stop, limit, relative, start)
    return fits


def _start(data: Dataset, child: int, start: FittedFamily | None) -> npt.NDArray[np.float64]:
    """Return a warm start for the kernels: q per variable, then the leak's; NaN if unknown."""
    if start is None:
        return np.empty(0)
    causes = start.distribution.causes()
    if start.family.child != child or not causes:
        raise SettingsError(
            f"a fit of {data.names[child]!r} can start from a noisy-OR of the same variable, not "
            f"from {start.family.relation} of variable {start.family.child}"
        )
    parents = start.family.parent_indices()
    q = np.full(data.variable_count + 1, np.nan)
    for cause in causes:
        q[-1 if cause.parent is None else parents[cause.parent]] = cause.q
    return q


def _no_cause(data: Dataset, family: Family) -> InfeasibleFitError:
    """Return the error that counts the records no noisy-OR over these parents can explain."""
    unexplained = data.present(family.child)
    for parent in family.parent_indices():
        unexplained = unexplained & ~data.present(parent)
    child = data.names[family.child]
    parents = ", ".join(repr(data.names[parent]) for parent in family.parent_indices())
    leaky = cause_relation(leak=True)
    return InfeasibleFitError(
        f"no noisy-or of {child!r} fits: it is present in {data.weights[unexplained].sum()} of "
        f"{data.record_count} records in which all of its parents are absent ({parents}); "
        f"allowed: parents that cover every record with {child!r} present, or {leaky}"
    )
