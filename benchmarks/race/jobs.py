"""The jobs of the race: tables, programs and tasks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness.example_networks import sampled_states
from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import dataset_file, read_dataset
from benchmarks.harness.random_networks import random_network
from benchmarks.race.timing import Table
from noisyor.networks import sample_records

RESULTS = RESULTS_FOLDER / "race.json"
OWN_LIMIT, PEER_LIMIT = 120.0, 30.0  # seconds of one call
STATES_LIMIT = 600.0  # of a peer that scores all families

OWN = ("noisyor, 1 thread", "noisyor, all cores")
GREEDY = ("pgmpy hill climbing", "pyAgrum hill climbing", "pyAgrum tabu", "pyAgrum MIIC")
EXACT = ("pomegranate exact", "causal-learn exact")
EXHAUSTIVE = "pgmpy exhaustive"
NO_PSEUDOCOUNT = "pomegranate exact, no pseudocount"
LEARN = "noisyor learn"
SCORERS = (
    "noisyor, a family a call",
    "noisyor, all sets",
    "noisyor, all sets, pruned",
    "pgmpy scores",
    "pyAgrum scores",
)
ALL_COSTS = "noisyor, all costs"
PRUNED = "noisyor, all sets, pruned"
ONE_BY_ONE = "noisyor, a family a call"
STATES_SCORERS = (
    ALL_COSTS,
    PRUNED,
    ONE_BY_ONE,
    "GOBNILP, all sets",
    "pyAgrum, all sets",
    "pgmpy scores",
)

OPTIMUM_DATA = ("adult", "nltcs", "zoo", "msnbc", "letter")
SUBSET_DATA, SUBSET_SIZES = "nltcs", (4, 5, 6, 8, 10, 12)
SCORING_DATA, SCORED_FAMILIES, MAX_PARENTS = ("zoo", "nltcs", "adult"), 1000, 3
TRUTH = "mixed-30-0"  # of `random_networks`
STATES_DATA, STATES_RECORDS = ("child", "insurance", "alarm", "hailfinder"), 1000
VARIABLES, VARIABLES_RECORDS = (10, 12, 14, 16, 18, 20, 25, 30), 1000
RECORDS, RECORDS_VARIABLES = (100, 1000, 10_000, 100_000, 1_000_000), 15
BINS, BINNED_VARIABLES, BINNED_RECORDS = (2, 3, 4, 5, 6, 8, 10), 14, 2000
WEIGHTS = (0.5, 1.0)  # of the parents' numbers in a child's, with noise of variance 1
FACTORS, FACTOR_DATA = (1, 3, 10, 20, 50, 100, 150), ("zoo", "hepatitis")
SEED = 8


@dataclass(frozen=True, slots=True)
class Job:
    """A table, and the programs that are given it.

    A program that failed at the job `after` is not tried at this one.
    """

    key: str
    table: Callable[[], Table]
    programs: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    after: str | None = None
    peer_limit: float = PEER_LIMIT


def all_jobs(folder: Path) -> list[Job]:
    """Return the jobs in their order; the folder holds the paper's data sets."""
    return [
        *(
            Job(f"optimum/{name}", partial(stored, folder, name), (*OWN, *GREEDY, *EXACT))
            for name in OPTIMUM_DATA
        ),
        *subset_jobs(folder),
        *(scoring_job(folder, name) for name in SCORING_DATA),
        *(states_job(name) for name in STATES_DATA),
        *variables_jobs(),
        *(
            Job(f"records/{size}", partial(sampled, RECORDS_VARIABLES, size), (OWN[0], LEARN))
            for size in RECORDS
        ),
        *(Job(f"bins/{states}", partial(binned, states), (OWN[0], LEARN)) for states in BINS),
        *(
            Job(
                f"factor/{name}/{factor}",
                partial(stored, folder, name),
                (LEARN,),
                {"bayes_factor": factor},
            )
            for name in FACTOR_DATA
            for factor in FACTORS
        ),
    ]


