"""Columns that never change: what is learned from leaves them out."""

from collections.abc import Sequence
from typing import TypeVar

from noisyor.core import Constraints, Dataset, Knowledge, Prior
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.left_out_columns import left_out_lines
from noisyor.core.warning import warn_user
from noisyor.data.warning import DataWarning

Records = TypeVar("Records", Dataset, IncompleteDataset)

Told = Constraints | Knowledge | Prior | None
"""What the user says about the network: it keeps the columns that it names."""


def without_constants(table: Records, *told: Told, keep_constants: bool = False) -> Records:
    """Return the records without columns that never change; warn of those.

    A constant says nothing about other columns, but would be taken for a cause that is always
    there: the leak of a noisy-OR.

    Parameters
    ----------
    table
        The records.
    told
        Background knowledge, constraints and a prior: the columns that they name are kept. A
        `Constraints` names all columns.
    keep_constants
        Whether to leave out nothing.
    """
    if keep_constants:
        return table
    several = int(table.weights.sum()) > 1
    if several and len(table.constant_columns()) == len(table.names):
        warn_user("no column changes, so there is nothing to learn but that", DataWarning)
    left: Records = table.without_constants(_names_in(told))
    for line in left_out_lines(left.columns_left_out[len(table.columns_left_out) :]):
        warn_user(line, DataWarning)
    return left


def _names_in(told: Sequence[Told]) -> frozenset[str]:
    names = (one.names if isinstance(one, Constraints) else one.names() for one in told if one)
    return frozenset(name for own in names for name in own)
