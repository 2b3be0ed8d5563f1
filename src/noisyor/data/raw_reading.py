"""Read a table of any values from a file, a frame or an array."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

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
    is a number. Text is stripped of surrounding blanks.

    Parameters
    ----------
    source, delimiter, header, quote, format, names
        As for `read`.
    """
    options = TextOptions(delimiter, header, quote)
    if not isinstance(source, str | Path):
        refuse_file_options(options, format)
        return raw_columns(table_in_memory(source, names)).frame
    refuse_names(names)
    with titled(source), local_file(source, format) as file:
        return raw_file(file, options).frame


def raw_file(file: LocalFile, options: TextOptions) -> RawTable:
    """Return the table in an open file (see `read_raw`)."""
    if file.format in {Format.PARQUET, Format.ARROW}:
        refuse_text_options(options, file.format)
        return raw_columns(file_table(file, whole=True))
    return raw_text(text_table(file, options))


def raw_table(source: object) -> pl.DataFrame:
    """Return a polars frame as it is, and any other source as `read_raw` reads it."""
    return source if isinstance(source, pl.DataFrame) else read_raw(source)
