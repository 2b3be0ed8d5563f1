"""Random score tables, and their families as plain tuples for the oracle."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np
from hypothesis import strategies as st

from noisyor.core import (
    BIC,
    CPT,
    BayesFactor,
    Constraints,
    Provenance,
    ScoreTable,
    TableScope,
)
from noisyor.core.relations import all_relations, relation_of
from tests.formats.tables import table_of
from tests.oracles.networks import Costs, Key, bits

BOUNDARY_SLACK = 2.0


@dataclass(frozen=True)
class Case:
    """Families with their costs, and the Bayes factor to search with."""

    n: int
    costs: Costs
    factor: float
    foreign: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"v{v}" for v in range(self.n))

    def table(self) -> ScoreTable:
        return table_from(self.costs, self.names, None if self.foreign else self.factor)

    def renamed(self, order: Sequence[int]) -> "Case":
        """Return the same problem with variable v called order[v]."""
        costs = {
            (order[child], sum(1 << order[p] for p in bits(parents)), code): cost
            for (child, parents, code), cost in self.costs.items()
        }
        return replace(self, costs=costs)

    def without(self, *, edges: Sequence[tuple[int, int]] = (), max_parents: int = 99) -> "Case":
        """Return the problem with the families that have none of these edges."""
        costs = {
            (child, parents, code): cost
            for (child, parents, code), cost in self.costs.items()
            if parents.bit_count() <= max_parents
            and not any(v == child and parents >> p & 1 for p, v in edges)
        }
        return replace(self, costs=costs)


def _size(code: int, parents: int) -> int:
    """Return how many parameters a table has for a family of binary variables."""
    relation = relation_of(code)
    return 0 if relation is CPT else relation.parameter_size(2, (2,) * parents)


def table_from(costs: Costs, names: tuple[str, ...], factor: float | None) -> ScoreTable:
    """Return the families as a table scored for a Bayes factor, or from elsewhere."""
    scope = TableScope(
        Constraints.none(names),
        None if factor is None else BayesFactor(factor),
        None if factor is None else BIC,
        None if factor is None else all_relations(),
        Provenance("test"),
    )
    rows = [
        (child, parents, code, cost, 0.0, [0.5] * _size(code, parents.bit_count()))
        for (child, parents, code), cost in costs.items()
    ]
    return table_of(rows, scope)


# How a table's costs are drawn. Whole numbers make ties, and, with a slack of 2, members exactly on
# the boundary; thirds do so up to rounding.
STYLES = ("whole", "thirds", "uniform", "heavy", "negative", "steep")


def cost_of(style: str, parents: int, rng: np.random.Generator) -> float:
    if style == "whole":
        return float(rng.integers(0, 5))
    if style == "thirds":
        return float(rng.integers(0, 13)) * BOUNDARY_SLACK / 3
    if style == "uniform":
        return float(rng.random() * 4)
    if style == "heavy":
        return 3e5 + float(rng.random() * 4)
    if style == "negative":
        return float(rng.random() * 5) - 40
    return (
        12.0 - 3 * parents.bit_count() + float(rng.random() * 6)
    )  # larger sets are better: cycles


def random_case(  # noqa: PLR0913  (each is one way in which tables differ)
    seed: int,
    *,
    n: int,
    most_families: int = 8,
    most_parents: int = 4,
    style: str | None = None,
    blocks: int = 1,
    relations: int = 2,
    empty: float = 0.9,
) -> Case:
    """Return a problem in which an acyclic network exists.

    Parents come from the child's own block, so there are at least so many components; `empty` is
    the chance of a child to have the empty set, without which it needs some parent.
    """
    rng = np.random.default_rng([seed, n, blocks])
    style = style or STYLES[int(rng.integers(len(STYLES)))]
    order = rng.permutation(n)  # along it, every child has a family
    costs: dict[Key, float] = {}
    for place, child in enumerate(order.tolist()):
        before = [v for v in order[:place].tolist() if v % blocks == child % blocks]
        others = [v for v in range(n) if v % blocks == child % blocks and v != child]
        sets = {0} if not before or rng.random() < empty else {_some(before, most_parents, rng)}
        for _ in range(int(rng.integers(most_families))):
            sets.add(_some(others, most_parents, rng))
        for parents in sorted(sets):
            codes = [0] if not parents else rng.permutation(3)[:relations].tolist()
            kept = codes[: int(rng.integers(1, len(codes) + 1))]
            costs |= {(child, parents, code): cost_of(style, parents, rng) for code in kept}
    factor = exp(BOUNDARY_SLACK) if style in {"whole", "thirds"} else float(rng.integers(1, 30))
    return Case(n, costs, factor)


def _some(variables: list[int], most: int, rng: np.random.Generator) -> int:
    """Return a random set of the variables, not empty unless there are none."""
    size = int(rng.integers(1, min(most, len(variables)) + 1)) if variables else 0
    return sum(1 << int(v) for v in rng.choice(variables, size, replace=False)) if size else 0


@st.composite
def cases(draw: st.DrawFn, most_variables: int = 4) -> Case:
    """Draw any problem with an acyclic network; costs are whole or thirds, so ties are common."""
    n = draw(st.integers(1, most_variables))
    unit = draw(st.sampled_from([1.0, BOUNDARY_SLACK / 3, 0.37]))
    cost = st.integers(0, 7).map(lambda number: number * unit)
    order = draw(st.permutations(range(n)))
    costs: dict[Key, float] = {}
    for place, child in enumerate(order):
        everyone = (1 << n) - 1 - (1 << child)
        before = sum(1 << v for v in order[:place])
        sets = {draw(st.integers(0, everyone)) & before}
        sets |= {one & everyone for one in draw(st.lists(st.integers(0, everyone), max_size=6))}
        for parents in sorted(sets):
            codes = draw(st.sets(st.sampled_from([0, 1, 2]), min_size=1)) if parents else {0}
            costs |= {(child, parents, code): draw(cost) for code in sorted(codes)}
    factor = draw(st.sampled_from([1.0, 3.0, exp(BOUNDARY_SLACK), 20.0]))
    return Case(n, costs, factor)
