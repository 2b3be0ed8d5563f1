"""Frames and arrays as batches of polars columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import DataError, NoisyorError
from noisyor.core.variable import check_names
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.data.coding import TableCoder, ThirdValueError
from noisyor.data.delimited import numbered_names
from noisyor.data.missing import MissingPolicy
from noisyor.files.batches import batches_of

_BATCH_CELLS = 5_000_000
_LARGEST_NUMBER = 8  # bytes
_OTHER_TYPES = frozenset(
    {pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Date, pl.Datetime, pl.Time}
)
"""Types of columns that can be read, in addition to numbers."""


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """Named columns in batches, each a polars column of numbers, booleans or text."""

    names: tuple[str, ...]
    batches: Iterator[list[pl.Series]]


def code_columns(table: ColumnTable, missing: MissingPolicy) -> TableCoder:
    """Return the coded records of a table given by columns; rows are counted from 1."""
    check_names(table.names)
    coder = TableCoder(table.names, missing)
    rows = 0
    for batch in table.batches:
        try:
            coder.add(batch)
        except ThirdValueError as error:
            raise error.explain(f"row {rows + error.row + 1}") from None
        rows += len(batch[0])
    return coder


def check_distinct(names: Sequence[str]) -> None:
    """Refuse what `check_names` refuses, except too many columns: a raw table may be wide."""
    for start in range(0, max(1, len(names)), MAX_VARIABLES):
        check_names(names[start : start + MAX_VARIABLES])
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{count} columns are named {name!r}; names must differ")


def frame_table(frame: object) -> ColumnTable:
    """Return the columns of a frame of pandas, polars, pyarrow or another library."""
    if isinstance(frame, pl.LazyFrame):
        with _readable("the frame"):
            names = tuple(frame.collect_schema().names())
        return ColumnTable(names, _lazy_frame_batches(frame, len(names)))
    names = _names_of(frame)
    check_distinct(names)  # first: the message of narwhals says less
    with _readable("the frame"):
        eager: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
    return ColumnTable(names, _eager_batches(eager, names))


def _names_of(frame: object) -> tuple[str, ...]:
    if nw.dependencies.is_pyarrow_table(frame):
        return tuple(frame.column_names)  # its `columns` are the arrays themselves
    if not nw.dependencies.is_into_dataframe(frame):
        raise TypeError(
            f"a table cannot be read from {type(frame).__name__}; allowed: a path, a frame of "
            "pandas, polars or pyarrow, or a numpy array"
        )
    return tuple(map(str, getattr(frame, "columns", ())))


@contextmanager
def _readable(what: str) -> Iterator[None]:
    """Raise a DataError for whatever another library raises for values that it cannot convert.

    That may be anything: an error of pyarrow or of an object in a cell, or a panic of polars.
    """
    try:
        yield
    except (NoisyorError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        raise DataError(f"{what} cannot be read: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; the name of its type if there is none."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__


def _eager_batches(frame: "nw.DataFrame[Any]", names: Sequence[str]) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // len(names))
    for start in range(0, len(frame), size):
        with _readable("the frame"):
            part = frame[start : start + size]
        yield [_eager_column(part, position, name) for position, name in enumerate(names)]


def _eager_column(frame: "nw.DataFrame[Any]", position: int, name: str) -> pl.Series:
    with _readable(f"column {name!r}"):
        return checked(_to_polars(frame[:, position]), name)


def _lazy_frame_batches(lazy: pl.LazyFrame, width: int) -> Iterator[list[pl.Series]]:
    with _readable("the frame"):
        yield from lazy_batches(lazy, width)


def lazy_batches(lazy: pl.LazyFrame, width: int) -> Iterator[list[pl.Series]]:
    """Yield the columns of a query in batches."""
    for batch in batches_of(lazy, max(1, _BATCH_CELLS // max(1, width))):
        yield [checked(values, values.name) for values in batch.get_columns()]


def _to_polars(values: "nw.Series[Any]") -> pl.Series:
    """Return a column as a polars column, whatever library it comes from.

    Columns of Python objects (pandas) may mix types and kinds of missing values, so they are
    converted to text.
    """
    if values.implementation.is_polars():
        native = values.to_native()
        assert isinstance(native, pl.Series)  # noqa: S101 (narwhals promises it)
        return native
    if values.implementation.is_pyarrow():
        return pl.Series(pl.from_arrow(values.to_native()))
    array = values.to_numpy()
    if _is_plain(array):
        return pl.Series(array)
    gaps = values.is_null().to_list()
    return pl.Series(
        values=[
            None if gap else _text_of(value)
            for value, gap in zip(values.to_list(), gaps, strict=True)
        ],
        dtype=pl.String,
    )


def _is_plain(array: npt.NDArray[Any]) -> bool:
    """Return whether polars has this type of number; it turns long doubles into objects."""
    return array.dtype.kind in "biuf" and array.dtype.itemsize <= _LARGEST_NUMBER


def _text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def checked(values: pl.Series, name: str) -> pl.Series:
    """Return a column of single values, dates as text; other types cannot be two-valued."""
    if not (values.dtype.is_numeric() or values.dtype.base_type() in _OTHER_TYPES):
        raise DataError(
            f"column {name!r} has the type {values.dtype}; noisyor reads booleans, numbers and text"
        )
    return values.cast(pl.String) if values.dtype.is_temporal() else values


def array_table(array: npt.NDArray[Any], names: Sequence[str] | None) -> ColumnTable:
    """Return the columns of a two-dimensional array: a row is a record."""
    array = _without_matrices(array)
    if array.ndim != 2:  # noqa: PLR2004 (records and variables)
        raise DataError(
            f"the array has the shape {array.shape}; two dimensions are needed, records by columns"
        )
    width = array.shape[1]
    names = numbered_names(width) if names is None else tuple(map(str, names))
    if len(names) != width:
        raise DataError(f"{len(names)} names for the {width} columns of the array")
    return ColumnTable(names, _array_batches(array, names))


def _without_matrices(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a plain or masked array: a column of an np.matrix would be a matrix."""
    if isinstance(array, np.ma.MaskedArray):
        return np.ma.array(np.asarray(array.data), mask=np.asarray(np.ma.getmaskarray(array)))
    return np.asarray(array)


def _array_batches(array: npt.NDArray[Any], names: Sequence[str]) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // max(1, len(names)))
    for start in range(0, len(array), size):
        part = array[start : start + size]
        yield [_array_column(part[:, position], name) for position, name in enumerate(names)]


def _array_column(values: npt.NDArray[Any], name: str) -> pl.Series:
    with _readable(f"column {name!r}"):
        if _is_plain(values) and not isinstance(values, np.ma.MaskedArray):
            if values.dtype == np.float16:
                values = values.astype(np.float32)
            return pl.Series(np.ascontiguousarray(values))
        return pl.Series(
            values=[None if _is_gap(value) else _text_of(value) for value in values.tolist()],
            dtype=pl.String,
        )


def _is_gap(value: object) -> bool:
    """Return whether a value of an array is missing: None, NaN, or pandas.NA or NaT.

    NaN and NaT differ from themselves; comparing pandas.NA with itself gives pandas.NA.
    """
    if value is None:
        return True
    differs: object = value != value  # noqa: PLR0124
    return bool(differs) if isinstance(differs, bool | np.bool_) else differs is value
