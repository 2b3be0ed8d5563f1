"""Noisy-OR likelihoods, optima and proofs, slowly and obviously.

A problem is a list of records (parents, child, count): a tuple of zeros and ones, 0 or 1, and the
number of occurrences. A leak is one more parent that is 1 in every record: see `with_leak`. The
exact functions work with 50 digits.
"""

import math
from collections.abc import Callable, Sequence

from mpmath import mp, mpf  # type: ignore[import-untyped]

Record = tuple[tuple[int, ...], int, int]

mp.dps = 50


def with_leak(records: Sequence[Record]) -> list[Record]:
    """Return the records with a last parent that is always present."""
    return [((*parents, 1), child, count) for parents, child, count in records]


def cost(records: Sequence[Record], q: Sequence[float]) -> float:
    """Return the negative log-likelihood in plain floats."""
    total = 0.0
    for parents, child, count in records:
        absent = math.prod(q[j] for j, present in enumerate(parents) if present)
        probability = 1 - absent if child else absent
        if probability == 0:
            return math.inf
        total -= count * math.log(probability)
    return total


def exact_cost(records: Sequence[Record], q: Sequence[float]) -> mpf:
    """Return the negative log-likelihood of these q's with 50 digits."""
    total = mpf(0)
    for parents, child, count in records:
        absent = mpf(1)
        for j, present in enumerate(parents):
            if present:
                absent *= mpf(q[j])
        probability = 1 - absent if child else absent
        if probability == 0:
            return mpf("inf")
        total -= count * mp.log(probability)
    return total


def _dual_point(records: Sequence[Record], q: Sequence[float]) -> list[tuple[Record, mpf]]:
    """Return u = c prod(q) / (1 - prod(q)) for each record with the child present."""
    rows = []
    for record in records:
        parents, child, count = record
        if child:
            absent = mpf(1)
            for j, present in enumerate(parents):
                if present:
                    absent *= mpf(q[j])
            rows.append((record, count * absent / (1 - absent)))
    return rows


def _absent(records: Sequence[Record], parent: int) -> int:
    return sum(count for parents, child, count in records if parents[parent] and not child)


def lower_bound(records: Sequence[Record], q: Sequence[float]) -> mpf:
    """Return a lower bound on every cost, by weak duality at a point made feasible row by row.

    Any u >= 0 with sum of u over the rows of j at most a_j gives the bound
    sum u ln(1 + c/u) + c ln(1 + u/c).
    """
    rows = _dual_point(records, q)
    width = len(records[0][0])
    share = []
    for j in range(width):
        used = sum((u for (parents, _, _), u in rows if parents[j]), mpf(0))
        share.append(_absent(records, j) / used if used else mpf("inf"))
    total = mpf(0)
    for (parents, _, count), point in rows:
        u = point and point * min(share[j] for j in range(width) if parents[j])
        if u:
            total += u * mp.log(1 + count / u) + count * mp.log(1 + u / count)
    return total


def bound_rounding(records: Sequence[Record], q: Sequence[float]) -> float:
    """Return how much of the bound may be lost because each q was rounded to a double.

    A relative error of 2^-53 in each q changes u by a factor of up to 2^-53 k/(1 - prod(q)) for k
    parents. Scaling the rows back to feasibility by that factor costs as much of u phi'(u), where
    phi'(u) = ln(1 + c/u).
    """
    rows = [(record, u) for record, u in _dual_point(records, q) if u]
    if not rows:
        return 0.0
    least = min(record[2] / (record[2] + u) for record, u in rows)
    slope = sum(u * mp.log(1 + record[2] / u) for record, u in rows)
    return float(len(q) * mpf(2) ** -52 * slope / least)


def stationarity(records: Sequence[Record], q: Sequence[float]) -> list[tuple[mpf, mpf]]:
    """Return the first and second derivative of the cost by each lambda = -ln q.

    At the optimum the first is 0 where 0 < q < 1 and at least 0 where q = 1.
    """
    rows = _dual_point(records, q)
    result = []
    for j in range(len(records[0][0])):
        mine = [(u, record[2]) for record, u in rows if record[0][j]]
        gradient = _absent(records, j) - sum((u for u, _ in mine), mpf(0))
        result.append((gradient, sum((u * (1 + u / count) for u, count in mine), mpf(0))))
    return result


def one_parent_q(records: Sequence[Record]) -> float:
    """Return the best q of a single parent: the share of its records with the child absent."""
    present = sum(count for parents, _, count in records if parents[0])
    return _absent(records, 0) / present if present else 1.0


def two_parent_cost(records: Sequence[Record]) -> float:
    """Return the lowest cost over two q's by one ternary search inside another.

    The cost is convex in lambda, and so is its minimum over one of them.
    """

    def at(first: float, second: float) -> float:
        return cost(records, (math.exp(-first), math.exp(-second)))

    def inner(first: float) -> float:
        return _lowest(lambda second: at(first, second))

    return _lowest(inner)


_ROUNDS = 70
_FARTHEST = 12.0  # exp(-12): below any q that fewer than 100,000 records can prefer, unless 0


def _lowest(function: Callable[[float], float]) -> float:
    low, high = 0.0, _FARTHEST
    for _ in range(_ROUNDS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if function(left) < function(right):
            high = right
        else:
            low = left
    return min(function(low), function(high), function(0.0))
