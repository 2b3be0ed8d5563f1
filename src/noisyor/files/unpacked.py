"""The bytes of a file of a network, which may be compressed with gzip."""

import gzip
import io
import zlib
from contextlib import suppress
from pathlib import Path

from noisyor.core.errors import FormatError, errors_at
from noisyor.files.content import bytes_in

MOST_BYTES = 2**28
"""Larger files are not networks: the largest table that is read has a million entries."""

GZIP = ".gz"
"""The suffix of a file that is compressed."""

_GZIP_MAGIC = b"\x1f\x8b"
_HARMLESS = 2**26  # bytes that any file may unpack to
_LARGEST_RATIO = 250  # of a larger file to its compressed size; tables of zeros have about 100


def unpacked_bytes(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if they are compressed, whatever the file is called."""
    # Of a pipe, only reading tells the size; a file that does not exist is refused below.
    with suppress(OSError, ValueError):
        _refuse_large(path, path.stat().st_size)
    content = bytes_in(path, MOST_BYTES + 1)
    _refuse_large(path, len(content))
    if not content.startswith(_GZIP_MAGIC):
        return content
    with errors_at(path):
        return _unpacked(content)


def _refuse_large(path: Path, size: int) -> None:
    if size > MOST_BYTES:
        raise FormatError(f"{path} has more than {MOST_BYTES} bytes, the most allowed")


def without_gzip(path: Path) -> Path:
    """Return the path without a suffix that says that it is compressed."""
    return path.with_suffix("") if path.suffix.lower() == GZIP else path


def _unpacked(content: bytes) -> bytes:
    most = min(MOST_BYTES, max(_HARMLESS, _LARGEST_RATIO * len(content)))
    try:
        with gzip.open(io.BytesIO(content)) as packed:
            unpacked = packed.read(most + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(
            f"the gzip compression is broken ({error}); write or download the file again"
        ) from error
    if len(unpacked) > most:
        raise FormatError(
            f"it unpacks to more than {most >> 20} MiB, too much for its size. If the file is "
            "right, unpack it with 'gzip -d' and read the plain file"
        )
    return unpacked
