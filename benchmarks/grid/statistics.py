"""Paired differences to full tables over the networks of a cell, with their intervals."""

from collections.abc import Mapping

from benchmarks.grid.plan import CELLS, NETWORKS, TABLES, Cell
from benchmarks.harness.measuring import Results
from benchmarks.relations.statistics import Measure, difference
from benchmarks.study.statistics import Band, Outcome


def outcomes_of(results: Mapping[str, Results], cell: Cell, records: int) -> list[Outcome]:
    """Return the outcomes of a cell's networks with a number of records."""
    keys = [f"{cell.name}/{network}/{records}" for network in range(NETWORKS)]
    return [
        Outcome(cell.name, key.split("/")[1], 0, records, results[key])
        for key in keys
        if key in results
    ]


def changes(
    results: Mapping[str, Results], records: int, measure: Measure, choice: str
) -> dict[Cell, Band]:
    """Return by how much a choice differs from full tables, by cell."""
    found = {
        cell: difference(outcomes_of(results, cell, records), measure, choice, TABLES)
        for cell in CELLS
    }
    return {cell: band for cell, band in found.items() if band is not None}
