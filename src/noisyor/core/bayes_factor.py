"""How much worse than the best a network may be and still be believed."""

import math
from dataclasses import dataclass

from noisyor.core.errors import SettingsError


@dataclass(frozen=True, slots=True, order=True)
class BayesFactor:
    """A bound on the ratio of posterior odds between the best network and a credible one.

    A difference of BICs approximates the logarithm of a Bayes factor (Kass and Raftery, 1995), so
    networks within `slack` nats of the optimum are those within this factor of the best.

    Parameters
    ----------
    value
        The factor, a finite number of at least 1. 1 keeps only optimal networks; 20 stands for
        strong evidence, 150 for very strong evidence.

    Examples
    --------
    >>> round(BayesFactor(20).slack, 3)
    2.996
    """

    value: float

    def __post_init__(self) -> None:
        """Refuse anything but a finite number of at least 1; 3 and 3.0 are the same factor."""
        object.__setattr__(self, "value", float(self.value))
        if not (math.isfinite(self.value) and self.value >= 1):
            raise SettingsError(
                f"the Bayes factor is {self.value:g}; it must be a finite number of at least 1 "
                "(1: only optimal networks; 20: strong evidence; 150: very strong)"
            )

    @property
    def slack(self) -> float:
        """The credible excess over the optimal cost, in nats."""
        return math.log(self.value)
