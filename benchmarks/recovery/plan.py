"""Networks of more and more variables, with one sample each."""

from collections.abc import Collection
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, network_name

RESULTS = RESULTS_FOLDER / "recovery.jsonl"

VARIABLES = (20, 30, 50, 100, 200)
NETWORKS = 3
"""Random networks of each number of variables: too few for intervals."""

RECORDS = 1000
KIND = Kind.LEAKY
RELATIONS = ("cpt", "leaky-noisy-or")
"""What competes: the default, spelled out, and what the networks are made of."""

LIMIT = 60.0
"""Seconds of processor time for each run of learning."""


def jobs(only: Collection[int] = VARIABLES) -> list[Job]:
    """Return the jobs with some numbers of variables, first networks first."""
    return [
        Job(network_name(KIND, variables, network), RECORDS, 0)
        for network in range(NETWORKS)
        for variables in VARIABLES
        if variables in only
    ]


def stored_jobs(path: Path = RESULTS) -> dict[str, Results]:
    """Return the stored results of all jobs, by key."""
    return stored(jobs(), path)
