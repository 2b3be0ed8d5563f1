"""A fit of a relation by its likelihood, without a penalty."""

from dataclasses import dataclass, replace

from noisyor.core import Distribution


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodFit:
    """A distribution and its certificate: the minimum of -ln L lies in [lower, upper].

    The distribution attains `upper`. `converged` is whether the fitter reached its tolerance; the
    bounds hold either way. `iterations` counts its steps.
    """

    distribution: Distribution
    upper: float
    lower: float
    converged: bool = True
    iterations: int = 0


def per_record(fit: LikelihoodFit, copies: int) -> LikelihoodFit:
    """Return a fit to rows with bounds for records, which have so many copies (see `Dataset`)."""
    if copies == 1:
        return fit
    return replace(fit, upper=fit.upper / copies, lower=fit.lower / copies)
