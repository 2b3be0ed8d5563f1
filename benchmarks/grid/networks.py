"""Random networks of a cell: arcs as in the study, distributions as the cell says."""

import hashlib

import numpy as np
import numpy.typing as npt

from benchmarks.grid.plan import FAILURES, ROOTS, VARIABLES, Cell, Model, Prevalence
from benchmarks.harness.random_networks import random_parents
from noisyor import Cpt, Family, Network, Structure
from noisyor.core.provenance import Provenance
from noisyor.core.variable import variables_of
from noisyor.core.variable_sets import set_of
from noisyor.core.version import VERSION

Chances = npt.NDArray[np.float64]

FREQUENCIES = {Prevalence.COMMON: (0.1, 0.9), Prevalence.RARE: (0.01, 0.99)}
"""How often each variable is present; distributions are drawn again until it is."""

_TRIAL_RECORDS = 4000
_MOST_DRAWS = 100  # of a distribution, before the whole network is drawn again
_MOST_NETWORKS = 1000


def seed_of(*parts: object) -> int:
    """Return a seed for these parts, the same on every machine."""
    text = "/".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def network_of(cell: Cell, number: int) -> Network:
    """Return a random network of a cell, whose distributions are written as full tables."""
    random = np.random.default_rng(seed_of(cell.name, number, "network"))
    for _ in range(_MOST_NETWORKS):
        order = [int(variable) for variable in random.permutation(VARIABLES)]
        parents = random_parents(random, order)
        chances = _all_chances(random, cell, order, parents)
        if chances is not None:
            break
    else:
        raise RuntimeError(f"no network of {cell.name} has variables that vary")
    places = range(VARIABLES)
    names = tuple(f"X{place + 1}" for place in places)
    return Network(
        Structure(names, tuple(Family(v, set_of(sorted(parents[v]))) for v in places)),
        variables_of(names, (("absent", "present"),) * VARIABLES),
        tuple(Cpt.binary(chances[v]) for v in places),
        None,
        Provenance(VERSION, settings=(("network", f"{cell.name}/{number}"),)),
    )


def _all_chances(
    random: np.random.Generator, cell: Cell, order: list[int], parents: dict[int, set[int]]
) -> dict[int, Chances] | None:
    """Return the chances of every variable; None if one of them hardly varies."""
    columns: dict[int, npt.NDArray[np.bool_]] = {}
    chances: dict[int, Chances] = {}
    for child in order:
        found = _varied(random, cell, [columns[one] for one in sorted(parents[child])])
        if found is None:
            return None
        chances[child], columns[child] = found
    return chances


def _varied(
    random: np.random.Generator, cell: Cell, above: list[npt.NDArray[np.bool_]]
) -> tuple[Chances, npt.NDArray[np.bool_]] | None:
    """Return chances under which the child varies, and the child in trial records."""
    least, most = FREQUENCIES[cell.prevalence]
    index = sum((column.astype(int) << t for t, column in enumerate(above)), np.zeros(1, int))
    for _ in range(_MOST_DRAWS):
        chances = drawn_chances(random, cell, len(above))
        column = random.random(_TRIAL_RECORDS) < np.broadcast_to(chances[index], _TRIAL_RECORDS)
        if least <= column.mean() <= most:
            return chances, column
    return None


def drawn_chances(random: np.random.Generator, cell: Cell, count: int) -> Chances:
    """Return the chance of presence in each configuration; bit t of its index is parent t."""
    if not count:
        low, high = ROOTS[cell.prevalence]
        return random.uniform(low, high, 1)
    if cell.model is Model.TABLES:
        uniform: Chances = random.random(2**count)
        return uniform
    present = np.arange(2**count)[:, None] >> np.arange(count) & 1
    failures = random.uniform(*FAILURES[cell.strength], count)
    match cell.model:
        case Model.OR:
            acts = present
        case Model.SIGNED:
            reversed_ones = random.random(count) < 0.5
            acts = np.where(reversed_ones, 1 - present, present)
        case Model.AND:
            acts = 1 - present
    spared = (1 - cell.leak) * np.prod(failures**acts, axis=1)
    brought_about: Chances = spared if cell.model is Model.AND else 1 - spared
    return brought_about
