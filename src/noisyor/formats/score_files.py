"""Score tables in files; the suffix chooses the format."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from noisyor.core import FormatError, ScoreTable, SettingsError
from noisyor.files.content import bytes_in
from noisyor.files.whole import write_whole
from noisyor.formats.jkl import jkl_bytes, read_jkl
from noisyor.formats.pss import pss_bytes, read_pss
from noisyor.formats.score_parquet import parquet_bytes, read_parquet

OWN_SUFFIX = ".parquet"
SIDECAR_SUFFIX = ".noisyor.parquet"


class _TextFormat(NamedTuple):
    """A foreign text format: it holds names, parents and the better relation's cost, no more."""

    write: Callable[[ScoreTable], bytes]
    read: Callable[[bytes, Path], ScoreTable]


_TEXT_FORMATS = {
    ".jkl": _TextFormat(jkl_bytes, read_jkl),
    ".pss": _TextFormat(pss_bytes, read_pss),
}


def sidecar_of(path: Path) -> Path:
    """Return the path of the file that keeps what a text format has no room for."""
    return path.with_name(path.name + SIDECAR_SUFFIX)


def write_scores(table: ScoreTable, path: str | Path) -> None:
    """Write a table as .parquet, or as .jkl or .pss with a sidecar, whole or not at all.

    The sidecar is the whole table in the project's own format, with the digest of the text file
    that it belongs to. Other programs need only the text file.
    """
    path = Path(path)
    if check_suffix(path) == OWN_SUFFIX:
        write_whole({path: parquet_bytes(table)})
        return
    text = _TEXT_FORMATS[check_suffix(path)].write(table)
    write_whole({path: text, sidecar_of(path): parquet_bytes(table, _digest(text))})


def read_scores(path: str | Path) -> ScoreTable:
    """Return the table in a file; for a text file with a sidecar, the whole table.

    Without a sidecar, the table is foreign: its Bayes factor and relations are unknown, every
    family counts as a full table, and names are as in the file.
    """
    path = Path(path)
    suffix = check_suffix(path)
    data = bytes_in(path)
    if suffix == OWN_SUFFIX:
        return read_parquet(data, path).table
    sidecar = sidecar_of(path)
    if not sidecar.exists():
        return _TEXT_FORMATS[suffix].read(data, path)
    stored = read_parquet(bytes_in(sidecar), sidecar)
    if stored.text_digest != _digest(data):
        raise FormatError(
            f"{sidecar} does not belong to {path}: one of them has been changed or replaced since "
            f"they were written together. Restore the pair, or remove the sidecar to read "
            f"{path.name} as a file of another program"
        )
    return stored.table


def check_suffix(path: str | Path) -> str:
    """Return the suffix that gives a file's format, or refuse an unknown one."""
    suffix = Path(path).suffix.lower()
    allowed = (OWN_SUFFIX, *_TEXT_FORMATS)
    if suffix not in allowed:
        raise SettingsError(
            f"{path} does not end like a file of scores; allowed: {', '.join(allowed)}"
        )
    return suffix


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
