"""What a relation's fit gives, before any score has put a price on its parameters."""

from dataclasses import dataclass

from noisyor.core import Distribution


@dataclass(frozen=True, slots=True, eq=False)
class LikelihoodFit:
    """A distribution and the proof of how good it is: the least -ln L lies in [lower, upper].

    `upper` is attained by the distribution. `converged` says whether the fitter reached its own
    stated tolerance; the bounds hold either way. `iterations` counts its steps.
    """

    distribution: Distribution
    upper: float
    lower: float
    converged: bool = True
    iterations: int = 0
