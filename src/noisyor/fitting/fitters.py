"""The fitters of noisy-ORs and their convergence criteria."""

import math
from dataclasses import dataclass
from enum import StrEnum

from noisyor.core import SettingsError
from noisyor.core.choices import choice_of
from noisyor.core.tolerance import FIT_GAP, FIT_RELATIVE_GAP
from noisyor.fitting.fitted_family import FittedFamily

_LARGEST_ITERATION_LIMIT = 2**31 - 1  # the kernels count in 32 bits


class Fitter(StrEnum):
    """How a noisy-OR's likelihood is maximised. Full tables have closed form and need none.

    `newton`: Newton's method on the convex problem in -ln q. It stops once its certificate proves
    the optimum to the tolerance.

    `gradient`: Algorithm 1 of Sharma, Liao, Cussens and van Beek (2020), gradient descent on q
    with a geometric line search. Its threshold is the largest change of any component of the
    gradient, per record, between two iterates (lines 7 to 13 of the paper, in the maximum norm).
    As in the paper, the result is the iterate with the smallest change. The paper does not specify
    the line search. Ours halves the step until the cost falls by a fraction of what the gradient
    predicts; it starts at twice the last step, and the first step moves no q by more than 1/4. q is
    clamped to [a/(a + C), 1], where a and C count the records with this parent present and the
    child absent or present: no optimum lies outside.

    `em`: expectation-maximisation over the hidden state, inhibited or not, of each present cause
    (Vomlel, 2006). Its threshold is the largest change of any q. It approaches q = 1 but does not
    reach it.

    All three first set the q's that have closed form: q = 0 for a parent that never occurs without
    the child, q = 1 for one with no record left to explain. A leak is treated as one more cause.
    """

    NEWTON = "newton"
    GRADIENT = "gradient"
    EM = "em"

    @classmethod
    def of(cls, name: "Fitter | str") -> "Fitter":
        """Return the fitter with this name."""
        return choice_of(cls, name, "fitter")


@dataclass(frozen=True, slots=True)
class FitterSettings:
    """A fitter, its stopping criteria, and its criterion of convergence.

    `tolerance` is in nats: a converged fit has a proven gap of at most
    max(tolerance, FIT_RELATIVE_GAP * cost). `threshold` is that of the fitter's own stopping test
    (see Fitter). `start` is a fit of the same child for a warm start; parents that it lacks start
    at the default.
    """

    fitter: Fitter
    tolerance: float
    max_iterations: int
    threshold: float | None
    start: FittedFamily | None
    relative_tolerance: float = FIT_RELATIVE_GAP

    def __post_init__(self) -> None:
        """Refuse values that no fit can use."""
        for name in ("tolerance", "threshold"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise SettingsError(f"{name} is {value}; it must be a number of at least 0")
        if not 0 <= self.max_iterations <= _LARGEST_ITERATION_LIMIT:
            raise SettingsError(
                f"max_iterations is {self.max_iterations}; it must be between 0 and "
                f"{_LARGEST_ITERATION_LIMIT}"
            )
        if self.fitter is Fitter.NEWTON and not (self.threshold is None and self.start is None):
            raise SettingsError(
                "the fitter 'newton' takes no threshold and no start: it ends by its certificate, "
                "at the one optimum; 'gradient' and 'em' take both"
            )


_DEFAULTS = {
    Fitter.NEWTON: FitterSettings(Fitter.NEWTON, FIT_GAP, 200, None, None),
    Fitter.GRADIENT: FitterSettings(Fitter.GRADIENT, 1e-3, 10_000, 1e-6, None),
    Fitter.EM: FitterSettings(Fitter.EM, 1e-3, 100_000, 1e-8, None),
}


def settings_of(
    fitter: Fitter | str,
    *,
    tolerance: float | None = None,
    threshold: float | None = None,
    max_iterations: int | None = None,
    start: FittedFamily | None = None,
) -> FitterSettings:
    """Return the settings of a fitter, with its defaults for those that are None."""
    default = _DEFAULTS[Fitter.of(fitter)]
    return FitterSettings(
        default.fitter,
        default.tolerance if tolerance is None else tolerance,
        default.max_iterations if max_iterations is None else max_iterations,
        default.threshold if threshold is None else threshold,
        start,
    )
