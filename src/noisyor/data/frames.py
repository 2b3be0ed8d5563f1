"""Frames, arrays and columnar files as batches of polars columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import DataError, FormatError
from noisyor.core.dataset import check_names
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.data.coding import TableCoder, ThirdValueError
from noisyor.data.delimited import numbered_names
from noisyor.data.local_files import Format, LocalFile
from noisyor.data.missing import MissingPolicy
from noisyor.files.unpacked_size.arrow import FILE_MAGIC, check_record_batches
from noisyor.files.unpacked_size.parquet import check_row_groups, mapped, row_count_of_bounded

_BATCH_CELLS = 5_000_000


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """Named columns that come in batches, each a polars column of numbers, booleans or text."""

    names: tuple[str, ...]
    batches: Iterator[list[pl.Series]]


def code_columns(table: ColumnTable, missing: MissingPolicy) -> TableCoder:
    """Return the coded records of a table in columns; its rows are counted from 1."""
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
    names = _names_of(frame)
    if isinstance(frame, pl.LazyFrame):
        return ColumnTable(names, _lazy_batches(frame, len(names)))
    check_distinct(names)  # before narwhals, which refuses repeated names in its own words
    eager: nw.DataFrame[Any] = nw.from_native(frame, eager_only=True)
    return ColumnTable(names, _eager_batches(eager, names))


def _names_of(frame: object) -> tuple[str, ...]:
    if isinstance(frame, pl.LazyFrame):
        return tuple(frame.collect_schema().names())
    if nw.dependencies.is_pyarrow_table(frame):
        return tuple(frame.column_names)  # its `columns` are the arrays themselves
    if not nw.dependencies.is_into_dataframe(frame):
        raise TypeError(
            f"a table cannot be read from {type(frame).__name__}; allowed: a path, a frame of "
            "pandas, polars or pyarrow, or a numpy array"
        )
    return tuple(map(str, getattr(frame, "columns", ())))


def _eager_batches(frame: "nw.DataFrame[Any]", names: Sequence[str]) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // len(names))
    for start in range(0, len(frame), size):
        part = frame[start : start + size]
        yield [_checked(_to_polars(part[:, position]), name) for position, name in enumerate(names)]


def _to_polars(values: "nw.Series[Any]") -> pl.Series:
    """Return a column as polars has it, whatever library it comes from.

    Columns of Python objects (pandas) may mix types and kinds of nothing, so they go
    through text.
    """
    if values.implementation.is_polars():
        native = values.to_native()
        assert isinstance(native, pl.Series)  # noqa: S101 (said by narwhals)
        return native
    if values.implementation.is_pyarrow():
        return pl.Series(pl.from_arrow(values.to_native()))
    array = values.to_numpy()
    if array.dtype.kind in "biuf":
        return pl.Series(array)
    gaps = values.is_null().to_list()
    return pl.Series(
        values=[
            None if gap else _text_of(value)
            for value, gap in zip(values.to_list(), gaps, strict=True)
        ],
        dtype=pl.String,
    )


def _text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def _checked(values: pl.Series, name: str) -> pl.Series:
    """Return a column of single values; other types cannot be two-valued."""
    if values.dtype.is_nested() or values.dtype in {pl.Object, pl.Binary}:
        raise DataError(
            f"column {name!r} has the type {values.dtype}; noisyor reads booleans, numbers and text"
        )
    return values


def array_table(array: npt.NDArray[Any], names: Sequence[str] | None) -> ColumnTable:
    """Return the columns of a two-dimensional array: a row is a record."""
    if array.ndim != 2:  # noqa: PLR2004 (records and variables)
        raise DataError(
            f"the array has the shape {array.shape}; two dimensions are needed, records by columns"
        )
    width = array.shape[1]
    if names is None:
        names = numbered_names(width)
    elif len(names) != width:
        raise DataError(f"{len(names)} names for the {width} columns of the array")
    return ColumnTable(tuple(names), _array_batches(array, names))


def _array_batches(array: npt.NDArray[Any], names: Sequence[str]) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // len(names))
    for start in range(0, len(array), size):
        part = array[start : start + size]
        yield [_array_column(part[:, position]) for position in range(len(names))]


def _array_column(values: npt.NDArray[Any]) -> pl.Series:
    if values.dtype.kind in "biuf" and not isinstance(values, np.ma.MaskedArray):
        if values.dtype == np.float16:
            values = values.astype(np.float32)
        return pl.Series(np.ascontiguousarray(values))
    return pl.Series(
        values=[
            None if value is None or value != value else _text_of(value)  # noqa: PLR0124 (NaN)
            for value in values.tolist()
        ],
        dtype=pl.String,
    )


def file_table(file: LocalFile, *, whole: bool = False) -> ColumnTable:
    """Return the columns of a Parquet or Arrow file, for who wants batches or the `whole` of it.

    A small file that would take more memory than becomes it is refused.
    """
    lazy = _scanned(file, whole=whole)
    try:
        names = tuple(lazy.collect_schema().names())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _broken(file, error) from error
    return ColumnTable(names, _file_batches(file, lazy, len(names)))


def _scanned(file: LocalFile, *, whole: bool) -> pl.LazyFrame:
    is_parquet = file.format is Format.PARQUET
    try:
        with mapped(file.path) as data:
            in_file = data[: len(FILE_MAGIC)] == FILE_MAGIC
            if not is_parquet:
                check_record_batches(data, whole=whole)
            elif whole:
                row_count_of_bounded(data)
            else:
                check_row_groups(data)
    except FormatError as error:
        raise _broken(file, error) from error
    if is_parquet:
        return pl.scan_parquet(file.path, glob=False)
    if in_file:
        return pl.scan_ipc(file.path)
    try:
        return pl.read_ipc_stream(file.path).lazy()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _broken(file, error) from error


def _file_batches(file: LocalFile, lazy: pl.LazyFrame, width: int) -> Iterator[list[pl.Series]]:
    try:
        yield from _lazy_batches(lazy, width)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _broken(file, error) from error


def _lazy_batches(lazy: pl.LazyFrame, width: int) -> Iterator[list[pl.Series]]:
    size = max(1, _BATCH_CELLS // max(1, width))
    for batch in lazy.collect_batches(chunk_size=size, maintain_order=True):
        yield [_checked(values, values.name) for values in batch.get_columns()]


def _broken(file: LocalFile, error: Exception) -> DataError:
    reason = str(error).splitlines()[0]
    return DataError(
        f"the file cannot be read as {file.format.value} ({reason}); write or download it again, "
        "or set another --format"
    )
