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
from noisyor.data.coding import TableCoder
from noisyor.data.delimited import numbered_names
from noisyor.data.missing import MissingPolicy
from noisyor.data.state_choice import CATEGORIES, UNDECLARED, Declared
from noisyor.data.values import text_of
from noisyor.data.wishes import NO_WISHES, Wishes
from noisyor.files.batches import batches_of

_BATCH_CELLS = 5_000_000
_LARGEST_NUMBER = 8  # bytes
_OTHER_TYPES = frozenset(
    {pl.Boolean, pl.String, pl.Categorical, pl.Enum, pl.Null, pl.Date, pl.Datetime, pl.Time}
)
"""Types of columns that can be read, in addition to numbers."""


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """Named columns in batches, each a polars column of numbers, booleans or text.

    `declared` is empty, or says something about each column.
    """

    names: tuple[str, ...]
    batches: Iterator[list[pl.Series]]
    declared: tuple[Declared, ...] = ()


def code_columns(
    table: ColumnTable, missing: MissingPolicy, wishes: Wishes = NO_WISHES
) -> TableCoder:
    """Return the coded records of a table given by columns, without the columns to drop."""
    coder = TableCoder(table.names, missing, table.declared, wishes=wishes)
    for batch in table.batches:
        coder.add(batch)
    coder.check_row_names()
    return coder


def check_distinct(names: Sequence[str]) -> None:
    """Refuse what `check_names` refuses, except too many columns: a raw table may be wide.

    A first column without a name is left to be judged by its values (see `row_names`).
    """
    if len(names) > 1 and not names[0].strip():
        names = (_unlike(names[1:]), *names[1:])
    for start in range(0, max(1, len(names)), MAX_VARIABLES):
        check_names(names[start : start + MAX_VARIABLES])
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"{count} columns are named {name!r}; names must differ")


def _unlike(names: Sequence[str]) -> str:
    """Return a name that is not among these."""
    name = "row names"
    while name in names:
        name += "'"
    return name


def frame_table(frame: object) -> ColumnTable:
    """Return the columns of a frame of pandas, polars, pyarrow or another library."""
    if isinstance(frame, pl.LazyFrame):
        with _readable("the frame"):
            schema = frame.collect_schema()
        declared = tuple(map(declared_by, schema.dtypes()))
        return ColumnTable(tuple(schema.names()), _lazy_frame_batches(frame, len(schema)), declared)
    names = _names_of(frame)
    check_distinct(names)  # first: the message of narwhals says less
    with _readable("the frame"):
        eager: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
        columns = [eager[:, place] for place in range(len(names))]
    kinds = [_kind_of(values, name) for values, name in zip(columns, names, strict=True)]
    declared = tuple(UNDECLARED if kind is None else declared_by(kind) for kind in kinds)
    return ColumnTable(names, _eager_batches(eager, names, kinds), declared)


def declared_by(dtype: pl.DataType) -> Declared:
    """Return what a type of polars says about the states of a column."""
    if isinstance(dtype, pl.Enum):
        return Declared(tuple(dtype.categories), ordered=True)
    return CATEGORIES if dtype == pl.Categorical else UNDECLARED


def _kind_of(values: "nw.Series[Any]", name: str) -> pl.DataType | None:
    """Return the type of polars for a column of categories of any library; None for others."""
    with _readable(f"column {name!r}"):
        return _category_type(values)


def _category_type(values: "nw.Series[Any]") -> pl.DataType | None:
    native = values.to_native()
    if values.implementation.is_polars():
        return native.dtype if native.dtype.base_type() in {pl.Enum, pl.Categorical} else None
    if isinstance(values.dtype, nw.Enum):  # an ordered categorical of pandas
        return pl.Enum(_texts_of(values.dtype.categories))
    if values.dtype != nw.Categorical:
        return None
    if values.implementation.is_pyarrow() and native.type.ordered and native.num_chunks:
        # Chunks may have dictionaries of their own.
        dictionary = native.unify_dictionaries().chunk(0).dictionary
        return pl.Enum(_texts_of(dictionary.drop_null().to_pylist()))
    return pl.Categorical()


def _texts_of(categories: Sequence[object]) -> list[str]:
    """Return categories as texts: numbers as polars writes them, others as Python does."""
    array = np.array(categories)
    return (
        pl.Series(array).cast(pl.String).to_list()
        if _is_plain(array)
        else list(map(text_of, categories))
    )


def _names_of(frame: object) -> tuple[str, ...]:
    if nw.dependencies.is_pyarrow_table(frame):
        return tuple(frame.column_names)  # its `columns` are the arrays themselves
    if not nw.dependencies.is_into_dataframe(frame):
        raise DataError(
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


def _eager_batches(
    frame: "nw.DataFrame[Any]", names: Sequence[str], kinds: Sequence[pl.DataType | None]
) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // len(names))
    for start in range(0, len(frame), size):
        with _readable("the frame"):
            part = frame[start : start + size]
        yield [
            _eager_column(part[:, place], name, kind)
            for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
        ]


def _eager_column(values: "nw.Series[Any]", name: str, kind: pl.DataType | None) -> pl.Series:
    with _readable(f"column {name!r}"):
        return checked(_to_polars(values) if kind is None else _categories(values, kind), name)


def _categories(values: "nw.Series[Any]", kind: pl.DataType) -> pl.Series:
    """Return a column of categories of any library as one of polars, of that type."""
    native = values.to_native()
    if values.implementation.is_pandas_like() and hasattr(native.dtype, "categories"):
        labels = pl.Series(_texts_of(native.dtype.categories.tolist()), dtype=pl.String)
        codes = pl.Series(native.cat.codes.to_numpy())  # -1 where a value is missing
        return labels.cast(kind).gather(codes.set(codes < 0, None))
    column = _to_polars(values)
    return column if column.dtype == kind else column.cast(pl.String).cast(kind)


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
            None if gap else text_of(value)
            for value, gap in zip(values.to_list(), gaps, strict=True)
        ],
        dtype=pl.String,
    )


def _is_plain(array: npt.NDArray[Any]) -> bool:
    """Return whether polars has this type of number; it turns long doubles into objects."""
    return array.dtype.kind in "biuf" and array.dtype.itemsize <= _LARGEST_NUMBER


def checked(values: pl.Series, name: str) -> pl.Series:
    """Return a column of single values, dates as text; other types are no states."""
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
            values=[None if _is_gap(value) else text_of(value) for value in values.tolist()],
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
