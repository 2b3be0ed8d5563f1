"""Networks of more and more variables, and the relations that they are learned with."""

from collections.abc import Collection
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, network_name

RESULTS = RESULTS_FOLDER / "recovery.jsonl"

VARIABLES = (30, 50, 100, 200)
NETWORKS = 3
"""Random networks of each number of variables, with one sample each: too few for intervals."""

RECORDS = 1000
KIND = Kind.LEAKY
LIMIT = 30.0
"""Seconds of processor time for each run of learning."""

TABLES, LEAKY = "cpt", "leaky"
SETS: dict[str, tuple[str, ...]] = {TABLES: ("cpt",), LEAKY: ("cpt", "leaky-noisy-or")}
"""The relations that compete, by the name of the set."""

TITLES = {TABLES: "full tables", LEAKY: "full tables and leaky noisy-ORs"}


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
