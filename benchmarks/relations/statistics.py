"""Paired differences between sets of relations, by group of networks and number of records."""

from collections.abc import Callable, Iterable

from benchmarks.harness.measuring import Results
from benchmarks.relations.plan import GROUPS, LEAKY, PAPER, TABLES
from benchmarks.study.plan import COMMON_SIZE
from benchmarks.study.statistics import Band, Outcome, Reading, excess, less, mean_band, per_arc

Measure = Callable[[str], Reading]
"""The figure of a set of relations, lower is better."""


def structure(name: str) -> Reading:
    """Return the distance between the CPDAGs, per true arc."""
    return per_arc(name, "cpdag_shd")


def prediction(name: str) -> Reading:
    """Return the excess of a held-out record under the best network, in nats."""
    return excess(name, "best")


def cells(outcomes: Iterable[Outcome]) -> dict[tuple[str, int], list[Outcome]]:
    """Return the outcomes of each group of networks with each number of records."""
    found: dict[tuple[str, int], list[Outcome]] = {}
    known = list(outcomes)
    for group, members in GROUPS.items():
        chosen = [one for one in known if one.group in members]
        for records in sorted({one.records for one in chosen}):
            found[group, records] = [one for one in chosen if one.records == records]
    return found


def difference(outcomes: Iterable[Outcome], measure: Measure, name: str, other: str) -> Band | None:
    """Return by how much a set of relations differs from another on the same samples.

    Samples on which one of the two has no proven optimum are left out.
    """
    both = [one for one in outcomes if is_proven(one.result, name) and is_proven(one.result, other)]
    return mean_band(both, less(measure(name), measure(other)))


def default_and_paper(outcomes: Iterable[Outcome]) -> dict[str, tuple[Band, Band]]:
    """Return the changes of distance by the default and by the paper's pair, by group."""
    known = cells(outcomes)
    pairs = {
        group: [
            difference(known.get((group, COMMON_SIZE), []), structure, name, TABLES)
            for name in (LEAKY, PAPER)
        ]
        for group in GROUPS
    }
    return {
        group: (leaky, paper)
        for group, (leaky, paper) in pairs.items()
        if leaky is not None and paper is not None
    }


def is_proven(result: Results, name: str) -> bool:
    """Return whether the best network with a set of relations is known."""
    return name in result and bool(result[name]["proven"])
