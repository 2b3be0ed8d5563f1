"""Networks for the tests of inference: random ones from a seed, and small ones by hand."""

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Distribution,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Relation,
    Structure,
)
from noisyor.core.relations import CAUSE_RELATIONS
from noisyor.core.variable import Variable, variables_of
from noisyor.core.variable_sets import set_of

Node = tuple[Sequence[int], Distribution]
"""The parents of a variable and its parameters."""


def network_of(*nodes: Node, names: Sequence[str] | None = None) -> Network:
    """Return the network of these nodes; their states are `no` and `yes`."""
    names = names or [f"v{v}" for v in range(len(nodes))]
    families = [
        Family(child, set_of(parents), distribution.relation)
        for child, (parents, distribution) in enumerate(nodes)
    ]
    return Network(
        Structure(tuple(names), tuple(families)),
        variables_of(names, (("no", "yes"),) * len(nodes)),
        tuple(distribution for _, distribution in nodes),
        None,
        Provenance("test"),
    )


def root(present: float) -> Node:
    """Return a node without parents."""
    return (), Cpt.binary([present])


def table(parents: Sequence[int], *present: float) -> Node:
    """Return a full table: the chance of presence per configuration, the first parent fastest."""
    return parents, Cpt.binary(present)


def noisy_or(parents: Sequence[int], *q: float, leak_q: float | None = None) -> Node:
    """Return a noisy-OR of ascending parents."""
    return parents, NoisyOr(np.array(q), leak_q)


def random_network(
    random: np.random.Generator,
    variables: int,
    most_parents: int = 7,
    certain: float = 0.2,
    relations: Sequence[Relation] = (CPT, NOISY_OR, LEAKY_NOISY_OR),
) -> Network:
    """Return a network over a random order; this share of its parameters are zeros and ones."""
    order = random.permutation(variables)
    nodes: dict[int, Node] = {}
    for place, child in enumerate(order.tolist()):
        count = int(random.integers(0, min(most_parents, place) + 1))
        parents = sorted(random.choice(order[:place], count, replace=False).tolist())
        relation = relations[int(random.integers(len(relations)))]
        nodes[child] = parents, _distribution(random, relation, count, certain)
    return network_of(*(nodes[v] for v in range(variables)))


def _distribution(
    random: np.random.Generator, relation: Relation, parents: int, certain: float
) -> Distribution:
    if relation is CPT or not parents:
        return Cpt.binary(_probabilities(random, 2**parents, certain))
    leak_q = float(_probabilities(random, 1, certain)[0]) if relation is LEAKY_NOISY_OR else None
    return NoisyOr(_probabilities(random, parents, certain), leak_q)


def _probabilities(
    random: np.random.Generator, size: int, certain: float
) -> npt.NDArray[np.float64]:
    values = random.random(size)
    return np.where(random.random(size) < certain, values.round(), values)


def any_network(
    random: np.random.Generator,
    variables: int,
    most_parents: int = 4,
    certain: float = 0.2,
    states: tuple[int, int] = (1, 4),
) -> Network:
    """Return a network of variables of so many states, least and most, with any relations."""
    relations = (CPT, *CAUSE_RELATIONS)
    order = random.permutation(variables).tolist()
    sizes = random.integers(states[0], states[1] + 1, variables).tolist()
    nodes: dict[int, Node] = {}
    for place, child in enumerate(order):
        count = int(random.integers(0, min(most_parents, place) + 1))
        parents = sorted(random.choice(order[:place], count, replace=False).tolist())
        relation = relations[int(random.integers(len(relations)))]
        own = [sizes[parent] for parent in parents]
        nodes[child] = parents, _of_any_states(random, relation, sizes[child], own, certain)
    names = tuple(f"v{v}" for v in range(variables))
    families = [
        Family(child, set_of(nodes[child][0]), nodes[child][1].relation)
        for child in range(variables)
    ]
    return Network(
        Structure(names, tuple(families)),
        tuple(
            Variable(name, tuple(f"s{state}" for state in range(size)), ordered=True)
            for name, size in zip(names, sizes, strict=True)
        ),
        tuple(nodes[child][1] for child in range(variables)),
        None,
        Provenance("test"),
    )


def _of_any_states(
    random: np.random.Generator, relation: Relation, states: int, parents: list[int], certain: float
) -> Distribution:
    if relation is not CPT and parents and states > 1:
        size = relation.parameter_size(states, parents)
        return relation.distribution(_probabilities(random, size, certain), states, parents)
    table = random.random((prod(parents), states)) + 1e-3
    zeros = random.random(table.shape) < certain
    zeros[np.arange(len(table)), table.argmax(axis=1)] = False
    table[zeros] = 0
    return CPT.distribution(table / table.sum(axis=1, keepdims=True), states, parents)


def random_evidence(random: np.random.Generator, variables: int) -> dict[int, int]:
    """Return states of some variables, but never of all, in a random order."""
    size = int(random.integers(0, variables))
    chosen = random.choice(variables, size, replace=False).tolist()
    return {variable: int(random.integers(2)) for variable in chosen}
