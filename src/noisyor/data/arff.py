"""ARFF, the files of Weka: a header that declares the columns, then dense or sparse records."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from noisyor.core import DataError
from noisyor.data.dialect import Dialect
from noisyor.data.text import Record, RecordSource, TextTable, text_lines

_COMMENT = "%"
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE)
_NUMERIC_TYPES = ("numeric", "real", "integer")
_TYPES = (*_NUMERIC_TYPES, "string", "date")
_SPARSE_ITEM = re.compile(r"([0-9]{1,9})\s+(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Header:
    """The declared columns: a name, and the value that a sparse record leaves out."""

    names: tuple[str, ...]
    defaults: tuple[str | None, ...]
    lines: int


@dataclass(frozen=True, slots=True)
class SparseTable:
    """Records that list only the cells that differ from a column's default.

    The default is 0 for a number and the first declared value for a nominal column, as Weka has it.
    """

    path: Path
    names: tuple[str, ...]
    defaults: tuple[str | None, ...]
    quote: str
    first_line: int

    def records(self) -> Iterator[Record]:
        """Yield the records with every cell."""
        row = 0
        for number, line in enumerate(text_lines(self.path), start=1):
            text = line.strip()
            if number <= self.first_line or not text or text.startswith(_COMMENT):
                continue
            row += 1
            if not (text.startswith("{") and text.endswith("}")):
                raise DataError(
                    f"row {row} (line {number}) is not in braces, but the first one is; an ARFF "
                    "file is sparse throughout or not at all"
                )
            yield Record(row, number, self._expanded(text[1:-1], f"row {row} (line {number})"))

    def _expanded(self, text: str, place: str) -> list[str]:
        cells = list(self.defaults)
        reader = csv.reader([text], quotechar=self.quote, skipinitialspace=True)
        try:
            items = next(reader, [])
        except csv.Error as error:
            raise DataError(f"{place} cannot be split at its commas: {error}") from error
        for item in items:
            match = _SPARSE_ITEM.fullmatch(item.strip())
            if match is None or int(match[1]) >= len(cells):
                raise DataError(
                    f"{place} has {item!r:.60}; a sparse record lists a column's number, from 0 to "
                    f"{len(cells) - 1}, and a value"
                )
            cells[int(match[1])] = _unquoted(match[2])
        for name, cell in zip(self.names, cells, strict=True):
            if cell is None:
                raise DataError(f"{place} has no value for {name!r}, which has no default")
        return [cell or "" for cell in cells]


def find_arff_table(path: Path) -> RecordSource:
    """Return the table in an ARFF file."""
    header, first, quote = _read_head(path)
    if first.startswith("{"):
        return SparseTable(path, header.names, header.defaults, quote, header.lines)
    return TextTable(path, header.names, Dialect(",", quote), header.lines, _COMMENT)


def _read_head(path: Path) -> tuple[_Header, str, str]:
    """Return what is declared, the first record's text and the quote that it suggests."""
    names: list[str] = []
    defaults: list[str | None] = []
    header = None
    for number, line in enumerate(text_lines(path), start=1):
        text = line.strip()
        if not text or text.startswith(_COMMENT):
            continue
        if header is not None:
            return header, text, '"' if '"' in text else "'"
        word = text.split(maxsplit=1)[0].lower()
        if word == "@data":
            header = _Header(tuple(names), tuple(defaults), number)
        elif word == "@attribute":
            name, default = _attribute(text, number)
            names.append(name)
            defaults.append(default)
        elif word != "@relation":
            raise DataError(
                f"line {number} begins with {word!r}; an ARFF file has @relation, @attribute "
                "lines, @data, then records"
            )
    if header is None:
        raise DataError("the ARFF file has no @data line; the records follow such a line")
    return header, "", "'"


def _attribute(text: str, number: int) -> tuple[str, str | None]:
    match = _ATTRIBUTE.fullmatch(text)
    declared = "" if match is None else match[2].strip()
    nominal = declared.startswith("{") and declared.endswith("}")
    kind = declared.split(maxsplit=1)[0].lower() if declared else ""
    if match is None or not (nominal or kind in _TYPES):
        raise DataError(
            f"line {number} declares no column that noisyor reads: {text!r}; allowed: @attribute "
            f"NAME and a type, {{VALUE, ...}} or {', '.join(_TYPES)}"
        )
    if nominal:
        values = declared[1:-1].split(",")
        return _unquoted(match[1]), _unquoted(values[0])
    return _unquoted(match[1]), "0" if kind in _NUMERIC_TYPES else None


def _unquoted(text: str) -> str:
    """Return a word without the quotes around it and the backslashes inside them."""
    text = text.strip()
    if re.fullmatch(_QUOTED, text):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
