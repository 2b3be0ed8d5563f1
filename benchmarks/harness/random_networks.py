"""Random sparse networks, the same for the same name: ground truths of any size for the study.

A name such as `mixed-16-3` is a kind, the number of variables and the number of the instance.

- Graph: the variables have a random order. ARCS_PER_VARIABLE arcs per variable are drawn uniformly
  from all pairs, from the earlier to the later, so that none has more than MOST_PARENTS parents.
- Relation: a family with two or more parents is a noisy-OR (kind `noisy-or`), a noisy-OR or a full
  table with chance 1/2 each (kind `mixed`), a leaky noisy-OR (kind `leaky-noisy-or`) or a full
  table (kind `cpt`). A family with one parent is a full table in every kind: one cause has nothing
  to combine with, and a noisy-OR of it only says that the child never occurs without its parent.
  In a chain of these families variables become ever rarer.
- Parameters: roots are present with a chance from ROOT_CHANCES, causes fail with a q from FAILURES
  and leaks act with a chance from LEAKS, all uniform; the entries of a full table with parents are
  uniform from 0 to 1.
- The distribution of a node is drawn again until the node is present in a share of FREQUENCIES of
  TRIAL_RECORDS records, drawn along the way: if a variable hardly varied, no number of records in
  the study could show its arcs.
"""

import re
from enum import StrEnum
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Distribution,
    Family,
    Network,
    NoisyOr,
    Relation,
    Structure,
)
from noisyor.core.provenance import Provenance
from noisyor.core.variable import variables_of
from noisyor.core.variable_sets import set_of
from noisyor.core.version import VERSION
from noisyor.networks.sampling import sample_records

ARCS_PER_VARIABLE = 1.35
MOST_PARENTS = 4
ROOT_CHANCES = (0.2, 0.8)
FAILURES = (0.05, 0.6)
LEAKS = (0.05, 0.3)
FREQUENCIES = (0.1, 0.9)
TRIAL_RECORDS = 4000
MOST_DRAWS = 10_000
FEWEST_VARIABLES = 4  # fewer variables have fewer pairs than arcs


class Kind(StrEnum):
    """Which relations the families with two or more parents have.

    The place of a kind is part of its networks' seeds: new kinds go last.
    """

    NOISY_OR = "noisy-or"
    MIXED = "mixed"
    LEAKY = "leaky-noisy-or"
    TABLES = "cpt"


_KINDS = tuple(Kind)
_NAME = re.compile(rf"({'|'.join(_KINDS)})-([1-9][0-9]*)-([0-9]+)")

Columns = dict[int, npt.NDArray[np.bool_]]


def network_name(kind: Kind, variables: int, instance: int) -> str:
    """Return the name of a random network."""
    return f"{kind}-{variables}-{instance}"


def parts_of(name: str) -> tuple[Kind, int, int]:
    """Return the kind, the number of variables and the instance that a name stands for."""
    found = _NAME.fullmatch(name)
    if found is None or int(found[2]) < FEWEST_VARIABLES:
        raise ValueError(
            f"{name!r} is no random network; names are KIND-VARIABLES-INSTANCE with a kind of "
            f"{', '.join(_KINDS)} and at least {FEWEST_VARIABLES} variables, such as mixed-16-3"
        )
    return Kind(found[1]), int(found[2]), int(found[3])


def is_random(name: str) -> bool:
    """Return whether a name is that of a random network."""
    return _NAME.fullmatch(name) is not None


def random_network(name: str) -> Network:
    """Return the random network of this name."""
    kind, variables, instance = parts_of(name)
    random = np.random.default_rng([_KINDS.index(kind), variables, instance])
    order = [int(variable) for variable in random.permutation(variables)]
    parents = random_parents(random, order)
    columns: Columns = {}
    families: dict[int, Family] = {}
    distributions: dict[int, Distribution] = {}
    for child in order:
        above = sorted(parents[child])
        relation = _random_relation(random, kind) if len(above) >= 2 else CPT
        families[child] = Family(child, set_of(above), relation)
        distributions[child], columns[child] = _varied_distribution(
            random, families[child], [columns[parent] for parent in above]
        )
    places = range(variables)
    names = tuple(f"X{place + 1}" for place in places)
    return Network(
        Structure(names, tuple(families[v] for v in places)),
        variables_of(names, (("absent", "present"),) * variables),
        tuple(distributions[v] for v in places),
        None,
        Provenance(VERSION, settings=(("network", name),)),
    )


def write_sample(network: Network, records: int, seed: int, path: Path) -> Path:
    """Write records drawn from a network as CSV, the same for the same seed."""
    drawn = sample_records(network, records, seed=seed).astype(np.uint8)
    pl.DataFrame(dict(zip(network.names, drawn.T, strict=True))).write_csv(path)
    return path


def random_parents(random: np.random.Generator, order: list[int]) -> dict[int, set[int]]:
    """Return each variable's parents, all of them earlier in the order."""
    parents: dict[int, set[int]] = {variable: set() for variable in order}
    pairs = [(one, other) for place, other in enumerate(order) for one in order[:place]]
    left = round(ARCS_PER_VARIABLE * len(order))
    for place in random.permutation(len(pairs)):
        parent, child = pairs[place]
        if left and len(parents[child]) < MOST_PARENTS:
            parents[child].add(parent)
            left -= 1
    return parents


def _random_relation(random: np.random.Generator, kind: Kind) -> Relation:
    match kind:
        case Kind.NOISY_OR:
            return NOISY_OR
        case Kind.LEAKY:
            return LEAKY_NOISY_OR
        case Kind.TABLES:
            return CPT
        case Kind.MIXED:
            return NOISY_OR if random.random() < 0.5 else CPT


def _varied_distribution(
    random: np.random.Generator, family: Family, above: list[npt.NDArray[np.bool_]]
) -> tuple[Distribution, npt.NDArray[np.bool_]]:
    """Return a distribution under which the child varies, and the child in the trial records."""
    least, most = FREQUENCIES
    for _ in range(MOST_DRAWS):
        distribution = _random_distribution(random, family)
        chances = distribution.chances(above, TRIAL_RECORDS)[1]
        column = random.random(TRIAL_RECORDS) < chances
        if least <= column.mean() <= most:
            return distribution, column
    raise RuntimeError(f"variable {family.child} hardly varies, whatever parameters are drawn")


def _random_distribution(random: np.random.Generator, family: Family) -> Distribution:
    if family.relation is NOISY_OR:
        return NoisyOr(random.uniform(*FAILURES, family.parent_count))
    if family.relation is LEAKY_NOISY_OR:
        return NoisyOr(random.uniform(*FAILURES, family.parent_count), 1 - random.uniform(*LEAKS))
    if not family.parents:
        return Cpt.binary(random.uniform(*ROOT_CHANCES, 1))
    return Cpt.binary(random.random(2**family.parent_count))
