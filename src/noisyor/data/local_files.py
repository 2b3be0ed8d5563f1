"""Turn any source of a table into a plain local file of a known format."""

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
"""The most bytes that a gzip file may unpack to."""

_GZIP_MAGIC = b"\x1f\x8b"
_HARMLESS = 2**28  # bytes that any file may unpack to
_LARGEST_RATIO = 250  # of a larger file to its compressed size; sparse 0/1 has up to about 100
_LONGEST_LINE = 2**26  # bytes of unpacked text: a reader holds a whole line in memory
_COPIED_AT_ONCE = 2**20


class Format(Enum):
    """The format of a file's bytes."""

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
"""Formats by file suffix, which is also the name that `format=` takes."""

_SPREADSHEETS = frozenset({"xlsx", "xlsm", "xls", "ods", "numbers"})  # suffixes


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A plain file that can be read more than once.

    `suffix` is the name in FORMAT_NAMES by which the format was chosen.
    """

    path: Path
    suffix: str

    @property
    def format(self) -> Format:
        """The format of the bytes."""
        return FORMAT_NAMES[self.suffix]


def title_of(source: str | Path) -> str:
    """Return the name of a source in messages."""
    return "standard input" if str(source) == STANDARD_INPUT else str(source)


@contextmanager
def local_file(source: str | Path, format_name: str | None) -> Iterator[LocalFile]:
    """Provide a source as a plain file while the context is open.

    Standard input, pipes, gzip files and files whose name is not valid text are first copied,
    uncompressed, to a temporary file. polars needs a file that it can map, with a name that it
    can encode, and finding the row of an error needs a second pass. So they take disk, not memory.
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
    """Return the name of a source's format, and whether its suffix or format includes .gz."""
    allowed = ", ".join(FORMAT_NAMES)
    if format_name is None:
        if str(source) == STANDARD_INPUT:
            raise SettingsError(
                f"standard input has no suffix that gives its format; give the format, one of: "
                f"{allowed}"
            )
        name = Path(source).name.lower()
        compressed = name.endswith(".gz")
        suffix = Path(name.removesuffix(".gz")).suffix.removeprefix(".")
        if suffix not in FORMAT_NAMES:
            if suffix in _SPREADSHEETS:
                raise DataError(
                    f"spreadsheets ({'.' + suffix}) are not read; save the sheet as CSV (UTF-8)"
                )
            raise DataError(
                f"noisyor does not know the suffix {'.' + suffix!r}; allowed, each also with .gz: "
                f"{allowed}. Or give the format"
                if suffix
                else f"the name has no suffix that gives its format; allowed: {allowed}. Or give "
                "the format"
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
    """Return the file, open for reading; a DataError says why it cannot be opened."""
    if path.is_dir():
        raise DataError("this is a folder; a file is needed")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise DataError("there is no such file") from None
    except OSError as error:
        raise DataError(f"the file cannot be opened: {error.strerror}") from error
    except ValueError as error:  # a NUL character in the name
        raise DataError(f"the file cannot be opened: {error}") from error


def _is_text(name: str) -> bool:
    """Return whether a name can be encoded in UTF-8: on disk, names are arbitrary bytes."""
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
    """Return a temporary file with the bytes of a stream, or refuse a stream that is too long.

    The limit is half of the free disk space, or `most` bytes if that is less.
    """
    with _temporary_file(stack) as copy:
        room = shutil.disk_usage(Path(copy.name).parent).free // 2
        size = 0
        while chunk := stream.read(_COPIED_AT_ONCE):
            size += len(chunk)
            if most is not None and size > most:
                raise DataError(
                    f"it unpacks to more than {most >> 20:,} MiB, too much for its size: noisyor "
                    f"unpacks {_HARMLESS >> 20} MiB, or {_LARGEST_RATIO} times the size of the "
                    f"file up to {MOST_UNPACKED >> 30} GiB. If the file is right, unpack it with "
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
    """Unpacked text, in which a line that seems to have no end is refused."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._line = 0  # bytes of the current line so far

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
