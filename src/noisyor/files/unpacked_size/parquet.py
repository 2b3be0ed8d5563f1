"""How much memory the row groups of a Parquet file take.

Field numbers are those of parquet.thrift of the Apache Parquet format. The headers of all pages
are read, because a reader relies on them: the footer could say anything.
"""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from noisyor.core import FormatError
from noisyor.files.unpacked_size import refuse_bomb
from noisyor.files.unpacked_size.thrift import CompactReader, EndedEarlyError, Struct

_MAGIC = b"PAR1"
_END = 8  # bytes: the length of the footer, and the magic
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 16, 7: 16}  # bytes of a value in memory, by type
_FIXED_LENGTH = 7  # the type whose length is in the schema
_DATA_PAGE, _INDEX_PAGE, _DICTIONARY_PAGE, _DATA_PAGE_2 = 0, 1, 2, 3
_FIRST_LOOK, _LAST_LOOK = 2**7, 2**24  # bytes within which the header of a page should end
_HEADERS = {_DATA_PAGE: 5, _DICTIONARY_PAGE: 7, _DATA_PAGE_2: 8}  # fields of a page's header


Bytes = bytes | mmap.mmap


class RowGroup(NamedTuple):
    """The number of rows of a group, and their bytes in memory and in the file."""

    rows: int
    unpacked: int
    packed: int


def row_groups(data: Bytes) -> list[RowGroup]:
    """Return the row groups of a file; raise a FormatError if it contradicts itself."""
    footer = _footer(data)
    widths = [_width(one) for one in _structs(footer, 2)[1:] if not one.get(5)]
    groups = [_row_group(data, one, widths) for one in _structs(footer, 4)]
    if sum(group.rows for group in groups) != _number(footer, 3):
        raise FormatError("its row groups do not have as many rows as the file states")
    return groups


def row_count_of_bounded_groups(data: Bytes) -> int:
    """Return how many rows a file has; refuse a row group that takes too much memory.

    For callers that read the file group by group, as polars does.
    """
    groups = row_groups(data)
    for number, group in enumerate(groups):
        refuse_bomb(
            group.unpacked,
            group.packed,
            f"row group {number}, of {group.rows:,} rows,",
            "Write the table in smaller row groups",
        )
    return sum(group.rows for group in groups)


def row_count_of_bounded(data: Bytes) -> int:
    """Return how many rows a file has; refuse a file that takes too much memory as a whole."""
    groups = row_groups(data)
    refuse_bomb(
        sum(group.unpacked for group in groups),
        len(data),
        "its content",
        "If the file is right, split it",
    )
    return sum(group.rows for group in groups)


@contextmanager
def mapped(path: Path) -> Iterator[Bytes]:
    """Provide the bytes of a file, mapped so that only those used are read."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def _footer(data: Bytes) -> Struct:
    size, end = len(data), data[-_END:]
    length = int.from_bytes(end[:4], "little")
    if len(end) < _END or end[4:] != _MAGIC or length > size - _END:
        raise FormatError("it does not end like a Parquet file")
    return CompactReader(data[size - _END - length : size - _END]).read()


def _width(element: Struct) -> int:
    kind = _number(element, 1)
    if kind not in _WIDTHS:
        raise FormatError(f"a column is of the unknown type {kind}")
    return _WIDTHS[kind] + (_number(element, 2) if kind == _FIXED_LENGTH else 0)


def _row_group(data: Bytes, group: Struct, widths: list[int]) -> RowGroup:
    columns, rows = _structs(group, 1), _number(group, 3)
    if len(columns) != len(widths):
        raise FormatError(f"a row group has {len(columns)} columns, and the schema {len(widths)}")
    unpacked = packed = 0
    for column, width in zip(columns, widths, strict=True):
        chunk = column.get(3)
        if not isinstance(chunk, dict):
            raise FormatError("a column has no metadata")
        pages, in_file = _pages(data, chunk)
        unpacked += width * max(rows, _number(chunk, 5)) + pages
        packed += in_file
    return RowGroup(rows, unpacked, packed)


def _pages(data: Bytes, chunk: Struct) -> tuple[int, int]:
    """Return the bytes of the pages of a column, uncompressed and in the file."""
    wanted = _number(chunk, 5)
    position = _number(chunk, 11) if chunk.get(11) else _number(chunk, 9)
    seen = unpacked = packed = 0
    while seen < wanted:
        header, position = _page_header(data, position)
        kind, length = _number(header, 1), _number(header, 3)
        unpacked += _number(header, 2)
        packed += length
        position += length
        if kind in _HEADERS:
            values = _number(_struct(header, _HEADERS[kind]), 1)
            if kind != _DICTIONARY_PAGE:
                seen += values
    if seen > wanted:
        raise FormatError("the pages of a column have more values than the column")
    return unpacked, packed


def _page_header(data: Bytes, position: int) -> tuple[Struct, int]:
    """Return the header at a position, and where the page itself begins."""
    look = _FIRST_LOOK
    while True:
        reader = CompactReader(data[position : position + look])
        try:
            return reader.read(), position + reader.position
        except EndedEarlyError:
            if look >= _LAST_LOOK or position + look >= len(data):
                raise
            look *= 2**6


def _number(fields: Struct, number: int) -> int:
    value = fields.get(number)
    if not isinstance(value, int) or value < 0:
        raise FormatError(f"its metadata lack a number (field {number})")
    return value


def _struct(fields: Struct, number: int) -> Struct:
    value = fields.get(number)
    if not isinstance(value, dict):
        raise FormatError(f"its metadata lack a part (field {number})")
    return value


def _structs(fields: Struct, number: int) -> list[Struct]:
    value = fields.get(number)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise FormatError(f"its metadata lack a list (field {number})")
    return value
