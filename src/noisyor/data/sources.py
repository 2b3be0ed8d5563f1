"""Open the source of a table: a file, a frame or an array, with the options that fit it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from noisyor.core import DataError, MismatchError, SettingsError
from noisyor.core.errors import errors_at
from noisyor.data.arff import find_arff_table
from noisyor.data.delimited import TextOptions, find_table
from noisyor.data.frames import ColumnTable, array_table, frame_table
from noisyor.data.gobnilp import find_gobnilp_table
from noisyor.data.local_files import Format, LocalFile, title_of
from noisyor.data.text import RecordSource


def text_table(file: LocalFile, options: TextOptions) -> RecordSource:
    """Return the records of a text file."""
    if file.format is Format.DELIMITED:
        return find_table(file.path, options, file.suffix)
    refuse_text_options(options, file.format)
    if file.format is Format.GOBNILP:
        return find_gobnilp_table(file.path)
    return find_arff_table(file.path)


def table_in_memory(source: object, names: Sequence[str] | None) -> ColumnTable:
    """Return the columns of a frame or an array."""
    if isinstance(source, np.ndarray):
        return array_table(source, names)
    refuse_names(names)
    return frame_table(source)


@contextmanager
def titled(source: str | Path) -> Iterator[None]:
    """Prefix errors with the name of the file, including those of the operating system."""
    title = title_of(source)
    with errors_at(title, caught=DataError), errors_at(title, caught=MismatchError):
        try:
            yield
        except OSError as error:
            raise DataError(f"the file cannot be read: {error.strerror or error}") from error


def refuse_names(names: Sequence[str] | None) -> None:
    """Refuse names for a source that has its own."""
    if names is not None:
        raise SettingsError(
            "names are given only for numpy arrays; files and frames have their own"
        )


def refuse_text_options(options: TextOptions, file_format: Format) -> None:
    """Refuse options of delimited text for another file."""
    if options != TextOptions():
        raise SettingsError(
            f"delimiter, header and quote are for delimited text, not for {file_format.value} files"
        )


def refuse_file_options(options: TextOptions, format_name: str | None) -> None:
    """Refuse options of files for a frame."""
    if options != TextOptions() or format_name is not None:
        raise SettingsError("delimiter, header, quote and format are for files, not for frames")
