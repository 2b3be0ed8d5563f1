"""How much effort learning by price puts into bounds."""

from dataclasses import dataclass

HOPELESS_GAP = 100.0
"""A gap in nats, as on large samples, that is too large for branching to close."""


@dataclass(frozen=True, slots=True)
class PricingEffort:
    """How much work goes into bounds before all families within them are collected."""

    most_offered: int = 50  # families per child in each request
    small_gap: float = 0.5  # nats, not worth branching for
    nodes: int = 4096  # the most branches to solve
    further_above: float = (
        25.0  # nats: smaller gaps are closed sooner by branching than by more cuts
    )
