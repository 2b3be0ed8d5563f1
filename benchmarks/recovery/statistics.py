"""Distances of learned networks from the truth, by the number of variables."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.harness.measuring import Results


def by_variables(results: Mapping[str, Results]) -> dict[int, list[Results]]:
    """Return the results that there are, by the number of variables."""
    found: dict[int, list[Results]] = {}
    for one in results.values():
        if "nothing_because" not in one:
            found.setdefault(one["variables"], []).append(one)
    return dict(sorted(found.items()))


def distance(result: Results) -> float:
    """Return the missing and extra edges of a sample per true arc."""
    learned = result["learned"]
    return float((learned["missing"] + learned["extra"]) / result["truth"]["arcs"])


def mean_distance(some: Sequence[Results]) -> float:
    """Return the mean over samples."""
    return fmean(distance(one) for one in some)


def proven_count(some: Sequence[Results]) -> int:
    """Return in how many samples the best network of all is proven."""
    return sum(one["learned"]["proven"] for one in some)
