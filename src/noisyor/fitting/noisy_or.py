"""Calls the kernels that fit noisy-ORs to bit-packed records."""

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Dataset
from noisyor.core.variable_sets import Words, to_words
from noisyor.fitting.fitters import Fitter, FitterSettings

if TYPE_CHECKING:
    from types import ModuleType

_CLASSICAL = {
    Fitter.GRADIENT: attrgetter("fit_noisy_or_by_gradient"),
    Fitter.EM: attrgetter("fit_noisy_or_by_em"),
}


def fit_rows(  # noqa: PLR0913 (the kernels' own arguments)
    rows: Words,
    weights: npt.NDArray[np.int64],
    *,
    variables: int,
    child: int,
    parents: Words,
    settings: FitterSettings,
    leak: bool,
    gap: float,
    start: npt.NDArray[np.float64] | None = None,
    build: "ModuleType | None" = None,
) -> "kernels.NoisyOrFits":
    """Fit noisy-ORs of one child over many parent sets in a single kernel call.

    `start` has a q per variable, then the leak's; NaN where it is not known. `build` is the kernel
    build to use, by default that of the process.
    """
    module = kernels if build is None else build
    given = (rows, weights, variables, child, parents, leak)
    fits: kernels.NoisyOrFits
    if settings.fitter is Fitter.NEWTON:
        fits = module.fit_noisy_or(
            *given, gap, settings.relative_tolerance, settings.max_iterations
        )
    else:
        by = _CLASSICAL[settings.fitter](module)
        stop = (settings.threshold, settings.max_iterations, gap, settings.relative_tolerance)
        fits = by(*given, *stop, np.empty(0) if start is None else start)
    return fits


def fit_parent_sets(  # noqa: PLR0913 (the kernels' own arguments)
    data: Dataset,
    child: int,
    parent_sets: list[int],
    settings: FitterSettings,
    *,
    leak: bool,
    build: "ModuleType | None" = None,
) -> "kernels.NoisyOrFits":
    """Fit one child's noisy-ORs over many parent sets to binary records, without penalties."""
    return fit_rows(
        data.bits,
        data.weights,
        variables=data.variable_count,
        child=child,
        parents=to_words(parent_sets, data.bits.shape[1]),
        settings=settings,
        leak=leak,
        gap=settings.tolerance,
        build=build,
    )
