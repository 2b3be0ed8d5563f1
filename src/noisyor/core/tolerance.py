"""The one numerical tolerance, and the comparisons that use it.

Costs are sums of logarithms in double precision, and a noisy-OR's cost is known up to the gap of
its certificate. Every comparison with the slack is made here, so that a network exactly on the
boundary is credible, whatever the rounding.
"""

from math import isclose

import numpy as np
import numpy.typing as npt

FIT_GAP = 1e-8
"""Largest absolute duality gap of a kept fit, in nats (or FIT_RELATIVE_GAP of its cost)."""

FIT_RELATIVE_GAP = 1e-13
"""Largest gap relative to the cost, for costs so large that FIT_GAP is below their rounding."""

COST_TOLERANCE = 1e-7
"""Costs closer than this, in nats, are equal. Larger than FIT_GAP by design."""

COST_RELATIVE_TOLERANCE = 1e-12
"""The same relative to the cost, for costs above 1e5 nats, where rounding dominates."""


def tolerance_at(cost: float) -> float:
    """Return how far apart two costs of this size may be and still count as equal."""
    return max(COST_TOLERANCE, COST_RELATIVE_TOLERANCE * abs(cost))


def tolerances_at(costs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return `tolerance_at` of each cost."""
    return np.maximum(COST_TOLERANCE, COST_RELATIVE_TOLERANCE * np.abs(costs))


def least_tolerance(low: float, high: float) -> float:
    """Return the least `tolerance_at` of any cost from `low` to `high`."""
    return tolerance_at(max(low, -high, 0.0))


def is_within(cost: float, limit: float) -> bool:
    """Return whether a cost is at most a limit, up to the tolerance."""
    return cost <= limit + tolerance_at(limit)


def is_tie(cost: float, other: float) -> bool:
    """Return whether two costs are equal up to the tolerance."""
    return isclose(cost, other, rel_tol=0, abs_tol=tolerance_at(other))
