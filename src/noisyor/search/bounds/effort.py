"""How much effort goes into bounds, and why the work ends."""

from dataclasses import dataclass, replace
from enum import Enum

NEGLIGIBLE = 1e-6
"""Nats: a gap within the rounding of weights and the solver's tolerance."""


class Ending(Enum):
    """Why the work on the bounds ended."""

    CLOSED = "the bounds meet"
    ENOUGH = "the lower bound is as high as was asked for"
    NO_CUT = "no violated cut was found"
    SLOW = "the bound rose too slowly"
    DEADLINE = "the time was up"
    CANCELLED = "it was cancelled"
    UNSOLVED = "the linear program's solver gave up"


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to go on: while `patience` rounds close at least a `share` of the gap.

    If `exact`, an integer program searches for a cut when local search finds none. If `further` is
    given, other cuts than plain clusters are then looked for as well, with that effort: clusters
    with classes, and cuts that are rounded from others.
    """

    patience: int
    share: float
    exact: bool
    further: "Effort | None" = None


ONE_ROUND = Effort(patience=0, share=1.0, exact=False)
QUICK = Effort(patience=10, share=0.05, exact=False)
THOROUGH = Effort(patience=25, share=0.01, exact=True)
ALL_CUTS = replace(ONE_ROUND, further=Effort(patience=10, share=0.3, exact=False))
WHILE_PRICING = replace(THOROUGH, further=Effort(patience=5, share=0.1, exact=False))


@dataclass(frozen=True, slots=True)
class BoundsProgress:
    """The bounds so far, in ticks."""

    rounds: int
    lower_bound: int
    upper_bound: int
    cuts: int
    columns: int
