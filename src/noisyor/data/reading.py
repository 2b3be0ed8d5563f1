"""Read a table from a file, a frame or an array."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from noisyor.core import Dataset
from noisyor.data.coding import TableCoder
from noisyor.data.columnar_files import file_table
from noisyor.data.delimited import TextOptions, code_records, code_table
from noisyor.data.frames import code_columns
from noisyor.data.local_files import Format, LocalFile, local_file
from noisyor.data.missing import MissingPolicy
from noisyor.data.sources import (
    refuse_file_options,
    refuse_names,
    refuse_text_options,
    table_in_memory,
    text_table,
    titled,
)
from noisyor.data.text import TextTable
from noisyor.data.wishes import Wishes


def read(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    present: Mapping[str, str] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> Dataset:
    """Return the records of a file, a frame or an array.

    Parameters
    ----------
    source
        A path ("-" is standard input), a frame of pandas, polars or pyarrow, or a numpy array.
    present
        By column, the value that means present, for columns of two values. By default, an accepted
        pair of words (no/yes, 0/1, ...) has its meaning, and of any other two values the second
        one means present, in numeric or alphabetical order.
    order
        By column, all its states in their order, also those that never occur. By default, numbers
        and ordered categoricals have an order, and other columns of more than two states do not.
    missing
        `error` refuses a table that lacks values; `drop` leaves out the records that do.
    delimiter, header, quote
        The delimiter of a text file, whether its first line holds the names, and its quote
        character, where an empty one means no quoting. By default, all are detected from the
        first lines.
    format
        The format of a file, such as `csv` or `parquet`; by default, its suffix gives it.
    names
        The names of the columns of a numpy array; by default X1, X2, ...

    Examples
    --------
    >>> import numpy as np
    >>> import noisyor
    >>> data = noisyor.read(np.array([[0, 1], [1, 1], [0, 0]]), names=["flu", "cough"])
    >>> data.names, data.record_count
    (('flu', 'cough'), 3)
    >>> data = noisyor.read(
    ...     np.array([["low"], ["high"], ["low"]]), names=["dose"], order={"dose": ["low", "high"]}
    ... )
    >>> data.states
    (('low', 'high'),)
    """
    policy = MissingPolicy.of(missing)
    wishes = Wishes.of(present, order)
    options = TextOptions(delimiter, header, quote)
    if not isinstance(source, str | Path):
        refuse_file_options(options, format)
        return code_columns(table_in_memory(source, names), policy).dataset(wishes)
    refuse_names(names)
    with titled(source), local_file(source, format) as file:
        return _coded(file, options, policy).dataset(wishes)


def _coded(file: LocalFile, options: TextOptions, policy: MissingPolicy) -> TableCoder:
    if file.format in {Format.PARQUET, Format.ARROW}:
        refuse_text_options(options, file.format)
        return code_columns(file_table(file), policy)
    found = text_table(file, options)
    if isinstance(found, TextTable):
        return code_table(found, policy)
    return code_records(found, policy)
