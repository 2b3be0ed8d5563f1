"""What a family's parents cost besides its parameters: slow twins of extended BIC and of priors."""

from collections.abc import Mapping
from math import comb, log

from noisyor.core.variable_sets import variables_in
from tests.oracles.families import Key


def with_sizes(costs: Mapping[Key, float], gamma: float, variables: int) -> dict[Key, float]:
    """Return BIC costs as those of extended BIC: one more term for the number of parents."""
    return {
        (child, parents, name): cost + gamma * log(comb(variables - 1, parents.bit_count()))
        for (child, parents, name), cost in costs.items()
    }


def with_prior(
    costs: Mapping[Key, float],
    arcs: Mapping[tuple[int, int], float],
    other: float,
    relations: Mapping[str, float],
) -> dict[Key, float]:
    """Return the costs with a prior: arcs by (parent, child), others, and weights of relations."""
    found = {}
    for (child, parents, name), cost in costs.items():
        total = cost
        for parent in variables_in(parents):
            probability = arcs.get((parent, child), other)
            total += log(1 - probability) - log(probability)
        if parents:
            total -= log(relations.get(name, 1.0))
        found[child, parents, name] = total
    return found
