"""A reader without a schema for Thrift's compact encoding, used by the metadata of Parquet.

A struct becomes a dictionary from field numbers to values; for texts, only the length is kept. See
the specification of Apache Thrift, "Thrift Compact protocol encoding".
"""

from enum import IntEnum

from noisyor.core import FormatError

Struct = dict[int, object]

_MOST_LEVELS = 16
_MOST_BITS = 70  # in a number, seven to a byte
_SHORT_LIST = 15  # a list of at least this length has its length in separate bytes


class _Kind(IntEnum):
    """Types of values, by their numbers."""

    TRUE = 1
    FALSE = 2
    BYTE = 3
    SHORT = 4
    INTEGER = 5
    LONG = 6
    DOUBLE = 7
    TEXT = 8
    LIST = 9
    SET = 10
    MAP = 11
    STRUCT = 12


_INTEGERS = frozenset({_Kind.SHORT, _Kind.INTEGER, _Kind.LONG})


class EndedEarlyError(FormatError):
    """The bytes end in the middle of a value."""


class CompactReader:
    """Reads one value after another; anything else is refused with a FormatError.

    Pages have headers by the thousand, so the end of the bytes is not checked for in advance.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.position = 0

    def read(self) -> Struct:
        """Return the fields of the struct at the start of the bytes."""
        try:
            return self._struct(_MOST_LEVELS)
        except IndexError as error:
            raise EndedEarlyError("its metadata end too early") from error

    def _struct(self, levels: int) -> Struct:
        if not levels:
            raise FormatError("its metadata are nested too deeply")
        fields: Struct = {}
        number = 0
        while header := self._byte():
            number = number + (header >> 4) if header >> 4 else self._integer()
            kind = header & 15
            if kind in _INTEGERS:
                fields[number] = self._integer()
            elif kind <= _Kind.FALSE:  # the header says which
                fields[number] = kind == _Kind.TRUE
            else:
                fields[number] = self._value(kind, levels)
        return fields

    def _value(self, kind: int, levels: int) -> object:
        match kind:
            case _Kind.STRUCT:
                value: object = self._struct(levels - 1)
            case _Kind.TEXT:
                value = self._skip(self._varint())
            case _Kind.SHORT | _Kind.INTEGER | _Kind.LONG:
                value = self._integer()
            case _Kind.LIST | _Kind.SET:
                value = self._list(levels)
            case _Kind.TRUE | _Kind.FALSE | _Kind.BYTE:  # in lists, truth values take a byte
                value = self._byte()
            case _Kind.DOUBLE:
                value = self._skip(8)
            case _Kind.MAP:
                value = self._map(levels)
            case _:
                raise FormatError(f"its metadata have a value of the unknown type {kind}")
        return value

    def _list(self, levels: int) -> list[object]:
        header = self._byte()
        count, kind = header >> 4, header & 15
        if count == _SHORT_LIST:
            count = self._varint()
        self._check_room(count)  # a value takes a byte at least
        return [self._value(kind, levels - 1) for _ in range(count)]

    def _map(self, levels: int) -> list[tuple[object, object]]:
        count = self._varint()
        if not count:
            return []
        kinds = self._byte()
        self._check_room(count)
        return [
            (self._value(kinds >> 4, levels - 1), self._value(kinds & 15, levels - 1))
            for _ in range(count)
        ]

    def _byte(self) -> int:
        position = self.position
        self.position = position + 1
        return self._data[position]

    def _varint(self) -> int:
        byte = self._byte()
        value = byte & 127
        place = 7
        while byte > 127:  # noqa: PLR2004  (the highest bit says that there are more)
            byte = self._byte()
            value |= (byte & 127) << place
            place += 7
            if place > _MOST_BITS:
                raise FormatError("its metadata have a number of too many bytes")
        return value

    def _integer(self) -> int:
        """Return a signed number: zigzag, the lowest bit is the sign."""
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _skip(self, count: int) -> int:
        self._check_room(count)
        self.position += count
        return count

    def _check_room(self, count: int) -> None:
        if self.position + count > len(self._data):
            raise IndexError
