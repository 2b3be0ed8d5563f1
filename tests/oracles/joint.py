"""The joint distribution of a small network, entry by entry from the definition.

Shares no code with the package: it reads the fields of a network and multiplies.
"""

from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution, NoisyOr

if TYPE_CHECKING:
    from noisyor.core import Network


def joint(network: "Network") -> npt.NDArray[np.float64]:
    """Return the probability of each configuration, shape (2,)*n; 1 on axis v is v present."""
    families = network.structure.families
    parents = [[v for v in range(len(families)) if family.parents >> v & 1] for family in families]
    result = np.empty((2,) * len(families))
    for values in product((0, 1), repeat=len(families)):
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
        present = float(distribution.present[sum(value << t for t, value in enumerate(parents))])
        return present if child else 1 - present
    assert isinstance(distribution, NoisyOr)
    absent = 1.0 if distribution.leak_q is None else distribution.leak_q
    absent *= prod(float(q) for q, value in zip(distribution.q, parents, strict=True) if value)
    return 1 - absent if child else absent


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
) -> list[tuple[Fraction, Fraction]]:
    """Return each variable's chances of absence and presence given some values, exactly."""
    families = network.structure.families
    parents = [[v for v in range(len(families)) if family.parents >> v & 1] for family in families]
    sums = [[Fraction(0), Fraction(0)] for _ in families]
    for values in product((0, 1), repeat=len(families)):
        if any(values[variable] != value for variable, value in (given or {}).items()):
            continue
        term = Fraction(1)
        for child, (above, distribution) in enumerate(
            zip(parents, network.distributions, strict=True)
        ):
            present = _exact_presence(distribution, [values[v] for v in above])
            term *= present if values[child] else 1 - present
        for variable, value in enumerate(values):
            sums[variable][value] += term
    return [(absent / (absent + present), present / (absent + present)) for absent, present in sums]


def _exact_presence(distribution: Distribution, parents: list[int]) -> Fraction:
    if isinstance(distribution, Cpt):
        place = sum(value << t for t, value in enumerate(parents))
        return Fraction(float(distribution.present[place]))
    assert isinstance(distribution, NoisyOr)
    absent = Fraction(1) if distribution.leak_q is None else Fraction(distribution.leak_q)
    for q, value in zip(distribution.q.tolist(), parents, strict=True):
        absent *= Fraction(q) if value else 1
    return 1 - absent


def _axis(dimensions: int, variable: int) -> npt.NDArray[np.int64]:
    """Return 0 and 1 along one variable's axis."""
    return np.arange(2).reshape([2 if v == variable else 1 for v in range(dimensions)])
