"""Parquet and Arrow files as batches of polars columns."""

from collections.abc import Iterator

import polars as pl

from noisyor.core import DataError, FormatError
from noisyor.data.frames import ColumnTable, declared_by, first_line, lazy_batches
from noisyor.data.local_files import Format, LocalFile
from noisyor.files.batches import FAILURES
from noisyor.files.unpacked_size.arrow import FILE_MAGIC, row_count_of_batches
from noisyor.files.unpacked_size.parquet import (
    mapped,
    row_count_of_bounded,
    row_count_of_bounded_groups,
)


def file_table(file: LocalFile, *, whole: bool = False) -> ColumnTable:
    """Return the columns of a Parquet or Arrow file, to be read in batches or, if `whole`, at once.

    A small file that would expand to too much memory is refused, and so is one from which
    polars reads more or fewer rows than its metadata state.
    """
    try:
        rows = _row_count(file, whole=whole)
        lazy = _scanned(file)
        schema = lazy.collect_schema()
    except (FormatError, *FAILURES) as error:
        raise _broken(file, error) from error
    return ColumnTable(
        tuple(schema.names()),
        _batches(file, lazy, len(schema), rows),
        tuple(map(declared_by, schema.dtypes())),
    )


def _row_count(file: LocalFile, *, whole: bool) -> int:
    with mapped(file.path) as data:
        if file.format is not Format.PARQUET:
            return row_count_of_batches(data, whole=whole)
        return row_count_of_bounded(data) if whole else row_count_of_bounded_groups(data)


def _scanned(file: LocalFile) -> pl.LazyFrame:
    if file.format is Format.PARQUET:
        return pl.scan_parquet(file.path, glob=False)
    with file.path.open("rb") as start:
        in_file = start.read(len(FILE_MAGIC)) == FILE_MAGIC
    return pl.scan_ipc(file.path) if in_file else pl.read_ipc_stream(file.path).lazy()


def _batches(
    file: LocalFile, lazy: pl.LazyFrame, width: int, rows: int
) -> Iterator[list[pl.Series]]:
    seen = 0
    try:
        for batch in lazy_batches(lazy, width):
            seen += len(batch[0])
            yield batch
    except FAILURES as error:
        raise _broken(file, error) from error
    if seen != rows:
        raise _broken(file, FormatError(f"it has {seen} rows, but states {rows}"))


def _broken(file: LocalFile, error: BaseException) -> DataError:
    return DataError(
        f"the file cannot be read as {file.format.value} ({first_line(error)}); write or download "
        "it again, or give another format"
    )
