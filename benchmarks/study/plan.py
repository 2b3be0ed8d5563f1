"""The jobs of the study: networks, numbers of records and repeats."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.learning_jobs import RESULTS as TRUTH_RESULTS
from benchmarks.harness.learning_jobs import Job, stored
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, network_name

RANDOM_RESULTS = RESULTS_FOLDER / "study.jsonl"
SIZES = (100, 200, 500, 1000, 2000, 5000)
KINDS = (Kind.NOISY_OR, Kind.MIXED)
"""The kinds of random networks in the study."""


@dataclass(frozen=True, slots=True)
class Share:
    """Repeats and numbers of records for a network, or for random networks of one size.

    `repeats` are samples of a ground-truth network, or random networks of each kind with one
    sample each, for every number of records in `sizes`.
    """

    repeats: int
    sizes: tuple[int, ...]


RANDOM = {
    8: Share(10, SIZES),
    12: Share(10, SIZES),
    16: Share(10, SIZES),
    20: Share(6, SIZES),
    25: Share(4, (100, 500)),
    30: Share(4, (100, 500)),
}
"""By the number of variables; larger ones take longer, the more records there are."""

TRUE = {
    "earthquake": Share(20, SIZES),
    "survey": Share(20, SIZES),
    "asia": Share(20, SIZES),
    "sachs": Share(20, SIZES),
    "child": Share(10, SIZES),
    "insurance": Share(6, (100, 200, 500, 1000)),
    "alarm": Share(3, (100, 500, 1000)),
}
"""By the name of the ground-truth network."""

CURVE_VARIABLES = tuple(n for n, share in RANDOM.items() if share.sizes == SIZES)
"""Random networks that are run with every number of records, so that a curve over these numbers
is of the same networks from end to end."""

COMMON_SIZE = 500
"""The number of records with which random networks of every size are run."""


def choices() -> tuple[str, ...]:
    """Return the names of the study's parts: a kind with its size, or a network."""
    return (*(f"{kind}-{n}" for kind in KINDS for n in RANDOM), *TRUE)


def random_jobs(only: Collection[str]) -> list[Job]:
    """Return the jobs on random networks of the parts that were chosen, small ones first."""
    return [
        Job(network_name(kind, n, instance), size, 0)
        for n, share in RANDOM.items()
        for instance in range(share.repeats)
        for kind in KINDS
        if f"{kind}-{n}" in only
        for size in share.sizes
    ]


def true_jobs(only: Collection[str]) -> list[Job]:
    """Return the jobs on ground-truth networks that were chosen, first repeats first."""
    return [
        Job(name, size, repeat)
        for repeat in range(max(share.repeats for share in TRUE.values()))
        for name, share in TRUE.items()
        if name in only and repeat < share.repeats
        for size in share.sizes
    ]


def stored_study(
    random_path: Path = RANDOM_RESULTS, true_path: Path = TRUTH_RESULTS
) -> dict[str, Results]:
    """Return the stored results of the study's jobs, by key."""
    return {
        **stored(random_jobs(choices()), random_path),
        **stored(true_jobs(choices()), true_path),
    }
