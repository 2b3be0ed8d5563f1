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
MOST_UNPACKED = 2**35
"""Bytes to which gzip is unpacked at most."""

_GZIP_MAGIC = b"\x1f\x8b"
_HARMLESS = 2**28  # bytes that any file may unpack to
_LARGEST_RATIO = 250  # that more may have to its compressed size; sparse 0/1 has up to about 100
_LONGEST_LINE = 2**26  # bytes of unpacked text: whoever reads a line holds all of it
_COPIED_AT_ONCE = 2**20


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

    Standard input, pipes, gzip and files whose name is no text are first copied to a temporary
    file, uncompressed: polars wants a file it can map, by a name it can write, and a second look
    finds the row that a message is about. So they take disk, not memory.
    """
    suffix, compressed = _suffix_of(source, format_name)
    with ExitStack() as stack:
        path = Path(source)
        if str(source) == STANDARD_INPUT:
            path = _copied(sys.stdin.buffer, stack)
        else:
            with _opened(path) as file:  # once: a pipe cannot be opened twice
                if not path.is_file() or not _is_text(str(path)):  # polars takes names as text
                    path = _copied(file, stack)
        if compressed or _starts_with_gzip(path):
            columnar = FORMAT_NAMES[suffix] in {Format.PARQUET, Format.ARROW}
            path = _unpacked(path, stack, is_text=not columnar)
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
    except ValueError as error:  # a character that no name can have
        raise DataError(f"the file cannot be opened: {error}") from error


def _is_text(name: str) -> bool:
    """Return whether a name can be written in UTF-8: on disk, names are any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _starts_with_gzip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC


def _temporary_file(stack: ExitStack) -> BinaryIO:
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noisyor-"))
    return (Path(folder) / "table").open("xb")


def _copied(stream: BinaryIO, stack: ExitStack, most: int | None = None) -> Path:
    """Return a temporary file with the bytes of a stream, or refuse one that has too many.

    Half of the free disk is left to others, and `most` may be less than that.
    """
    with _temporary_file(stack) as copy:
        room = shutil.disk_usage(Path(copy.name).parent).free // 2
        size = 0
        while chunk := stream.read(_COPIED_AT_ONCE):
            size += len(chunk)
            if most is not None and size > most:
                raise DataError(
                    f"it unpacks to more than {most >> 20:,} MiB, too much for what it is: noisyor "
                    f"unpacks {_HARMLESS >> 20} MiB, or {_LARGEST_RATIO} times the size of the "
                    f"file up to {MOST_UNPACKED >> 30} GiB. If that is meant, unpack it with "
                    "'gzip -d' and read the plain file"
                )
            if size > room:
                raise DataError(
                    f"it takes more than {room >> 20:,} MiB, half of what is free for temporary "
                    "files; read a plain file that is not compressed, or set TMPDIR to a folder "
                    "with more room"
                )
            _write(copy, chunk)
    return Path(copy.name)


def _write(copy: BinaryIO, chunk: bytes) -> None:
    try:
        copy.write(chunk)
        copy.flush()
    except OSError as error:
        raise DataError(
            f"its copy in the folder for temporary files cannot be written: {error.strerror}; set "
            "TMPDIR to a folder with more room"
        ) from error


def _unpacked(path: Path, stack: ExitStack, *, is_text: bool) -> Path:
    """Return a temporary file with the uncompressed bytes of a gzip file."""
    most = min(MOST_UNPACKED, max(_HARMLESS, _LARGEST_RATIO * path.stat().st_size))
    try:
        with gzip.open(path) as packed:
            stream = _Lines(packed) if is_text else packed  # type: ignore[arg-type]
            return _copied(stream, stack, most)  # type: ignore[arg-type]
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"the gzip compression is broken ({error}); write or download the file again"
        ) from error


class _Lines:
    """Text as it is unpacked; a line that seems to have no end is refused."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._line = 0  # bytes since it began, as far as the last chunk

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        chunk = self._packed.read(size)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        self._line = self._line + len(chunk) if end < 0 else len(chunk) - end - 1
        if self._line > _LONGEST_LINE:
            raise DataError(
                f"a line of the unpacked text has more than {_LONGEST_LINE >> 20} MiB; no table "
                "that noisyor can read has such lines"
            )
        return chunk
