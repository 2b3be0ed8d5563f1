"""How much memory a compressed file expands to, from its metadata, before it is read.

Run lengths, dictionaries and compression let a file of a few kilobytes hold billions of
values. A file is refused if it takes more than `HARMLESS` bytes and more than `LARGEST_RATIO` times
its own size, or half of the machine's memory.
"""

import os

from noisyor.core import FormatError

HARMLESS = 2**30
"""Bytes of memory that any file may take."""

LARGEST_RATIO = 1000
"""Memory of a larger file, in multiples of its size: sparse columns of 0 and 1 come close."""


def refuse_bomb(unpacked: int, packed: int, what: str, way_out: str) -> None:
    """Refuse what takes too much memory for its size in the file, both in bytes."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = max(HARMLESS, min(LARGEST_RATIO * packed, memory // 2))
    if unpacked > most:
        raise FormatError(
            f"{what} takes {unpacked >> 20:,} MiB of memory, but {packed / 2**20:,.1f} MiB of the "
            f"file; allowed are {HARMLESS >> 20:,} MiB, or {LARGEST_RATIO} times its size up to "
            f"half of the memory of the machine. {way_out}"
        )
