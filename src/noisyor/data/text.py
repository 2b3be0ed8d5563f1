"""Text tables: their first lines, and a careful reader that knows the line of every cell.

Decisions where the format is ambiguous:

- Encoding: UTF-8, with or without a byte order mark; NUL bytes are refused.
- Lines end with LF, CRLF or CR; a quoted cell may contain line breaks and delimiters.
- Blank lines at the end are ignored. Elsewhere they are an error, except in a table of one column,
  where a blank line is a missing value.
- Every record has as many cells as there are columns; quotes must close, and nothing may follow
  a closing quote but a delimiter.
- A comma in a number is a decimal comma where nothing else is likely (see `decimal_commas`).
- A row is a record, counted from 1 without the header; a line is counted from 1 as editors do.
"""

import codecs
import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from noisyor.core import DataError
from noisyor.data.decimal_commas import cells_with_points
from noisyor.data.dialect import Dialect, Sample
from noisyor.data.state_choice import Declared

_SAMPLE_SIZE = 1 << 18  # characters
_SAMPLE_LINES = 2000
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Record:
    """The cells of a record, its number and the line where it begins."""

    row: int
    line: int
    cells: list[str]

    @property
    def place(self) -> str:
        """Where the record is, for messages."""
        return f"row {self.row} (line {self.line})"


@dataclass(frozen=True, slots=True)
class TextTable:
    """Where the records of a text file are, and how to split them into cells.

    `first_line` is the number of lines before the records. Lines that begin with `comment` are
    skipped. `declared` is empty, or says something about each column. In the columns at the places
    `comma_columns`, a comma in a number is a decimal comma.
    """

    path: Path
    names: tuple[str, ...]
    dialect: Dialect
    first_line: int
    comment: str = ""
    declared: tuple[Declared, ...] = ()
    comma_columns: frozenset[int] = frozenset()

    def records(self) -> Iterator[Record]:
        """Yield the records; a DataError gives the line where the file breaks the rules above."""
        blank: list[int] = []
        row = 0
        for line, cells in self.numbered_cells():
            if not cells:
                blank.append(line)
                continue
            for place in self._inner_blanks(blank):
                row += 1
                yield Record(row, place, [""])
            blank.clear()
            row += 1
            record = Record(row, line, cells)
            if len(cells) != len(self.names):
                raise DataError(
                    f"{record.place} has {len(cells)} cells; each row needs {len(self.names)}, "
                    f"one for each column"
                )
            yield self._with_points(record)

    def _with_points(self, record: Record) -> Record:
        if not self.comma_columns:
            return record
        return replace(record, cells=cells_with_points(record.cells, self.comma_columns))

    def _inner_blanks(self, lines: list[int]) -> list[int]:
        """Return the blank lines that are records: missing values in a table of one column."""
        if lines and len(self.names) > 1:
            raise DataError(
                f"line {lines[0]} is blank; blank lines are allowed only at the end of the file"
            )
        return lines

    def numbered_cells(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line where a record begins, and its cells; a blank line has none."""
        lines = text_lines(self.path)
        for _ in range(self.first_line):
            next(lines, None)
        numbers: list[int] = []
        kept = self._without_comments(lines, numbers)
        line = 0
        try:
            for line, cells in self.dialect.records(kept):
                yield numbers[line - 1] if self.comment else line + self.first_line, cells
        except csv.Error as error:
            raise DataError(
                f"the quotes ({self.dialect.quote}) around a cell are malformed after line "
                f"{line + self.first_line}: {error}. A quoted cell ends with a quote before "
                "the delimiter, and a quote inside it is doubled"
            ) from error

    def _without_comments(self, lines: Iterator[str], numbers: list[int]) -> Iterator[str]:
        if not self.comment:
            yield from lines
            return
        for number, line in enumerate(lines, start=self.first_line + 1):
            if not line.lstrip().startswith(self.comment):
                numbers.append(number)
                yield line


class RecordSource(Protocol):
    """Anything that yields records and knows where they are."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def declared(self) -> tuple[Declared, ...]:
        """What the file says about the states of each column; empty if it says nothing."""

    def records(self) -> Iterator[Record]:
        """Yield the records."""


def text_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file with their ends, or raise where it is not UTF-8 text."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, line in enumerate(file, start=1):
                if "\0" in line:
                    raise DataError(
                        f"line {number} has a NUL byte; a text file is needed (if this is one, "
                        "save it as UTF-8)"
                    )
                yield line
    except UnicodeDecodeError:
        raise _not_utf8(path) from None


def read_sample(path: Path) -> Sample:
    """Return the first lines of a text file, at least two if it has that many."""
    with path.open("rb") as file:
        if file.read(2) in _UTF16_MARKS:
            raise DataError(
                "the file is UTF-16 (it begins with that byte order mark); save it as UTF-8"
            )
    lines: list[str] = []
    size = 0
    whole = True
    for line in text_lines(path):
        if len(lines) > 1 and (size >= _SAMPLE_SIZE or len(lines) >= _SAMPLE_LINES):
            whole = False
            break
        lines.append(line)
        size += len(line)
    if not any(line.strip() for line in lines):
        raise DataError("the file has only blank lines; a table with at least one record is needed")
    return Sample(tuple(lines), whole)


def _not_utf8(path: Path) -> DataError:
    """Return the error that locates the first byte that is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line = 0, 1
    with path.open("rb") as file:
        while True:
            chunk = file.read(1 << 20)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                start = error.start - pending
                line += chunk[: max(start, 0)].count(b"\n")
                return DataError(
                    f"the byte {error.object[error.start]:#04x} at offset {offset + start} "
                    f"(line {line}) is not UTF-8 text; save the file as UTF-8"
                )
            offset += len(chunk)
            line += chunk.count(b"\n")
            if not chunk:
                raise ValueError(f"{path} is UTF-8 after all")
