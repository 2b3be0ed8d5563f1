"""Tables of scikit-learn users to codes and back, column by column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import DataError, Dataset
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.listing import listed
from noisyor.core.variable import States
from noisyor.data.advice import Advice
from noisyor.data.column_coder import ColumnCoder
from noisyor.data.frames import ColumnTable, array_table, code_columns, declared_by, frame_table
from noisyor.data.missing import DROP_OR_EM, MissingPolicy, missing_message
from noisyor.data.values import TRUTHS, key_of
from noisyor.data.wishes import Wishes

Codes = npt.NDArray[np.uint8]
"""The number of a state, or GAP for a value that is not known."""

_BYTE = 256
_ADVICE = Advice(
    "Put the numbers into bins first, with noisyor.discretize or a KBinsDiscretizer",
    has_drop=False,
)
_ALL = Wishes(  # every column is a feature, and an estimator before this one makes bins
    row_names=False,
    advice=_ADVICE,
)

_BITS: States = ("0", "1")


@dataclass(frozen=True, slots=True)
class Variable:
    """A column that was learned from: its name, its states, and their original values.

    `values` are those of the table, one for each state: numbers, booleans or text.
    """

    name: str
    states: States
    values: tuple[object, ...]

    @classmethod
    def of(cls, name: str, states: States, column: pl.Series) -> "Variable":
        """Return the variable that a column with these states is."""
        return cls(name, states, _values(column, states))

    def decode(self, codes: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """Return a column of the variable's own values."""
        return np.array(self.values)[codes]


def is_frame(table: object) -> bool:
    """Return whether a table is a frame of pandas, polars, pyarrow or a similar library."""
    return nw.dependencies.is_into_dataframe(table)


def frame_columns(frame: object) -> dict[str, pl.Series]:
    """Return the columns of a frame by name."""
    return _joined(frame_table(frame))


def array_columns(array: npt.NDArray[Any], names: Sequence[str]) -> dict[str, pl.Series]:
    """Return the columns of a two-dimensional array under these names."""
    return _joined(array_table(array, names))


def dataset_of(columns: Mapping[str, pl.Series], wishes: Wishes) -> Dataset:
    """Return the records of some columns; see `noisyor.read` for the wishes.

    Of two texts, the later one in the alphabet is the second state, as scikit-learn sorts classes.
    """
    batch = [_bits_if_equal(column) for column in columns.values()]
    declared = tuple(declared_by(column.dtype) for column in batch)
    table = ColumnTable(tuple(columns), iter([batch]), declared)
    return code_columns(table, MissingPolicy.ERROR, _ALL).dataset(
        replace(wishes, gap_choices=DROP_OR_EM, rarer=False)
    )


def incomplete_of(columns: Mapping[str, pl.Series], wishes: Wishes) -> IncompleteDataset:
    """Return the records of some columns with their gaps."""
    batch = [_bits_if_equal(column) for column in columns.values()]
    declared = tuple(declared_by(column.dtype) for column in batch)
    table = ColumnTable(tuple(columns), iter([batch]), declared)
    return code_columns(table, MissingPolicy.EM, _ALL).incomplete(replace(wishes, rarer=False))


def codes_of(column: pl.Series, variable: Variable) -> Codes:
    """Return a column as the variable's codes; a value that it does not have is a DataError."""
    coder = ColumnCoder(variable.name)
    numbers = coder.encode(_like(_bits_if_equal(column), variable.states))
    known = {key_of(label): code for code, label in enumerate(variable.states)}
    table = np.full(_BYTE, GAP, dtype=np.uint8)
    unknown = []
    for key, number in coder.numbers.items():
        if key in known:
            table[number] = known[key]
        else:
            unknown.append((int((numbers == number).argmax()), key))
    if unknown:
        row, key = min(unknown)
        had = listed(list(map(repr, variable.states)))
        raise DataError(
            f"column {variable.name!r} has the value {key!r} in row {row + 1}, which it did not "
            f"have in the records learned from; those had {had}"
        )
    return table[numbers]


def refuse_gaps(codes: Codes, names: Sequence[str]) -> None:
    """Refuse records that lack a value, and say in which columns."""
    gaps = codes == GAP
    if gaps.any():
        raise DataError(
            missing_message(
                names, gaps.sum(axis=0).tolist(), int(gaps.any(axis=1).sum()), len(codes), ()
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
    if column.dtype.is_numeric() and known == TRUTHS:
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if _all_bits(column):
            return column.cast(pl.Boolean)
    return column


def _all_bits(column: pl.Series) -> bool:
    return bool(((column == 0) | (column == 1)).all())


def _values(column: pl.Series, states: States) -> tuple[object, ...]:
    """Return the values that the states have in a column; labels for those that it never has."""
    dtype = column.dtype
    if dtype == pl.Boolean:
        return tuple(label == TRUTHS[1] for label in states)
    if dtype.is_numeric():
        try:
            numbers = [float(label) for label in states]
        except ValueError:  # the other value of a constant column is not known
            return states
        return tuple(numbers) if dtype.is_float() else tuple(int(label) for label in states)
    spellings: dict[str | None, set[str]] = {}
    for text in column.cast(pl.String).drop_nulls().unique():
        spellings.setdefault(key_of(text), set()).add(text)
    return tuple(_only(spellings.get(key_of(label), set())) or label for label in states)


def _only(texts: set[str]) -> str | None:
    """Return the text that is alone; None if there are others, or none."""
    return next(iter(texts)) if len(texts) == 1 else None
