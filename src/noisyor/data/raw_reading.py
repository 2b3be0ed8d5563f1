"""Read a table of any values from a file, a frame or an array."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from noisyor.core.arguments import checked_arguments
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut, left_out_lines
from noisyor.core.warning import warn_user
from noisyor.data.columnar_files import file_table
from noisyor.data.delimited import TextOptions
from noisyor.data.local_files import Format, LocalFile, local_file
from noisyor.data.raw import RawTable, raw_columns, raw_text
from noisyor.data.sources import (
    refuse_file_options,
    refuse_names,
    refuse_text_options,
    table_in_memory,
    text_table,
    titled,
)
from noisyor.data.warning import DataWarning


@checked_arguments
def read_raw(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return a table of any values: columns of numbers, booleans, text or categories.

    Missing cells are null. A column of a text file is numeric if every value that is not missing
    is a number. Text is stripped of surrounding blanks. A first column of row names is left out,
    with a warning.

    Parameters
    ----------
    source, delimiter, header, quote, format, names
        As for `read`.
    """
    table = raw_source(source, TextOptions(delimiter, header, quote), format, names)
    return _without_row_names(table).frame


def raw_source(
    source: object,
    options: TextOptions | None = None,
    file_format: str | None = None,
    names: Sequence[str] | None = None,
) -> RawTable:
    """Return all columns of a source as `read_raw` reads them, also those of row names."""
    options = options or TextOptions()
    if not isinstance(source, str | Path):
        refuse_file_options(options, file_format)
        return raw_columns(table_in_memory(source, names))
    refuse_names(names)
    with titled(source), local_file(source, file_format) as file:
        return raw_file(file, options)


def _without_row_names(table: RawTable) -> RawTable:
    """Return a table without row names, with a warning if it has any."""
    left = table.without_row_names()
    if left.row_names is not None:
        column = LeftOutColumn(left.row_names, WhyLeftOut.ROW_NAMES)
        for line in left_out_lines([column]):
            warn_user(line, DataWarning)
    return left


def raw_file(file: LocalFile, options: TextOptions) -> RawTable:
    """Return the table in an open file (see `read_raw`)."""
    if file.format in {Format.PARQUET, Format.ARROW}:
        refuse_text_options(options, file.format)
        return raw_columns(file_table(file, whole=True))
    return raw_text(text_table(file, options))


def raw_table(source: object) -> pl.DataFrame:
    """Return a polars frame as it is, and any other source as `read_raw` reads it.

    Row names are left out of both.
    """
    table = RawTable(source) if isinstance(source, pl.DataFrame) else raw_source(source)
    return _without_row_names(table).frame
