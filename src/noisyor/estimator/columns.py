"""Tables of scikit-learn users to codes and back, column by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import DataError, Dataset
from noisyor.core.variable import States
from noisyor.data.coding import GAP, ColumnCoder, ThirdValueError
from noisyor.data.frames import ColumnTable, array_table, code_columns, frame_table
from noisyor.data.missing import MissingPolicy, missing_message

Codes = npt.NDArray[np.uint8]
"""0 is absent, 1 is present, GAP is not known."""

_BITS: States = ("0", "1")
_TRUTHS: States = ("false", "true")


@dataclass(frozen=True, slots=True)
class Variable:
    """A column that was learned from: its name, its states, and its two original values.

    `values` are (absent, present) as in the table: numbers, booleans or text.
    """

    name: str
    states: States
    values: tuple[object, object]

    @classmethod
    def of(cls, name: str, states: States, column: pl.Series) -> "Variable":
        """Return the variable that a column with these states is."""
        return cls(name, states, _values(column.dtype, states))

    def decode(self, present: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
        """Return a column of the variable's own values."""
        return np.array(self.values)[present.astype(np.intp)]


def is_frame(table: object) -> bool:
    """Return whether a table is a frame of pandas, polars, pyarrow or a similar library."""
    return nw.dependencies.is_into_dataframe(table)


def frame_columns(frame: object) -> dict[str, pl.Series]:
    """Return the columns of a frame by name."""
    return _joined(frame_table(frame))


def array_columns(array: npt.NDArray[Any], names: Sequence[str]) -> dict[str, pl.Series]:
    """Return the columns of a two-dimensional array under these names."""
    return _joined(array_table(array, names))


def dataset_of(columns: Mapping[str, pl.Series], present: Mapping[str, str]) -> Dataset:
    """Return the binary records of some columns; see `noisyor.read` for `present`."""
    batch = [_bits_if_equal(column) for column in columns.values()]
    return code_columns(ColumnTable(tuple(columns), iter([batch])), MissingPolicy.ERROR).dataset(
        present
    )


def codes_of(column: pl.Series, variable: Variable) -> Codes:
    """Return a column as the variable's codes; a third value is a DataError."""
    coder = ColumnCoder(variable.name)
    first = coder.learn(variable.states[0])
    coder.learn(variable.states[1])
    try:
        codes = coder.encode(_like(_bits_if_equal(column), variable.states))
    except ThirdValueError as error:
        raise error.explain(f"row {error.row + 1}") from None
    # The coder numbers an accepted pair by its words, whichever of them means present here.
    return np.where(codes == GAP, GAP, codes ^ 1).astype(np.uint8) if first else codes


def refuse_gaps(codes: Codes, names: Sequence[str]) -> None:
    """Refuse records that lack a value, and say in which columns."""
    gaps = codes == GAP
    if gaps.any():
        raise DataError(
            missing_message(
                names, gaps.sum(axis=0).tolist(), int(gaps.any(axis=1).sum()), len(codes)
            )
        )


def _joined(table: ColumnTable) -> dict[str, pl.Series]:
    batches = list(table.batches)
    if not batches:
        raise DataError("the table has no records; at least one is needed")
    return {
        name: pl.concat([batch[place] for batch in batches])
        for place, name in enumerate(table.names)
    }


def _bits_if_equal(column: pl.Series) -> pl.Series:
    """Return floats that are all 0 or 1 as integers, which are much faster to code."""
    if column.dtype.is_float() and _all_bits(column):
        return column.cast(pl.UInt8)
    return column


def _like(column: pl.Series, states: States) -> pl.Series:
    """Return booleans as 0 and 1, or the reverse, where the variable was learned that way."""
    known = tuple(sorted(label.casefold() for label in states))
    if column.dtype == pl.Boolean and known == _BITS:
        return column.cast(pl.UInt8)
    if column.dtype.is_numeric() and known == _TRUTHS:
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if _all_bits(column):
            return column.cast(pl.Boolean)
    return column


def _all_bits(column: pl.Series) -> bool:
    return bool(((column == 0) | (column == 1)).all())


def _values(dtype: pl.DataType, states: States) -> tuple[object, object]:
    """Return the two values of a column of this type; the labels if it is text."""
    labels = (states[0], states[1])
    if dtype == pl.Boolean:
        return labels[0] == _TRUTHS[1], labels[1] == _TRUTHS[1]
    if dtype.is_numeric():
        try:
            absent, present = (float(label) for label in labels)
        except ValueError:  # the other value of a constant column is not known
            return labels
        return (absent, present) if dtype.is_float() else (int(absent), int(present))
    return labels
