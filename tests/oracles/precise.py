"""Costs and credible sets with 60 digits, for data whose sums of logarithms lose digits in doubles.

Shares no code with the package. Records are pairs: a row, as a number whose bit v is variable v,
and how often it occurs. Families are (child, parents, code) with the package's codes: 0 is a full
table, 1 a noisy-OR, 2 a leaky one.
"""

from collections.abc import Sequence
from itertools import product

from mpmath import mp, mpf  # type: ignore[import-untyped]

from tests.oracles.networks import (
    RELATIVE_TOLERANCE,
    TOLERANCE,
    Key,
    Network,
    bits,
    closes_cycle,
)

Records = Sequence[tuple[int, int]]

DIGITS = 60
_LEAST_WEIGHT = "1e-32"  # of the barrier, in records of one: far below one record of 2**53
_NEWTON_STEPS = 200


def family_cost(records: Records, key: Key) -> mpf | None:
    """Return a family's BIC in nats, or None if it cannot have produced the records."""
    child, parents, code = key
    with mp.workdps(DIGITS):
        count = len(bits(parents))
        parameters = (2**count, count, count + 1)[code]
        penalty = parameters * mp.log(sum(weight for _, weight in records)) / 2
        if code == 0:
            return _table_deviance(records, child, parents) + penalty
        deviance = _noisy_or_deviance(records, child, parents, leak=code == 2)
        return None if deviance is None else deviance + penalty


def _table_deviance(records: Records, child: int, parents: int) -> mpf:
    """Return -sum n ln(n / m) over the states of the child (n) in each configuration (m)."""
    cells: dict[int, list[int]] = {}
    for row, weight in records:
        cells.setdefault(row & parents, [0, 0])[row >> child & 1] += weight
    return sum(
        (n * mp.log(mpf(absent + present) / n))
        for absent, present in cells.values()
        for n in (absent, present)
        if n
    )


def _noisy_or_deviance(records: Records, child: int, parents: int, *, leak: bool) -> mpf | None:
    """Return the lowest negative log-likelihood over all q.

    With x = -ln q it is sum a_j x_j - sum c_i ln(1 - exp(-(x_j summed over the causes of i))), a_j
    being the records with cause j and without the child. A cause with a_j = 0 has q = 0: it
    explains all records that it is in. Of the rest, the convex cost is found by a barrier.
    """
    causes = [1 << parent for parent in bits(parents)] + ([0] if leak else [])

    def caused(row: int, cause: int) -> bool:
        return cause == 0 or bool(row & cause)

    absent = [
        sum(w for row, w in records if caused(row, c) and not row >> child & 1) for c in causes
    ]
    sure = [cause for cause, a in zip(causes, absent, strict=True) if a == 0]
    unsure = [(cause, a) for cause, a in zip(causes, absent, strict=True) if a]
    present: dict[tuple[int, ...], int] = {}
    for row, weight in records:
        if row >> child & 1 and not any(caused(row, cause) for cause in sure):
            pattern = tuple(j for j, (cause, _) in enumerate(unsure) if caused(row, cause))
            present[pattern] = present.get(pattern, 0) + weight
    if () in present:
        return None
    if not present:
        return mpf(0)
    return _lowest([a for _, a in unsure], present)


def _lowest(absent: Sequence[int], present: dict[tuple[int, ...], int]) -> mpf:
    """Return the minimum of sum a x - sum c ln(1 - exp(-sum of x)) over x >= 0.

    At the minimum of this, per record, minus t sum ln x, the cost is above its minimum by at most
    t for each x (Boyd and Vandenberghe 2004, section 11.2.2): nothing, for the last t.
    """
    total = sum(absent) + sum(present.values())
    a = [mpf(one) / total for one in absent]
    rows = [(pattern, mpf(count) / total) for pattern, count in present.items()]
    x = [mpf(1)] * len(a)
    t = mpf(1)
    while t > mpf(_LEAST_WEIGHT):
        t /= 100
        x = _centre(a, rows, t, x)
    return total * _barrier_cost(a, rows, mpf(0), x)


Rows = Sequence[tuple[tuple[int, ...], mpf]]


def _barrier_cost(a: Sequence[mpf], rows: Rows, t: mpf, x: Sequence[mpf]) -> mpf:
    cost = sum(one * value for one, value in zip(a, x, strict=True))
    cost -= sum(c * mp.log(-mp.expm1(-sum(x[j] for j in pattern))) for pattern, c in rows)
    return cost - t * sum(mp.log(value) for value in x) if t else cost


def _centre(a: Sequence[mpf], rows: Rows, t: mpf, x: list[mpf]) -> list[mpf]:
    """Return the minimum of the barrier cost: Newton's steps, halved until they lead downhill."""
    width = len(a)
    for _ in range(_NEWTON_STEPS):
        gradient = [a[j] - t / x[j] for j in range(width)]
        curvature = mp.diag([t / value**2 for value in x])
        for pattern, c in rows:
            odds = 1 / mp.expm1(sum(x[j] for j in pattern))
            for j in pattern:
                gradient[j] -= c * odds
                for k in pattern:
                    curvature[j, k] += c * odds * (1 + odds)
        step = mp.lu_solve(curvature, mp.matrix([-g for g in gradient]))
        decrease = -sum(g * s for g, s in zip(gradient, step, strict=True))
        if decrease < t * mpf("1e-8"):
            return x
        length, now = mpf(1), _barrier_cost(a, rows, t, x)
        while True:
            further = [value + length * s for value, s in zip(x, step, strict=True)]
            if (
                min(further) > 0
                and _barrier_cost(a, rows, t, further) <= now - length * decrease / 10
            ):
                break
            length /= 2
            if length < mpf("1e-20"):
                raise AssertionError("no step leads downhill")
        x = further
    raise AssertionError("Newton's steps do not end")


def all_costs(records: Records, n: int, codes: Sequence[int]) -> dict[Key, mpf]:
    """Return the costs of all families of n variables that these relations can make."""
    found = {}
    for child in range(n):
        for parents in range(2**n):
            if not parents >> child & 1:
                for code in codes if parents else (0,):
                    if code == 2 and parents.bit_count() == 1:
                        continue  # a leaky noisy-OR of one cause is a full table
                    cost = family_cost(records, (child, parents, code))
                    if cost is not None:
                        found[child, parents, code] = cost
    return found


def tolerance_at(cost: mpf) -> float:
    """Return how far costs of this size may differ and still count as equal."""
    return max(TOLERANCE, RELATIVE_TOLERANCE * abs(float(cost)))


def networks(costs: dict[Key, mpf], n: int) -> list[tuple[mpf, Network]]:
    """Return all acyclic networks, cheapest first; each family with its better relation.

    A later relation is better only if it saves more than the tolerance.
    """
    chosen: list[list[Key]] = [[] for _ in range(n)]
    for child in range(n):
        for parents in sorted({key[1] for key in costs if key[0] == child}):
            own = [(child, parents, code) for code in range(3) if (child, parents, code) in costs]
            least = min(costs[key] for key in own)
            chosen[child].append(
                next(key for key in own if costs[key] <= least + tolerance_at(least))
            )
    with mp.workdps(DIGITS):
        return sorted(
            (sum((costs[key] for key in network), mpf(0)), network)
            for network in product(*chosen)
            if not closes_cycle(network)
        )
