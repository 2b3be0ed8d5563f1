"""What learning and binarizing make of each column of a table, in a few words."""

from dataclasses import dataclass

import numpy as np

from noisyor.core import Dataset, NoisyorError
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.listing import listed
from noisyor.core.variable import Variable
from noisyor.data.binarize import columns_made_of
from noisyor.data.reading import UsableTable


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """What is made of a column.

    `learn` says what becomes of it in learning; `binarize` has the columns that binarizing makes,
    or why it makes none.
    """

    learn: str
    binarize: list[str] | str


def column_uses(table: UsableTable) -> dict[str, ColumnUse]:
    """Return what is made of each column, by name."""
    binned = table.binning.by_column()
    return {
        variable.name: ColumnUse(
            _learned(table.records, place, variable, binned=variable.name in binned),
            _binarized(table, variable.name),
        )
        for place, variable in enumerate(table.records.variables)
    }


def _learned(
    table: Dataset | IncompleteDataset, place: int, variable: Variable, *, binned: bool
) -> str:
    counts = table.state_counts(place)
    if np.count_nonzero(counts) == 1:
        return "constant: left out"
    states = zip(variable.states, counts.tolist(), strict=True)
    never = [state for state, count in states if not count]
    parts = [f"{variable.state_count} bins" if binned else ""]
    parts.append(f"never: {listed(never)}" if never else "")
    if variable.is_binary:
        parts.append("" if binned else f"present: {variable.states[1]}")
    elif not variable.has_order:
        parts.append("full tables only, without an order")
    return "; ".join(filter(None, parts)) or f"{variable.state_count} states"


def _binarized(table: UsableTable, name: str) -> list[str] | str:
    try:
        return columns_made_of(table.raw.frame[name]) or "constant: left out"
    except NoisyorError as error:
        return f"refused: {error}"
