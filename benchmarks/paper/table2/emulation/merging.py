"""The merge of full tables and noisy-ORs, as the published script does it.

The full tables of a child are taken one after another. Over the same parents, the cheaper relation
stays, a full table if they tie. Then each noisy-OR that costs at least as much as the table, which
is over some of its parents, is removed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from benchmarks.paper.table2.emulation.candidates import Candidate
from benchmarks.paper.table2.emulation.departures import Departure


@dataclass(frozen=True, slots=True)
class Entry:
    """A set of parents of a child in the merged file; full tables are not noisy-ORs."""

    parents: int
    cost: float
    is_noisy_or: bool


def charged(candidate: Candidate, records: int, departures: Departure) -> Entry:
    """Return a noisy-OR with the penalty that it has after the merge."""
    k = candidate.parents.bit_count()
    parameters = 2**k - ((2 ^ k) - k) if Departure.EXCLUSIVE in departures else k
    cost = candidate.misfit + parameters * log(records) / 2
    return Entry(candidate.parents, cost, is_noisy_or=True)


def merged(
    tables: Sequence[Entry], noisy_ors: Sequence[Entry], slack: float, departures: Departure
) -> list[Entry]:
    """Return the entries of one child, given its full tables and noisy-ORs in their order."""
    several = Departure.SEVERAL in departures
    left = [one for one in noisy_ors if not several or one.parents.bit_count() > 1]
    margin = 0.0 if Departure.STRICT in departures else slack
    skipping = Departure.SKIPPING in departures
    kept = []
    for table in tables:
        same = next((place for place, one in enumerate(left) if one.parents == table.parents), None)
        if same is None:
            kept.append(table)
        elif table.cost <= left[same].cost:
            left.pop(same)
            kept.append(table)
        left = _without_dominated(left, table, margin, skipping=skipping)
    return [*left, *kept]


def _without_dominated(
    noisy_ors: list[Entry], table: Entry, margin: float, *, skipping: bool
) -> list[Entry]:
    """Return what is left; `skipping`, the entry after a removed one is not looked at."""
    left = []
    looked_at = True
    for one in noisy_ors:
        contains = table.parents & one.parents == table.parents
        removed = looked_at and contains and _is_dominated(one.cost, table.cost, margin)
        if not removed:
            left.append(one)
        looked_at = not (skipping and removed)
    return left


def _is_dominated(cost: float, table_cost: float, margin: float) -> bool:
    """Return whether a noisy-OR goes; without a margin, a tie is enough."""
    return cost >= table_cost if margin == 0 else cost > table_cost + margin
