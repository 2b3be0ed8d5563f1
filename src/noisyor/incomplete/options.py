"""The options of structural EM."""

from dataclasses import dataclass
from math import inf
from numbers import Integral, Real

from noisyor.core.errors import SettingsError

_MOST_COMPLETIONS = 10_000


@dataclass(frozen=True, slots=True)
class Em:
    """How structural EM learns from records with gaps.

    Parameters
    ----------
    completions
        How many completions of every record are drawn in each step. More make the result depend
        less on chance, and each step slower.
    starts
        How many times EM is started, each time from another completion of the records.
    seed
        The seed of all draws.
    steps
        The most steps of a start.
    tolerance
        A start has settled when a step changes no family of the best network, and its expected cost
        by no more than so many nats.
    """

    completions: int = 10
    starts: int = 5
    seed: int = 0
    steps: int = 50
    tolerance: float = 0.05

    def __post_init__(self) -> None:
        """Refuse options that no run can use."""
        for name, least, most in (
            ("completions", 1, _MOST_COMPLETIONS),
            ("starts", 1, 1000),
            ("seed", 0, 2**63),
            ("steps", 1, 10_000),
        ):
            value = getattr(self, name)
            whole = isinstance(value, Integral) and not isinstance(value, bool)
            if not (whole and least <= value <= most):
                raise SettingsError(
                    f"{name} is {value!r}; it must be a whole number between {least} and {most}"
                )
            object.__setattr__(self, name, int(value))  # a number of numpy goes into no JSON
        if not isinstance(self.tolerance, Real) or not 0 <= self.tolerance < inf:
            raise SettingsError(f"tolerance is {self.tolerance!r}; it must be 0 or more nats")
        object.__setattr__(self, "tolerance", float(self.tolerance))