def subset_jobs(folder: Path) -> list[Job]:
    """Return the jobs with a few columns of one data set, where even all graphs can be tried."""
    programs = (*OWN, GREEDY[0], GREEDY[2], *EXACT, NO_PSEUDOCOUNT, EXHAUSTIVE)
    return [
        Job(
            f"subset/{size}",
            partial(some_columns, folder, SUBSET_DATA, size),
            programs,
            after=f"subset/{before}" if before else None,
        )
        for before, size in zip((0, *SUBSET_SIZES), SUBSET_SIZES, strict=False)
    ]


def variables_jobs() -> list[Job]:
    """Return the jobs that grow by variables."""
    return [
        Job(
            f"variables/{size}",
            partial(sampled, size, VARIABLES_RECORDS),
            (OWN[0], LEARN, GREEDY[0], GREEDY[2], *EXACT),
            after=f"variables/{before}" if before else None,
        )
        for before, size in zip((0, *VARIABLES), VARIABLES, strict=False)
    ]


def scoring_job(folder: Path, name: str) -> Job:
    """Return the job of scoring: the peers are given a sample of all small parent sets."""
    table = partial(stored, folder, name)
    return Job(f"scoring/{name}", table, SCORERS, {"max_parents": MAX_PARENTS, "sampled": True})


def states_job(name: str) -> Job:
    """Return the job of scoring a table whose variables have more than two states."""
    table = partial(sampled_states, name, STATES_RECORDS, SEED)
    options = {"max_parents": MAX_PARENTS, "sampled": True}
    return Job(f"states/{name}", table, STATES_SCORERS, options, peer_limit=STATES_LIMIT)


def sample_families(variables: int) -> list[list[Any]]:
    """Return different families with at most MAX_PARENTS parents, drawn uniformly."""
    everything = [
        [child, list(above)]
        for child in range(variables)
        for size in range(MAX_PARENTS + 1)
        for above in combinations([v for v in range(variables) if v != child], size)
    ]
    random = np.random.default_rng([SEED, variables])
    chosen = random.permutation(len(everything))[:SCORED_FAMILIES]
    return [everything[place] for place in chosen]


def stored(folder: Path, name: str) -> Table:
    """Return the records of a data set."""
    data = read_dataset(dataset_file(folder, name))
    columns = [np.repeat(data.column(v), data.weights) for v in range(data.variable_count)]
    return _shuffled(np.column_stack(columns))


def some_columns(folder: Path, name: str, size: int) -> Table:
    """Return random columns of a data set; those of a smaller size are among them."""
    table = stored(folder, name)
    columns = np.random.default_rng(SEED).permutation(table.shape[1])[:size]
    return np.ascontiguousarray(table[:, columns])


def sampled(variables: int, records: int) -> Table:
    """Return records of the first variables of a random network, parents before children.

    So they are records of a network, too, and fewer records are the first of more.
    """
    network = random_network(TRUTH)
    order = list(network.structure.topological_order()[:variables])
    drawn = sample_records(network, max(RECORDS), seed=SEED)[:records, order]
    return np.ascontiguousarray(drawn).view(np.uint8)


def binned(states: int) -> Table:
    """Return the same numbers for any number of states, cut into so many bins of equal shares.

    The numbers have the arcs of the random network's first variables: each is a weighted sum of its
    parents and noise, scaled to variance 1. So only the states grow, not the records or the arcs.
    """
    structure = random_network(TRUTH).structure
    order = list(structure.topological_order()[:BINNED_VARIABLES])
    random = np.random.default_rng(SEED)
    numbers: dict[int, npt.NDArray[np.float64]] = {}
    for child in order:
        total = random.standard_normal(BINNED_RECORDS)
        for parent in structure.families[child].parent_indices():
            total = total + random.uniform(*WEIGHTS) * numbers[parent]
        numbers[child] = total / total.std()
    ranks = np.column_stack([numbers[child].argsort().argsort() for child in order])
    return (ranks * states // BINNED_RECORDS).astype(np.uint8)


def _shuffled(columns: npt.NDArray[np.bool_]) -> Table:
    """Return the records in random order: sorted ones would be easier to count."""
    order = np.random.default_rng(SEED).permutation(len(columns))
    return np.ascontiguousarray(columns[order]).view(np.uint8)
