"""Structural EM by brute force, on small tables: all completions, with their exact weights.

It shares no code with the package but `fit`, which has an oracle of its own: a step sums over every
completion of every record, with its probability in the network before, and tries every network.
"""

from collections.abc import Sequence
from itertools import product
from math import fsum, log

import numpy as np

from noisyor.core import BIC, Dataset, Family, Network, Relation, Structure
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.fitting import fit
from noisyor.networks import fit_network
from tests.oracles.joint import joint

_PARTS = 10**6  # of a record: completions count in millionths


def completions(data: IncompleteDataset) -> list[list[tuple[int, ...]]]:
    """Return all completions of each row."""
    sizes = [range(variable.state_count) for variable in data.variables]
    return [
        list(product(*[sizes[v] if code == GAP else [code] for v, code in enumerate(row)]))
        for row in data.codes.tolist()
    ]


def observed_log_likelihood(network: Network, data: IncompleteDataset) -> float:
    """Return the logarithm of the probability of all observed cells."""
    chances = joint(network)
    return fsum(
        weight * log(sum(chances[one] for one in own))
        for own, weight in zip(completions(data), data.weights.tolist(), strict=True)
    )


def expected_table(network: Network, data: IncompleteDataset) -> Dataset:
    """Return the completions with their exact expected numbers, to a millionth of a record."""
    chances = joint(network)
    counts: dict[tuple[int, ...], int] = {}
    for own, weight in zip(completions(data), data.weights.tolist(), strict=True):
        shares = np.array([chances[one] for one in own])
        shares = shares / shares.sum() * weight * _PARTS
        whole = np.floor(shares).astype(int)
        left = weight * _PARTS - int(whole.sum())
        for at in np.argsort(whole - shares)[:left]:
            whole[at] += 1
        for one, number in zip(own, whole.tolist(), strict=True):
            counts[one] = counts.get(one, 0) + number
    rows = sorted((one for one in counts if counts[one]), key=lambda one: one[::-1])
    return Dataset(
        data.variables,
        np.array(rows, dtype=np.uint8),
        np.array([counts[one] for one in rows]),
        copies=_PARTS,
    )


def all_graphs(variables: int) -> list[tuple[int, ...]]:
    """Return the parent sets of all acyclic graphs."""
    sets = [[one for one in range(1 << variables) if not one >> v & 1] for v in range(variables)]
    return [graph for graph in product(*sets) if _is_acyclic(graph)]


def _is_acyclic(graph: tuple[int, ...]) -> bool:
    left = set(range(len(graph)))
    while left:
        free = [v for v in left if not any(graph[v] >> u & 1 for u in left)]
        if not free:
            return False
        left -= set(free)
    return True


def best_network(table: Dataset, relations: Sequence[Relation]) -> Network:
    """Return the best network on a table, with its parameters."""
    graphs = all_graphs(table.variable_count)
    best: dict[tuple[int, int], tuple[float, Family]] = {}
    for child, parents in {(v, graph[v]) for graph in graphs for v in range(len(graph))}:
        options = [
            Family(child, parents, relation)
            for relation in relations
            if parents.bit_count() >= relation.least_parents
        ]
        costs = [(fit(table, family, score=BIC).cost, family) for family in options]
        best[child, parents] = min(costs, key=lambda one: one[0])
    totals = [fsum(best[v, own][0] for v, own in enumerate(graph)) for graph in graphs]
    graph = graphs[int(np.argmin(totals))]
    families = tuple(best[v, own][1] for v, own in enumerate(graph))
    return fit_network(table, Structure(table.names, families))


def observed_cost(network: Network, data: IncompleteDataset) -> float:
    """Return -ln of the probability of the observed cells, plus BIC's penalty."""
    price = log(data.record_count) / 2
    sizes = [variable.state_count for variable in data.variables]
    parameters = sum(
        family.relation.parameter_count(
            sizes[family.child], [sizes[v] for v in family.parent_indices()]
        )
        for family in network.structure.families
    )
    return parameters * price - observed_log_likelihood(network, data)


def structural_em(
    data: IncompleteDataset, start: Network, relations: Sequence[Relation], steps: int
) -> list[Network]:
    """Return the networks of so many steps of structural EM, without that of the start."""
    networks = [start]
    for _ in range(steps):
        networks.append(best_network(expected_table(networks[-1], data), relations))
    return networks[1:]
