"""The options of structural EM."""

from dataclasses import dataclass

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
            if not least <= value <= most:
                raise SettingsError(f"{name} is {value}; it must be between {least} and {most}")
        if not self.tolerance >= 0:
            raise SettingsError(f"tolerance is {self.tolerance}; it must be 0 or more nats")
