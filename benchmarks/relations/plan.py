"""The sets of relations that are compared, and the networks and samples they are compared on."""

from collections.abc import Collection
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, is_random, network_name
from benchmarks.study.plan import Share

RESULTS = RESULTS_FOLDER / "relations.jsonl"
SIZES = (100, 500, 1000)

TABLES, PAPER, LEAKY, BOTH, ALL = "cpt", "paper", "leaky", "both", "all"
SETS: dict[str, tuple[str, ...]] = {
    TABLES: ("cpt",),
    PAPER: ("cpt", "noisy-or"),
    LEAKY: ("cpt", "leaky-noisy-or"),
    BOTH: ("cpt", "noisy-or", "leaky-noisy-or"),
    ALL: (
        "cpt",
        *(
            f"{prefix}noisy-{word}"
            for word in ("or", "and")
            for prefix in ("", "leaky-", "signed-")
        ),
    ),
}
"""The relations of each set, by its name. They are spelled out: a group of the package may change
what it stands for, and stored results may not."""

RANDOM = {8: Share(30, SIZES), 12: Share(30, SIZES)}
"""By the number of variables; as many networks of each kind."""

KINDS = (Kind.NOISY_OR, Kind.LEAKY, Kind.TABLES)

SMALL = {name: Share(30, SIZES) for name in ("earthquake", "survey", "asia", "sachs")}
LARGE = {name: Share(6, (100, 500)) for name in ("child", "insurance", "alarm")}
"""Ground-truth networks of 20 to 37 variables. With all relations these take minutes a sample, so
that set is left out here."""

GROUPS: dict[str, tuple[str, ...]] = {
    "noisy-ORs without leak": (str(Kind.NOISY_OR),),
    "noisy-ORs with leak": (str(Kind.LEAKY),),
    "full tables": (str(Kind.TABLES),),
    "ground truth, 5 to 11 variables": tuple(SMALL),
    "ground truth, 20 to 37 variables": tuple(LARGE),
}
"""The kinds of random networks, or the ground-truth networks, over which figures are averaged."""


def choices() -> tuple[str, ...]:
    """Return the names of the parts: a kind with its size, or a network."""
    return (*(f"{kind}-{n}" for kind in KINDS for n in RANDOM), *SMALL, *LARGE)


def jobs(only: Collection[str]) -> list[Job]:
    """Return the jobs of the parts that were chosen, first repeats first."""
    random = [
        Job(network_name(kind, n, instance), size, 0)
        for n, share in RANDOM.items()
        for instance in range(share.repeats)
        for kind in KINDS
        if f"{kind}-{n}" in only
        for size in share.sizes
    ]
    true = {**SMALL, **LARGE}
    return random + [
        Job(name, size, repeat)
        for repeat in range(max(share.repeats for share in true.values()))
        for name, share in true.items()
        if name in only and repeat < share.repeats
        for size in share.sizes
    ]


def sets_for(network: str) -> dict[str, tuple[str, ...]]:
    """Return the sets of relations that compete on a network."""
    if is_random(network) or network not in LARGE:
        return SETS
    return {name: relations for name, relations in SETS.items() if name != ALL}


def stored_jobs(path: Path = RESULTS) -> dict[str, Results]:
    """Return the stored results of all jobs, by key."""
    return stored(jobs(choices()), path)
