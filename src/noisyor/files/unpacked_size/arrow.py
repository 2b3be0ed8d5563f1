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


def check_record_batches(data: Bytes, *, whole: bool = False) -> None:
    """Refuse a file of which a record batch takes too much memory for its size, or all together.

    polars reads a file batch by batch, and a stream at once.
    """
    in_file = data[: len(FILE_MAGIC)] == FILE_MAGIC
    try:
        messages = _of_file(data) if in_file else _of_stream(data)
        sizes = [_sizes(data, message, body) for message, body in messages]
        what = "a record batch"
        if whole or not in_file:
            what = "its content"
            sizes = [(sum(one for one, _ in sizes), sum(one for _, one in sizes))]
        for unpacked, packed in sizes:
            way_out = "Write the table in smaller batches, or without compression"
            refuse_bomb(unpacked, packed, what, way_out)
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
        """Return the table that a flatbuffer at this position is about."""
        return cls(data, position + _at(data, _INT, position)[0])

    def number(self, field: int, kind: Struct) -> int:
        """Return a number, 0 if it is not there."""
        place = self._place(field)
        return 0 if place is None else _at(self._data, kind, place)[0]

    def table(self, field: int) -> "_Table | None":
        """Return a table, if it is there."""
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
    """Yield the messages that the footer lists, and where their bodies begin."""
    end = len(data) - len(FILE_MAGIC) - _INT.size
    footer = _Table.root(data, end - _at(data, _INT, end)[0])
    for offset, length, _ in (*footer.structs(2, _BLOCK), *footer.structs(3, _BLOCK)):
        yield _message(data, offset), offset + length


def _of_stream(data: Bytes) -> Iterator[tuple[_Table, int]]:
    """Yield the messages that follow each other, and where their bodies begin."""
    position = 0
    while position + _INT.size <= len(data):
        if data[position : position + _INT.size] == _CONTINUED:
            position += _INT.size
        length = _at(data, _INT, position)[0]
        if not length:
            return
        message = _Table.root(data, position + _INT.size)
        body = position + _INT.size + length
        yield message, body
        size = message.number(3, _LONG)
        if size < 0 or length < 0:
            raise FormatError("its metadata point outside of the file")
        position = body + size


def _message(data: Bytes, offset: int) -> _Table:
    start = offset + _INT.size * (data[max(offset, 0) : max(offset, 0) + 4] == _CONTINUED)
    return _Table.root(data, start + _INT.size)


def _sizes(data: Bytes, message: _Table, body: int) -> tuple[int, int]:
    """Return what the columns of a message take, uncompressed and in the file."""
    kind, batch = message.number(1, _BYTE), message.table(2)
    if kind == _DICTIONARY_BATCH and batch is not None:
        batch = batch.table(1)
    if kind not in {_DICTIONARY_BATCH, _RECORD_BATCH} or batch is None:
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
