"""Profile likelihoods of noisy-ORs, slowly and obviously: one search for a minimum inside another.

A problem is a list of records (parents, child, count), as for the oracle `noisy_or`; a leak is one
more parent that is 1 in every record. Costs are exact for the problems of the tests to about 1e-11:
they have up to three causes and a few hundred records.
"""

import math
from collections.abc import Callable, Mapping, Sequence

from mpmath import mp, mpf  # type: ignore[import-untyped]

Record = tuple[tuple[int, ...], int, int]

_GOLDEN = (math.sqrt(5) - 1) / 2
_FARTHEST = 25.0  # exp(-25) is 0 to a few hundred records
_ROUNDS = 44  # 25 * 0.618**44 is 2e-8, and costs change by the square of that at a minimum


def lowest(records: Sequence[Record], held: Mapping[int, float]) -> float:
    """Return the lowest negative log-likelihood, with some causes held at their q."""
    open_yet = [j for j in range(len(records[0][0])) if j not in held]
    if not open_yet:
        return _cost(records, held)
    first = open_yet[0]
    return _least(lambda x: lowest(records, {**held, first: math.exp(-x)}))


def one_cause_end(present: int, absent: int, threshold: float, side: int) -> mpf:
    """Return an end of the interval for the share present/(present + absent), to 30 digits.

    It is where present ln(best/s) + absent ln((1 - best)/(1 - s)) is the threshold, s below the
    best (side -1) or above it (side 1), by bisection.
    """
    with mp.workdps(40):
        best = mpf(present) / (present + absent)

        def excess(s: mpf) -> mpf:
            total = present * mp.log(best / s) if present else mpf(0)
            return total + (absent * mp.log((1 - best) / (1 - s)) if absent else 0) - threshold

        inside, outside = best, mpf(0) if side < 0 else mpf(1)
        for _ in range(120):
            middle = (inside + outside) / 2
            if excess(middle) > 0:
                outside = middle
            else:
                inside = middle
        return inside


def _cost(records: Sequence[Record], q: Mapping[int, float]) -> float:
    total = 0.0
    for parents, child, count in records:
        fails = 1.0
        for j, present in enumerate(parents):
            if present:
                fails *= q[j]
        chance = 1 - fails if child else fails
        if chance == 0:
            return math.inf
        total -= count * math.log(chance)
    return total


def _least(function: Callable[[float], float]) -> float:
    """Return the least value of a convex function over [0, 25], by golden section."""
    low, high = 0.0, _FARTHEST
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(_ROUNDS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return min(at_left, at_right, function(0.0))
