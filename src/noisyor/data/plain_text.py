"""Decide from the bytes of a text file whether polars reads it as the careful reader does.

The careful reader defines what a file means (see `delimited`). polars differs where lines end with
CR alone, where a record begins with a byte order mark, where a comment is not at the beginning of
a line, where cells are separated by more than one blank, and where the file ends with a delimiter.
None of this shows in the cells that polars returns, so the bytes are checked first: that takes a
small part of the time of reading them.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from noisyor.data.dialect import WHITE_SPACE
from noisyor.data.text import TextTable

_CHUNK = 1 << 20  # bytes, and the rest of the line
_UNEVEN_BLANKS = (b"  ", b"\t", b" \n", b" \r", b"\n ")


def is_plain(table: TextTable) -> bool:
    """Return whether the file contains nothing that polars is known to read differently.

    Finding one byte is much faster than finding several, so the first byte is searched first.
    """
    dialect = table.dialect
    if not (dialect.delimiter.isascii() and dialect.quote.isascii()):
        return False  # polars knows single bytes only
    delimiter = dialect.delimiter.encode()
    odd = (b"\0", BOM_UTF8, *([table.comment.encode()] if table.comment else ()))
    if dialect.delimiter == WHITE_SPACE:
        odd += _UNEVEN_BLANKS
    with table.path.open("rb") as file:
        if file.read(len(BOM_UTF8)) != BOM_UTF8:
            file.seek(0)
        if any(_has_bare_cr(line) for line in islice(file, table.first_line)):
            return False  # polars counts the lines before the records differently
        last = b""
        for chunk in iter(lambda: file.read(_CHUNK) + file.readline(), b""):
            if _has_bare_cr(chunk) or any(one[:1] in chunk and one in chunk for one in odd):
                return False
            if delimiter == b" " and chunk.startswith(b" "):
                return False
            last = chunk
    return not last.endswith(delimiter)


def _has_bare_cr(chunk: bytes) -> bool:
    return b"\r" in chunk and chunk.count(b"\r") != chunk.count(b"\r\n")


def has_even_lines(table: TextTable) -> bool:
    """Return whether each line has as many delimiters as a record, and no quotes.

    Blank lines are allowed at the end.
    """
    delimiter, quote = table.dialect.delimiter.encode(), table.dialect.quote.encode()
    wanted = len(table.names) - 1
    ended = False
    for line in _lines(table.path, table.first_line):
        if not line.strip(b"\r\n"):
            ended = True
        elif ended or line.count(delimiter) != wanted or (quote and quote in line):
            return False
    return True


def _lines(path: Path, first: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from islice(file, first, None)
