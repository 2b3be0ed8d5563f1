"""Read a table from a file, a frame or an array."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from noisyor.core import DataError, Dataset, SettingsError
from noisyor.core.errors import errors_at
from noisyor.data.arff import find_arff_table
from noisyor.data.coding import TableCoder
from noisyor.data.columnar_files import file_table
from noisyor.data.delimited import TextOptions, code_records, code_table, find_table
from noisyor.data.frames import ColumnTable, array_table, code_columns, frame_table
from noisyor.data.gobnilp import find_gobnilp_table
from noisyor.data.local_files import Format, LocalFile, local_file, title_of
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw import raw_columns, raw_text
from noisyor.data.text import RecordSource, TextTable


def read(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    present: Mapping[str, str] | None = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> Dataset:
    """Return the binary records of a file, a frame or an array.

    Parameters
    ----------
    source
        A path ("-" is standard input), a frame of pandas, polars or pyarrow, or a numpy array.
    present
        By column, the value that means present. Needed for each column that does not use an
        accepted pair of words; for one that does, it may reverse their meaning.
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
    """
    policy = MissingPolicy.of(missing)
    options = TextOptions(delimiter, header, quote)
    if not isinstance(source, str | Path):
        _refuse_file_options(options, format)
        return code_columns(_table_in_memory(source, names), policy).dataset(present or {})
    _refuse_names(names)
    with _titled(source), local_file(source, format) as file:
        return _coded(file, options, policy).dataset(present or {})


def read_raw(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Return a table of any values: columns of numbers, booleans or text, missing cells null.

    A column of a text file is numeric if every value that is not missing is a number. Text is
    stripped of surrounding blanks.

    Parameters
    ----------
    source, delimiter, header, quote, format, names
        As for `read`.
    """
    options = TextOptions(delimiter, header, quote)
    if not isinstance(source, str | Path):
        _refuse_file_options(options, format)
        return raw_columns(_table_in_memory(source, names))
    _refuse_names(names)
    with _titled(source), local_file(source, format) as file:
        if file.format in {Format.PARQUET, Format.ARROW}:
            _refuse_text_options(options, file.format)
            return raw_columns(file_table(file, whole=True))
        return raw_text(_text_table(file, options, binary=False))


def raw_table(source: object) -> pl.DataFrame:
    """Return a polars frame as it is, and any other source as `read_raw` reads it."""
    return source if isinstance(source, pl.DataFrame) else read_raw(source)


def _coded(file: LocalFile, options: TextOptions, policy: MissingPolicy) -> TableCoder:
    if file.format in {Format.PARQUET, Format.ARROW}:
        _refuse_text_options(options, file.format)
        return code_columns(file_table(file), policy)
    table = _text_table(file, options, binary=True)
    if isinstance(table, TextTable):
        return code_table(table, policy)
    return code_records(table, policy)


def _text_table(file: LocalFile, options: TextOptions, *, binary: bool) -> RecordSource:
    if file.format is Format.DELIMITED:
        return find_table(file.path, options, file.suffix)
    _refuse_text_options(options, file.format)
    if file.format is Format.GOBNILP:
        return find_gobnilp_table(file.path, binary=binary)
    return find_arff_table(file.path)


def _table_in_memory(source: object, names: Sequence[str] | None) -> ColumnTable:
    if isinstance(source, np.ndarray):
        return array_table(source, names)
    _refuse_names(names)
    return frame_table(source)


@contextmanager
def _titled(source: str | Path) -> Iterator[None]:
    """Prefix errors with the name of the file, including those of the operating system."""
    with errors_at(title_of(source), caught=DataError):
        try:
            yield
        except OSError as error:
            raise DataError(f"the file cannot be read: {error.strerror or error}") from error


def _refuse_names(names: Sequence[str] | None) -> None:
    if names is not None:
        raise SettingsError(
            "names are given only for numpy arrays; files and frames have their own"
        )


def _refuse_text_options(options: TextOptions, file_format: Format) -> None:
    if options != TextOptions():
        raise SettingsError(
            f"delimiter, header and quote are for delimited text, not for {file_format.value} files"
        )


def _refuse_file_options(options: TextOptions, format_name: str | None) -> None:
    if options != TextOptions() or format_name is not None:
        raise SettingsError("delimiter, header, quote and format are for files, not for frames")
