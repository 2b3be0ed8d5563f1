"""The families within their prices, by checking all of them: a slow twin of a priced pass."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, inf

from noisyor.core.family_source import Price, PriceCut

MARGIN = 3e-7  # a few tolerances

Kind = tuple[int, str]  # parents and relation of one child's families


def price_of(prices: Iterable[Price], parents: int) -> float:
    """Return the highest price that a set of parents has."""
    highest = -inf
    for price in prices:
        if price.required & ~parents or price.excluded & parents:
            continue
        size = parents.bit_count()
        if size < price.least or (price.most is not None and size > price.most):
            continue
        earned = (
            cut.weight * coefficient_of(price, place, parents)
            for place, cut in enumerate(price.cuts)
        )
        highest = max(highest, price.base + sum(earned))
    return highest


def coefficient_of(price: Price, place: int, parents: int) -> int:
    """Return the coefficient of a set of parents in one of a price's cuts, from those of parts."""
    cut = price.cuts[place]
    if isinstance(cut, PriceCut):
        return int(_counts(cut, {v for v in range(1024) if parents >> v & 1}))
    half = sum(coefficient_of(price, part, parents) for part in cut.parts) / 2
    return ceil(half) if cut.up else floor(half)


def _counts(cut: PriceCut, parents: set[int]) -> bool:
    """Return whether a family counts, taking the classes with a parent away one by one."""
    inside = {v for v in parents if cut.variables >> v & 1}
    reached = 0
    while inside:
        v = inside.pop()
        inside -= {u for one in cut.classes if one >> v & 1 for u in inside if one >> u & 1}
        reached += 1
    return reached < cut.need and not any(cut.own >> v & 1 for v in parents)


@dataclass(frozen=True)
class Judged:
    """Families that a pass must find, and those that it may find."""

    certain: dict[Kind, float]
    possible: dict[Kind, float]


def judge(
    costs: dict[Kind, float],
    prices: list[Price],
    slack: float,
    known: dict[int, float],
    *,
    found_count: bool = True,
) -> Judged:
    """Classify one child's families; within the margin of a limit, they may go either way.

    A family must cost at most its price, and at most the slack more than what is known, or
    (`found_count`) itself within its price, over a subset of its parents.
    """

    def kept(sign: int) -> dict[Kind, float]:
        others = dict(known)
        if found_count:
            for (parents, _), cost in costs.items():
                if cost <= price_of(prices, parents) - sign * MARGIN:
                    others[parents] = min(cost, others.get(parents, inf))
        result = {}
        for (parents, relation), cost in costs.items():
            best = min((one for other, one in others.items() if not other & ~parents), default=inf)
            limit = min(best + slack, price_of(prices, parents)) + sign * MARGIN
            if cost <= limit:
                result[parents, relation] = cost
        return result

    return Judged(certain=kept(-1), possible=kept(1))
