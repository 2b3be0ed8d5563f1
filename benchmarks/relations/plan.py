"""The sets of relations that are compared, and the networks and samples they are compared on."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, is_random, network_name
from benchmarks.study.plan import Share

RESULTS = RESULTS_FOLDER / "relations.jsonl"
ADDED_RESULTS = RESULTS_FOLDER / "relations_added.jsonl"
SIZES = (100, 500, 1000)


@dataclass(frozen=True, slots=True)
class RelationSet:
    """The relations that compete, and the score."""

    relations: tuple[str, ...]
    score: str = "bic"


TABLES, PAPER, LEAKY, BOTH, ALL = "cpt", "paper", "leaky", "both", "all"
SIGNED, LEAKY_EBIC = "signed", "leaky-ebic"
SETS = {
    TABLES: RelationSet(("cpt",)),
    PAPER: RelationSet(("cpt", "noisy-or")),
    LEAKY: RelationSet(("cpt", "leaky-noisy-or")),
    BOTH: RelationSet(("cpt", "noisy-or", "leaky-noisy-or")),
    ALL: RelationSet(
        (
            "cpt",
            *(
                f"{prefix}noisy-{word}"
                for word in ("or", "and")
                for prefix in ("", "leaky-", "signed-")
            ),
        )
    ),
    SIGNED: RelationSet(("cpt", "signed-noisy-or", "signed-noisy-and")),
    LEAKY_EBIC: RelationSet(("cpt", "leaky-noisy-or"), "ebic"),
}
"""The sets by name. Relations are spelled out: a group of the package may change what it stands
for, and stored results may not."""

ADDED = (SIGNED, LEAKY_EBIC)
"""The sets that came later: their results have a file of their own, on the same samples."""

RANDOM = {8: Share(30, SIZES), 12: Share(30, SIZES)}
"""By the number of variables; as many networks of each kind."""

KINDS = (Kind.NOISY_OR, Kind.LEAKY, Kind.TABLES)

SMALL = {name: Share(30, SIZES) for name in ("earthquake", "survey", "asia", "sachs")}
LARGE = {name: Share(6, (100, 500)) for name in ("child", "insurance", "alarm")}
"""Ground-truth networks of 20 to 37 variables. With many relations these take minutes a sample, so
the sets in TOO_LONG are left out here."""

TOO_LONG = (ALL, SIGNED)

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


def sets_for(network: str) -> dict[str, RelationSet]:
    """Return the sets of relations that compete on a network."""
    if is_random(network) or network not in LARGE:
        return SETS
    return {name: one for name, one in SETS.items() if name not in TOO_LONG}


def stored_jobs(path: Path = RESULTS, added_path: Path = ADDED_RESULTS) -> dict[str, Results]:
    """Return the stored results of all jobs, by key, with those of the added sets."""
    added = stored(jobs(choices()), added_path)
    return {
        key: {**added.get(key, {}), **one} for key, one in stored(jobs(choices()), path).items()
    }
