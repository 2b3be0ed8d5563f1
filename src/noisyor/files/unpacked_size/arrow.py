"""What the record batches of an Arrow file or stream take in memory.

Numbers as in Message.fbs and File.fbs of the Apache Arrow format; flatbuffers are tables that say
at which offset each of their fields is. Compressed buffers begin with their uncompressed length.
"""

import mmap
from collections.abc import Iterator
from struct import Struct, error

from noisyor.core import FormatError
from noisyor.files.unpacked_size import refuse_bomb

Bytes = bytes | mmap.mmap

FILE_MAGIC = b"ARROW1"
_BYTE, _SHORT, _INT, _LONG = Struct("<B"), Struct("<H"), Struct("<i"), Struct("<q")
_BLOCK, _BUFFER, _NODE = Struct("<qi4xq"), Struct("<qq"), Struct("<qq")
_CONTINUED = b"\xff\xff\xff\xff"
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_BATCHES = frozenset({_DICTIONARY_BATCH, _RECORD_BATCH})


def row_count_of_batches(data: Bytes, *, whole: bool = False) -> int:
    """Return how many rows the record batches of a file have, according to their metadata.

    A file is refused if one batch takes too much memory for its size or, if it is read as a
    `whole`, all together do: polars reads a file batch by batch, and a stream at once.
    """
    in_file = data[: len(FILE_MAGIC)] == FILE_MAGIC
    try:
        messages = list(_of_file(data) if in_file else _of_stream(data))
        sizes = [_sizes(data, message, body) for message, body in messages]
        what = "a record batch"
        if whole or not in_file:
            what = "its content"
            sizes = [(sum(one for one, _ in sizes), sum(one for _, one in sizes))]
        for unpacked, packed in sizes:
            way_out = "Write the table in smaller batches, or without compression"
            refuse_bomb(unpacked, packed, what, way_out)
        return sum(_rows(message) for message, _ in messages)
    except error as cause:
        raise FormatError(f"its metadata point outside of the file: {cause}") from cause


def _at(data: Bytes, kind: Struct, position: int) -> tuple[int, ...]:
    if position < 0:  # which Python would count from the end
        raise FormatError("its metadata point outside of the file")
    return kind.unpack_from(data, position)


class _Table:
    """A table of a flatbuffer."""

    def __init__(self, data: Bytes, position: int) -> None:
        self._data = data
        self._position = position
        self._fields = position - _at(data, _INT, position)[0]
        self._size = _at(data, _SHORT, self._fields)[0]

    @classmethod
    def root(cls, data: Bytes, position: int) -> "_Table":
        """Return the root table of the flatbuffer at this position."""
        return cls(data, position + _at(data, _INT, position)[0])

    def number(self, field: int, kind: Struct) -> int:
        """Return a number, 0 if it is absent."""
        place = self._place(field)
        return 0 if place is None else _at(self._data, kind, place)[0]

    def table(self, field: int) -> "_Table | None":
        """Return a table, or None if it is absent."""
        place = self._place(field)
        return None if place is None else _Table.root(self._data, place)

    def structs(self, field: int, kind: Struct) -> list[tuple[int, ...]]:
        """Return the structs in a vector."""
        place = self._place(field)
        if place is None:
            return []
        start = place + _at(self._data, _INT, place)[0]
        count = _at(self._data, _INT, start)[0]
        first = start + _INT.size
        if count < 0 or first < 0 or first + count * kind.size > len(self._data):
            raise FormatError("its metadata point outside of the file")
        return [_at(self._data, kind, first + at * kind.size) for at in range(count)]

    def _place(self, field: int) -> int | None:
        at = 2 * _SHORT.size + field * _SHORT.size
        if at >= self._size:
            return None
        offset = _at(self._data, _SHORT, self._fields + at)[0]
        return self._position + offset if offset else None


def _of_file(data: Bytes) -> Iterator[tuple[_Table, int]]:
    """Yield the messages that the footer lists, and where their bodies begin.

    They must be contiguous up to the footer, so that a damaged list that omits some is noticed.
    """
    size = len(data) - len(FILE_MAGIC) - _INT.size
    start = size - _at(data, _INT, size)[0]
    footer = _Table.root(data, start)
    end = 0
    for offset, length, body in sorted((*footer.structs(2, _BLOCK), *footer.structs(3, _BLOCK))):
        if offset < end or length < 0 or body < 0 or (end and data[end:offset].strip(b"\0")):
            raise FormatError("its footer does not list the batches as they follow each other")
        yield _message(data, offset), offset + length
        end = offset + length + body
    if end:
        _refuse_more(data[end:start])


def _of_stream(data: Bytes) -> Iterator[tuple[_Table, int]]:
    """Yield the messages that follow each other, and where their bodies begin."""
    position = 0
    while position != len(data):
        start = position + _INT.size * (data[position : position + _INT.size] == _CONTINUED)
        length = _at(data, _INT, start)[0]
        if not length:
            break
        message = _message(data, position)
        body = start + _INT.size + length
        yield message, body
        size = message.number(3, _LONG)
        if size < 0 or length < 0 or body + size > len(data):
            raise FormatError("its metadata point outside of the file")
        position = body + size
    _refuse_more(data[position:])


def _refuse_more(rest: bytes) -> None:
    """Refuse bytes other than the optional end mark.

    If a length is damaged, these are the remaining records.
    """
    if rest.strip(b"\0") not in {b"", _CONTINUED}:
        raise FormatError("bytes follow the end of its batches")


def _message(data: Bytes, offset: int) -> _Table:
    start = offset + _INT.size * (data[max(offset, 0) : max(offset, 0) + 4] == _CONTINUED)
    return _Table.root(data, start + _INT.size)


def _rows(message: _Table) -> int:
    """Return how many rows a message has; its first column must have the same number."""
    batch = message.table(2)
    if message.number(1, _BYTE) != _RECORD_BATCH or batch is None:
        return 0
    rows, columns = batch.number(0, _LONG), batch.structs(1, _NODE)
    if columns and columns[0][0] != rows:
        raise FormatError(f"a record batch of {rows} rows has a column of {columns[0][0]}")
    return rows


def _sizes(data: Bytes, message: _Table, body: int) -> tuple[int, int]:
    """Return the bytes of the columns of a message, uncompressed and in the file."""
    kind, batch = message.number(1, _BYTE), message.table(2)
    if kind == _DICTIONARY_BATCH and batch is not None:
        batch = batch.table(1)
    if kind not in _BATCHES or batch is None:
        return 0, 0
    compressed = batch.table(3) is not None
    unpacked = sum(max(0, length) for length, _ in batch.structs(1, _NODE))  # those without buffers
    packed = 0
    for offset, length in batch.structs(2, _BUFFER):
        held = min(max(0, length), len(data))
        packed += held
        unpacked += held
        if compressed and held:
            unpacked += max(0, _at(data, _LONG, body + offset)[0])
    return unpacked, packed
