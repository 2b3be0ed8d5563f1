"""Means over the samples of known networks, with intervals over the networks."""

from collections.abc import Callable, Mapping

from benchmarks.gaps.plan import Job, Mechanism, Way, jobs
from benchmarks.harness.measuring import Results
from benchmarks.study.statistics import Band, ratio_band

Reading = Callable[[Results, Way], float | None]
"""Returns a figure of one way in the result of a job; None where it has none."""


def excess_nats(result: Results, way: Way) -> float | None:
    """Return by how many nats per fresh record a way is worse than learning from whole records."""
    own = result[way]
    return None if own is None else float(result[Way.WHOLE]["held_out"] - own["held_out"])


def excess_edges(result: Results, way: Way) -> float | None:
    """Return how many more edges per true arc are wrong than from whole records (CPDAGs)."""
    own = result[way]
    if own is None:
        return None
    more = own["cpdag_shd"] - result[Way.WHOLE]["cpdag_shd"]
    return float(more / result["truth"]["arcs"])


def cell(
    results: Mapping[str, Results], mechanism: Mechanism, share: float, way: Way, reading: Reading
) -> Band | None:
    """Return the mean of a figure over the jobs of one kind of gaps, with its interval."""
    parts: dict[str, tuple[float, float]] = {}
    for job in of_kind(mechanism, share):
        value = reading(results[job.key], way) if job.key in results else None
        if value is not None:
            total, count = parts.get(job.network, (0.0, 0.0))
            parts[job.network] = (total + value, count + 1)
    return ratio_band(parts)


def of_kind(mechanism: Mechanism, share: float) -> list[Job]:
    """Return the jobs of one kind of gaps."""
    return [job for job in jobs() if (job.mechanism, job.share) == (mechanism, share)]
