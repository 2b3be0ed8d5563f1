"""Files of every kind as plain local files of a known format."""

import gzip
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from noisyor.core import DataError, SettingsError

STANDARD_INPUT = "-"
_GZIP_MAGIC = b"\x1f\x8b"


class Format(Enum):
    """What a file's bytes mean."""

    DELIMITED = "delimited text"
    PARQUET = "Parquet"
    ARROW = "Arrow"
    GOBNILP = "GOBNILP .dat"
    ARFF = "ARFF"


FORMAT_NAMES = {
    "csv": Format.DELIMITED,
    "tsv": Format.DELIMITED,
    "txt": Format.DELIMITED,
    "data": Format.DELIMITED,
    "parquet": Format.PARQUET,
    "arrow": Format.ARROW,
    "feather": Format.ARROW,
    "ipc": Format.ARROW,
    "dat": Format.GOBNILP,
    "arff": Format.ARFF,
}
"""Formats by the suffix that announces them, which is also the name that `format=` takes."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A plain file that can be read more than once, and what its name says about it.

    `suffix` is the name in FORMAT_NAMES by which the format was chosen.
    """

    path: Path
    suffix: str

    @property
    def format(self) -> Format:
        """What the bytes mean."""
        return FORMAT_NAMES[self.suffix]


def title_of(source: str | Path) -> str:
    """Return what messages call a file."""
    return "standard input" if str(source) == STANDARD_INPUT else str(source)


@contextmanager
def local_file(source: str | Path, format_name: str | None) -> Iterator[LocalFile]:
    """Give a source as a plain file for as long as it is needed.

    Standard input, pipes and gzip are first copied to a temporary file, uncompressed: polars
    wants a file it can map, and a second look finds the row that a message is about. So they
    take disk, not memory.
    """
    suffix, compressed = _suffix_of(source, format_name)
    with ExitStack() as stack:
        path = Path(source)
        if str(source) == STANDARD_INPUT:
            path = _copied(sys.stdin.buffer, stack)
        else:
            with _opened(path) as file:  # once: a pipe cannot be opened twice
                if not path.is_file():
                    path = _copied(file, stack)
        if compressed or _starts_with_gzip(path):
            path = _unpacked(path, stack)
        if not path.stat().st_size:
            raise DataError("the file is empty; a table with at least one record is needed")
        yield LocalFile(path, suffix)


def _suffix_of(source: str | Path, format_name: str | None) -> tuple[str, bool]:
    """Return the name of a source's format, and whether it says that it is compressed."""
    allowed = ", ".join(FORMAT_NAMES)
    if format_name is None:
        if str(source) == STANDARD_INPUT:
            raise SettingsError(
                f"standard input has no suffix to tell its format by; set it with --format to one "
                f"of: {allowed}"
            )
        name = Path(source).name.lower()
        compressed = name.endswith(".gz")
        suffix = Path(name.removesuffix(".gz")).suffix.removeprefix(".")
        if suffix not in FORMAT_NAMES:
            raise DataError(
                f"the suffix {'.' + suffix!r} is not one that noisyor knows; allowed, each also "
                f"with .gz: {allowed}. Or say what it is with --format"
                if suffix
                else f"the name has no suffix to tell the format by; allowed: {allowed}. Or say "
                "what it is with --format"
            )
        return suffix, compressed
    name = format_name.lower().removeprefix(".")
    suffix = name.removesuffix(".gz")
    if suffix not in FORMAT_NAMES:
        raise SettingsError(
            f"there is no format {format_name!r}; allowed, each also with .gz: {allowed}"
        )
    return suffix, name.endswith(".gz")


def _opened(path: Path) -> BinaryIO:
    """Return a file open for reading, or say why it cannot be."""
    if path.is_dir():
        raise DataError("this is a folder; a file is needed")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise DataError("there is no such file") from None
    except OSError as error:
        raise DataError(f"the file cannot be opened: {error.strerror}") from error


def _starts_with_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


def _temporary_file(stack: ExitStack) -> BinaryIO:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noisyor-"))
    return (Path(folder) / "table").open("xb")


def _copied(stream: BinaryIO, stack: ExitStack) -> Path:
    """Return a temporary file with the bytes of a stream."""
    with _temporary_file(stack) as copy:
        shutil.copyfileobj(stream, copy)
    return Path(copy.name)


def _unpacked(path: Path, stack: ExitStack) -> Path:
    """Return a temporary file with the uncompressed bytes of a gzip file."""
    try:
        with gzip.open(path) as packed:
            return _copied(packed, stack)  # type: ignore[arg-type]
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"the gzip compression is broken ({error}); write or download the file again"
        ) from error
