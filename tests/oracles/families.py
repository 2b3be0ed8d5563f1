"""Every family of small data, without any pruning: a slow twin of the scoring search.

Full tables are counted record by record. Noisy-ORs are fitted one at a time by the certified
fit, which has an oracle of its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import inf, log

from noisyor.core import CPT, Constraints, Dataset, Family, Relation
from noisyor.core.errors import InfeasibleFitError
from noisyor.core.variable_sets import from_words, members, set_of
from noisyor.fitting import fit

TOLERANCE = 1e-7

Key = tuple[int, int, str]


@dataclass(frozen=True)
class Records:
    """Distinct rows as ints with their weights."""

    rows: list[tuple[int, int]]
    total: int

    @classmethod
    def of(cls, data: Dataset) -> "Records":
        rows = list(zip(from_words(data.bits), data.weights.tolist(), strict=True))
        return cls(rows, sum(weight for _, weight in rows))


def cpt_cost(data: Dataset, child: int, parents: int) -> float:
    records = Records.of(data)
    cells: dict[int, list[int]] = {}
    for row, weight in records.rows:
        cells.setdefault(row & parents, [0, 0])[row >> child & 1] += weight
    cost = float(2 ** parents.bit_count()) * log(records.total) / 2
    for absent, present in cells.values():
        for count in (absent, present):
            if count:
                cost -= count * log(count / (absent + present))
    return cost


def noisy_or_cost(data: Dataset, child: int, parents: int, relation: Relation) -> float:
    try:
        return fit(data, Family(child, parents, relation)).certificate.cost
    except InfeasibleFitError:
        return inf


def family_cost(data: Dataset, child: int, parents: int, relation: Relation) -> float:
    if relation is CPT:
        return cpt_cost(data, child, parents)
    return noisy_or_cost(data, child, parents, relation)


def legal_sets(constraints: Constraints, child: int) -> Iterator[int]:
    required = constraints.required[child]
    free = list(members(constraints.allowed[child] & ~required))
    most = constraints.max_parents
    for size in range(len(free) + 1):
        if most is not None and size + required.bit_count() > most:
            break
        for chosen in combinations(free, size):
            yield required | set_of(chosen)


def all_costs(
    data: Dataset, relations: tuple[Relation, ...], constraints: Constraints
) -> dict[Key, float]:
    costs: dict[Key, float] = {}
    for child in range(data.variable_count):
        for parents in legal_sets(constraints, child):
            for relation in relations:
                if parents or relation is CPT:
                    cost = family_cost(data, child, parents, relation)
                    if cost < inf:
                        costs[child, parents, relation.name] = cost
    return costs


def keep(costs: dict[Key, float], slack: float, tolerance: float = TOLERANCE) -> set[Key]:
    """Return the families that are at most the slack worse than the best over a subset."""
    kept = set()
    by_child: dict[int, dict[Key, float]] = {}
    for key, cost in costs.items():
        by_child.setdefault(key[0], {})[key] = cost
    for child, own in by_child.items():
        best: dict[int, float] = {}
        for (_, parents, _), cost in own.items():
            best[parents] = min(cost, best.get(parents, inf))
        for key, cost in own.items():
            subset = min(value for other, value in best.items() if not other & ~key[1])
            if cost <= subset + slack + tolerance:
                kept.add((child, key[1], key[2]))
    return kept
