"""The networks and samples on which weights are calibrated."""

from collections.abc import Collection

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, network_name

RESULTS = RESULTS_FOLDER / "calibration.jsonl"

SIZES = (100, 500)
VARIABLES = 8
INSTANCES = 6
"""Of random networks of each kind, each with one sample of each size."""

SMALL = ("earthquake", "survey", "asia", "sachs")
REPEATS = 2
"""Samples of each size of the ground-truth networks of 5 to 11 variables."""

RANDOM, TRUE = "random networks", "ground-truth networks"


def choices() -> tuple[str, ...]:
    """Return the names of the parts: a kind of random networks, or a network."""
    return (*map(str, Kind), *SMALL)


def jobs(only: Collection[str]) -> list[Job]:
    """Return the jobs of the parts that were chosen."""
    random = [
        Job(network_name(kind, VARIABLES, instance), records, 0)
        for instance in range(INSTANCES)
        for kind in Kind
        for records in SIZES
        if str(kind) in only
    ]
    true = [
        Job(name, records, repeat)
        for repeat in range(REPEATS)
        for name in SMALL
        for records in SIZES
        if name in only
    ]
    return [*random, *true]


def stored_jobs() -> dict[str, Results]:
    """Return the stored results of all jobs, by key."""
    return stored(jobs(choices()), RESULTS)
