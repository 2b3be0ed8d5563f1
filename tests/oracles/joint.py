"""The joint distribution of a small network, entry by entry from the definition.

Shares no code with the package: it reads the fields of a network and multiplies.
"""

from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution
from noisyor.core.relations import CauseDistribution

if TYPE_CHECKING:
    from noisyor.core import Network


def joint(network: "Network") -> npt.NDArray[np.float64]:
    """Return the probability of each configuration, an axis per variable, a place per state."""
    families = network.structure.families
    parents = [[v for v in range(len(families)) if family.parents >> v & 1] for family in families]
    sizes = [len(variable.states) for variable in network.variables]
    result = np.empty(sizes)
    for values in product(*map(range, sizes)):
        result[values] = prod(
            chance(distribution, [values[v] for v in above], values[family.child])
            for family, above, distribution in zip(
                families, parents, network.distributions, strict=True
            )
        )
    return result


def chance(distribution: Distribution, parents: list[int], child: int) -> float:
    """Return the probability of a child's value given its parents', which ascend."""
    if isinstance(distribution, Cpt):
        row, step = 0, 1
        for value, states in zip(parents, distribution.sizes, strict=True):
            row, step = row + value * step, step * states
        if distribution.table.shape[1] == 2:
            present = float(distribution.table[row, 1])
            return present if child else 1 - present
        return float(distribution.table[row, child])
    assert isinstance(distribution, CauseDistribution)
    states = distribution.levels.shape[1] + 1
    below = [float(at_most(distribution, parents, y)) for y in range(-1, states)]
    if distribution.relation.name.endswith("and"):
        child = states - 1 - child
    return below[child + 1] - below[child]


def at_most(distribution: CauseDistribution, parents: list[int], level: int) -> Fraction:
    """Return the chance that no cause brings about more than a level; a minimum counts down."""
    if level < 0:
        return Fraction(0)
    name = distribution.relation.name
    present = []
    for value, states in zip(parents, distribution.parent_states, strict=True):
        if name.startswith("signed"):
            acting = list(range(states))
        elif name.endswith("and"):
            acting = list(range(states - 1))
        else:
            acting = list(range(1, states))
        present += [value == state for state in acting]
    if name.startswith(("leaky", "signed")):
        present.append(True)
    rows = [q for q, there in zip(distribution.levels.tolist(), present, strict=True) if there]
    return prod((Fraction(q) for row in rows for q in row[level:]), start=Fraction(1))


def marginals(network: "Network", given: dict[int, int] | None = None) -> list[float]:
    """Return each variable's probability of presence given the values of some, by summing."""
    table = joint(network)
    for variable, value in (given or {}).items():
        table = np.where(_axis(table.ndim, variable) == value, table, 0.0)
    total = table.sum()
    return [
        float((table * _axis(table.ndim, variable)).sum() / total) for variable in range(table.ndim)
    ]


def exact_chances(
    network: "Network", given: dict[int, int] | None = None
) -> list[tuple[Fraction, ...]]:
    """Return the chances of each variable's states given some values, exactly."""
    families = network.structure.families
    parents = [[v for v in range(len(families)) if family.parents >> v & 1] for family in families]
    sizes = [len(variable.states) for variable in network.variables]
    sums = [[Fraction(0)] * size for size in sizes]
    for values in product(*map(range, sizes)):
        if any(values[variable] != value for variable, value in (given or {}).items()):
            continue
        term = Fraction(1)
        for child, (above, distribution) in enumerate(
            zip(parents, network.distributions, strict=True)
        ):
            term *= _exact_chance(distribution, [values[v] for v in above], values[child])
        for variable, value in enumerate(values):
            sums[variable][value] += term
    return [tuple(chance / sum(own) for chance in own) for own in sums]


def _exact_chance(distribution: Distribution, parents: list[int], child: int) -> Fraction:
    if isinstance(distribution, Cpt):
        place, step = 0, 1
        for value, states in zip(parents, distribution.sizes, strict=True):
            place, step = place + value * step, step * states
        row = [Fraction(chance) for chance in distribution.table[place].tolist()]
        if len(row) == 2:
            return row[1] if child else 1 - row[1]
        return row[child]
    assert isinstance(distribution, CauseDistribution)
    if distribution.relation.name.endswith("and"):
        child = distribution.levels.shape[1] - child
    return at_most(distribution, parents, child) - at_most(distribution, parents, child - 1)


def _axis(dimensions: int, variable: int) -> npt.NDArray[np.int64]:
    """Return 0 and 1 along one variable's axis."""
    return np.arange(2).reshape([2 if v == variable else 1 for v in range(dimensions)])
