"""Emulate the published code on one data set: score, merge, search."""

import time
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.paper.table2.emulation.candidates import Candidate, Scorer
from benchmarks.paper.table2.emulation.departures import Departure
from benchmarks.paper.table2.emulation.merging import Entry, charged, merged
from noisyor.core import CPT, NOISY_OR, BayesFactor, CredibleSet, Dataset, ScoreTable
from noisyor.core.variable_sets import variables_in
from noisyor.formats.jkl import read_jkl
from noisyor.scoring import score
from noisyor.search import search

TIME_LIMIT = 600.0  # seconds of a search


class TableOrder(StrEnum):
    """In which order the merge takes a child's full tables, which the sources do not tell."""

    COST = "cheapest first"
    SIZE = "fewest parents first"


ORDERS: Mapping[TableOrder, Callable[[Entry], tuple[float, ...]]] = {
    TableOrder.COST: lambda one: (one.cost, one.parents),
    TableOrder.SIZE: lambda one: (one.parents.bit_count(), one.parents),
}


def emulate(data: Dataset, departures: Departure, order: TableOrder = TableOrder.COST) -> Results:
    """Return what a program with these departures finds: where it selects noisy-ORs."""
    slack = BayesFactor(BAYES_FACTOR).slack
    tables = entries_of(score(data, BAYES_FACTOR, relations=("cpt",)).table)
    began = time.process_time()
    noisy_ors, counts = noisy_ors_of(data, slack, departures)
    seconds = time.process_time() - began
    entries = {
        child: merged(
            sorted(tables[child], key=ORDERS[order]),
            [charged(one, data.record_count, departures) for one in noisy_ors[child]],
            slack,
            departures,
        )
        for child in range(data.variable_count)
    }
    found = search(score_file(entries), BAYES_FACTOR, time_limit=TIME_LIMIT).credible
    left = {
        (child, one.parents) for child, some in entries.items() for one in some if one.is_noisy_or
    }
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        **counts,
        "written": sum(map(len, noisy_ors.values())),
        "merged": len(left),
        "scoring_seconds": round(seconds, 2),
        "optimum": found.optimum,
        "complete": found.complete,
        "members": found.count,
        **shares_in(found, left),
    }


def entries_of(table: ScoreTable) -> dict[int, list[Entry]]:
    """Return the full tables of each child."""
    found: dict[int, list[Entry]] = {child: [] for child in range(len(table.names))}
    for family, cost in table.families():
        found[family.child].append(Entry(family.parents, cost, is_noisy_or=False))
    return found


def noisy_ors_of(
    data: Dataset, slack: float, departures: Departure
) -> tuple[dict[int, list[Candidate]], Results]:
    """Return the noisy-ORs of each child before the merge, and how many sets were made and fitted.

    Without the doubled penalty, they are those that exact scoring keeps. With the descent, these
    are fitted by it.
    """
    by_descent = Departure.DESCENT in departures
    scorers = {
        child: Scorer(data, child, slack, by_descent=by_descent)
        for child in range(data.variable_count)
    }
    if Departure.DOUBLING in departures:
        found = {child: scorer.written() for child, scorer in scorers.items()}
    else:
        kept: dict[int, list[int]] = {child: [] for child in scorers}
        for family, _ in score(data, BAYES_FACTOR, relations=(CPT, NOISY_OR)).table.families():
            if family.relation is NOISY_OR:
                kept[family.child].append(family.parents)
        found = {child: scorers[child].refitted(sets) for child, sets in kept.items()}
    made, fitted = (
        sum(getattr(one, count) for one in scorers.values()) for count in ("made", "fitted")
    )
    return found, {"made": made, "fitted": fitted}


def score_file(entries: Mapping[int, list[Entry]]) -> ScoreTable:
    """Return the merged scores as the solver reads them: it is not told which are noisy-ORs."""
    lines = [str(len(entries))]
    for child, some in entries.items():
        lines.append(f"{child} {len(some)}")
        lines += [
            " ".join(
                map(str, (repr(-one.cost), one.parents.bit_count(), *variables_in(one.parents)))
            )
            for one in some
        ]
    return read_jkl("\n".join(lines).encode(), Path("merged.jkl"))


def shares_in(found: CredibleSet, noisy_ors: set[tuple[int, int]]) -> Results:
    """Return the columns of table 2, given which families are noisy-ORs."""
    networks = dict.fromkeys(range(len(found.names)), 0)
    for use in found.families:
        if (use.family.child, use.family.parents) in noisy_ors:
            networks[use.family.child] += use.networks
    percents = [100 * count / found.count for count in networks.values() if count]
    return {
        "nodes": len(percents),
        "average_percent": sum(percents) / len(percents) if percents else 0.0,
        "maximum_percent": max(percents, default=0.0),
    }
