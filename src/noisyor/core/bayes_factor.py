"""How much worse than the best a network may be and still be believed."""

import math
from dataclasses import dataclass

from noisyor.core.errors import SettingsError

LEAST_TEMPERATURE, MOST_TEMPERATURE = 0.01, 100.0


@dataclass(frozen=True, slots=True)
class BayesFactor:
    """A bound on the ratio of posterior odds between the best network and a credible one.

    A difference of BICs approximates the logarithm of a Bayes factor (Kass and Raftery, 1995), so
    networks within `slack` nats of the optimum are those within this factor of the best.

    The approximation is poor with few records. A `temperature` above 1 divides all differences of
    costs, as if there were fewer records: the evidence of T nats counts as 1 nat. A network then
    weighs exp(-(cost - optimum) / T), and is credible up to T times the slack.

    Parameters
    ----------
    value
        The factor, a finite number of at least 1. 1 keeps only optimal networks; 20 stands for
        strong evidence, 150 for very strong evidence.
    temperature
        The temperature, from 0.01 to 100; `noisyor.calibrate` finds one for a table.

    Examples
    --------
    >>> round(BayesFactor(20).slack, 3)
    2.996
    >>> round(BayesFactor(20, temperature=2).slack, 3)
    5.991
    """

    value: float
    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Refuse anything but a finite number of at least 1; 3 and 3.0 are the same factor."""
        object.__setattr__(self, "value", float(self.value))
        object.__setattr__(self, "temperature", float(self.temperature))
        if not (math.isfinite(self.value) and self.value >= 1):
            raise SettingsError(
                f"the Bayes factor is {self.value:g}; it must be a finite number of at least 1 "
                "(1: only optimal networks; 20: strong evidence; 150: very strong)"
            )
        if not LEAST_TEMPERATURE <= self.temperature <= MOST_TEMPERATURE:
            raise SettingsError(
                f"the temperature is {self.temperature:g}; it must be from {LEAST_TEMPERATURE:g} "
                f"to {MOST_TEMPERATURE:g} (1: weights as they are; above 1: more doubt)"
            )
        if not math.isfinite(self.slack) or self.slack > math.log(_LARGEST):
            raise SettingsError(
                f"the Bayes factor {self.value:g} at the temperature {self.temperature:g} is "
                f"{self.slack:.4g} nats; at most {math.log(_LARGEST):.4g} are supported"
            )

    @classmethod
    def of(cls, factor: "float | BayesFactor", temperature: float | None = None) -> "BayesFactor":
        """Return the factor from user input; a temperature that is given replaces its own."""
        if not isinstance(factor, BayesFactor):
            return cls(factor, 1.0 if temperature is None else temperature)
        return factor if temperature is None else cls(factor.value, temperature)

    @property
    def slack(self) -> float:
        """The credible excess over the optimal cost, in nats."""
        return self.temperature * math.log(self.value)

    @property
    def untempered(self) -> "BayesFactor":
        """The factor at temperature 1 with the same slack: the same networks are credible."""
        return self if self.temperature == 1 else BayesFactor(math.exp(self.slack))

    def exceeds(self, other: "BayesFactor") -> bool:
        """Return whether more networks may be credible than with another factor.

        Slacks that differ by rounding are the same.
        """
        return self.slack > other.slack and not math.isclose(self.slack, other.slack)


_LARGEST = 1e308  # factors beyond have no number
