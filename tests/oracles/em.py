"""Structural EM by brute force, on small tables: all completions, with their exact weights.

It shares no code with the package but `fit`, which has an oracle of its own: a step sums over every
completion of every record, with its probability in the network before, and tries every network.
"""

from itertools import product
from math import exp, fsum, log

import numpy as np

from noisyor.core import BIC, Dataset, Family, Network, Structure
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


def best_network(table: Dataset, structures: list[Structure]) -> Network:
    """Return the best of these structures on a table, with its parameters; the first of equals."""
    costs: dict[Family, float] = {}
    for structure in structures:
        for family in structure.families:
            if family not in costs:
                costs[family] = fit(table, family, score=BIC).cost
    totals = [fsum(costs[family] for family in one.families) for one in structures]
    return fit_network(table, structures[int(np.argmin(np.round(totals, 6)))])


def structural_em(
    data: IncompleteDataset, start: Network, structures: list[Structure], steps: int
) -> list[Network]:
    """Return the networks of so many steps of structural EM."""
    networks = [start]
    for _ in range(steps):
        networks.append(best_network(expected_table(networks[-1], data), structures))
    return networks


def share(logarithm: float) -> float:
    """Return a probability from its logarithm."""
    return exp(logarithm)
