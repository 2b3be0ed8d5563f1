"""Networks for the tests of inference: random ones from a seed, and small ones by hand."""

from collections.abc import Sequence

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
from noisyor.core.variable import variables_of
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


def random_evidence(random: np.random.Generator, variables: int) -> dict[int, int]:
    """Return states of some variables, but never of all, in a random order."""
    size = int(random.integers(0, variables))
    chosen = random.choice(variables, size, replace=False).tolist()
    return {variable: int(random.integers(2)) for variable in chosen}
