"""The progress of a run, as scoring, pricing, search and writing report it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The current step of a run and what is known so far.

    Parameters
    ----------
    step
        The step, in one word.
    detail
        The progress of the step, in words.
    seconds
        The time since the run began.
    lower_bound, upper_bound
        Bounds on the optimum in nats, once known.
    share
        The share of the step that is done, if known.
    decided
        The number of families counted or fitted so far, while families are scored.

    """

    step: str
    detail: str = ""
    seconds: float = 0.0
    lower_bound: float | None = None
    upper_bound: float | None = None
    share: float | None = None
    decided: int | None = None
