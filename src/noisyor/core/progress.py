"""How far a run is: the one type that scoring, pricing, search and writing report."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done and what is known so far.

    Parameters
    ----------
    step
        What is being done, in a word.
    detail
        How far that is, in words.
    seconds
        The time since the run began.
    lower_bound, upper_bound
        Bounds on the optimum in nats, once there are any.
    share
        The part of this step that is done, where that is known.
    decided
        The families counted or fitted so far, while families are scored.

    """

    step: str
    detail: str = ""
    seconds: float = 0.0
    lower_bound: float | None = None
    upper_bound: float | None = None
    share: float | None = None
    decided: int | None = None
