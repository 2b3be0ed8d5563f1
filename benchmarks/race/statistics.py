"""Statistics of the race: ratios of times, and costs of the networks found."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

from benchmarks.harness.measuring import Results
from benchmarks.race.jobs import OWN
from noisyor.core.tolerance import is_within

BASE = OWN[0]
"""Ratios are to noisyor on one thread, its slower variant; the peers had all cores."""

BUSY_KIND = "bins"
"""The jobs whose processor time counts: other programs ran at the same time."""


def best_seconds(one: Results) -> float | None:
    """Return the shortest time of a program, if it gave anything."""
    return None if "nothing_because" in one else float(min(one["seconds"]))


def busy_seconds(one: Results) -> float | None:
    """Return the processor time of a program's shortest run, if it gave anything."""
    return None if "nothing_because" in one else float(one["busy_seconds"])


def ratio(job: Results, program: str, base: str = BASE) -> float | None:
    """Return how many times as long as noisyor a program takes, if both gave something."""
    own, other = (best_seconds(job["programs"][name]) for name in (base, program))
    return None if own is None or other is None else other / own


def least_ratio(job: Results, program: str, base: str = BASE) -> float | None:
    """Return how many times as long a program takes at least, if it was stopped at a limit."""
    own, limit = best_seconds(job["programs"][base]), job["programs"][program].get("limit")
    return None if own is None or limit is None else float(limit) / own


def excess(job: Results, program: str) -> float | None:
    """Return by how much a program's network costs more than the optimum, in nats.

    The optimum is noisyor's; a peer with a better network would have an excess below 0.
    """
    one, own = job["programs"][program], job["programs"][BASE]
    if "cost" not in one or not own.get("complete"):
        return None
    return float(one["cost"] - own["cost"])


def is_optimal(job: Results, program: str) -> bool:
    """Return whether a program's network costs no more than the optimum, up to the tolerance."""
    cost = job["programs"][program].get("cost")
    return cost is not None and is_within(cost, job["programs"][BASE]["cost"])


def microseconds_a_family(one: Results) -> float | None:
    """Return the time per family, including making the scorer."""
    seconds = best_seconds(one)
    return None if seconds is None else 1e6 * seconds / one["families"]


def busy_microseconds_a_family(one: Results) -> float | None:
    """Return the processor time of all threads per family, including making the scorer."""
    return None if "busy_seconds" not in one else 1e6 * one["busy_seconds"] / one["families"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a program did in all jobs that it was in."""

    jobs: int
    finished: int
    stopped: int  # at the limit
    optimal: int
    ratios: tuple[float, ...]
    largest_excess: float | None
    cores: float | None

    @property
    def median_ratio(self) -> float | None:
        """The median of the ratios, if there are any."""
        return median(self.ratios) if self.ratios else None


def standing(jobs: Iterable[Results], program: str) -> Standing:
    """Return how a program did, without the jobs at which it was not tried."""
    mine = [
        job
        for job in jobs
        if program in job["programs"] and "gave_up_at" not in job["programs"][program]
    ]
    results = [job["programs"][program] for job in mine]
    done = [one for one in results if "seconds" in one]
    ratios = [found for job in mine if (found := ratio(job, program)) is not None]
    above = [found for job in mine if (found := excess(job, program)) is not None]
    return Standing(
        len(mine),
        len(done),
        sum("limit" in one for one in results),
        sum(is_optimal(job, program) for job in mine),
        tuple(sorted(ratios)),
        max(above, default=None),
        median(one["busy_seconds"] / min(one["seconds"]) for one in done) if done else None,
    )


def jobs_of(results: Results, kind: str) -> dict[str, Results]:
    """Return the jobs of a kind, such as `optimum`, by the rest of their names."""
    start = f"{kind}/"
    return {key.removeprefix(start): one for key, one in results.items() if key.startswith(start)}


def programs_of(jobs: Iterable[Results]) -> list[str]:
    """Return the programs of some jobs, each once."""
    return list(dict.fromkeys(name for job in jobs for name in job["programs"]))


def peer_versions(results: Results) -> dict[str, list[str]]:
    """Return all versions of each package that some result was made with."""
    found: dict[str, list[str]] = {}
    for job in results.values():
        for one in job["programs"].values():
            for name, number in one.get("versions", {}).items():
                found.setdefault(name, [])
                if number not in found[name]:
                    found[name].append(number)
    return dict(sorted(found.items()))


def reasons(jobs: dict[str, Results]) -> dict[str, list[str]]:
    """Return why programs failed, other than by a limit, with the jobs concerned."""
    found: dict[str, list[str]] = {}
    for key, job in jobs.items():
        for name, one in job["programs"].items():
            if "nothing_because" in one and "limit" not in one and "gave_up_at" not in one:
                found.setdefault(f"{name}: {one['nothing_because']}", []).append(key)
    return found


def counts(job: Results, program: str) -> dict[str, Any] | None:
    """Return the counts of the work of a run of noisyor, if it ended."""
    found: dict[str, Any] | None = job["programs"][program].get("counts")
    return found
