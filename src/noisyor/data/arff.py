"""ARFF, the files of Weka: a header that declares the columns, then dense or sparse records.

A value extends to the next comma, or is quoted: then it may contain commas, and its quote
character after a backslash. This one rule splits both kinds of records and the lists of values in
the header. Values must be as declared: one of the list of a nominal column, a number in a numeric
one, or missing. Blank lines and lines that begin with % are skipped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from noisyor.core import DataError
from noisyor.data.state_choice import UNDECLARED, Declared
from noisyor.data.text import Record, text_lines
from noisyor.data.values import MISSING_WORDS, is_number

_COMMENT = "%"
_QUOTED = r"'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\""
_VALUE = rf"({_QUOTED}|(?!['\"])[^,]*+)\s*+(?:,|$)"
_CELL = re.compile(rf"\s*+{_VALUE}")
_SPARSE_CELL = re.compile(rf"\s*+([0-9]{{1,9}})\s++(?!,|$){_VALUE}")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.IGNORECASE)
_NUMERIC_TYPES = ("numeric", "real", "integer")
_TYPES = (*_NUMERIC_TYPES, "string", "date")
_MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column: its values if it is nominal, else whether they are numbers."""

    name: str
    values: tuple[str, ...] = ()
    numeric: bool = False

    @property
    def default(self) -> str | None:
        """The value that a sparse record may omit: 0, or the first one declared."""
        return self.values[0] if self.values else "0" if self.numeric else None

    def allows(self, text: str) -> bool:
        """Return whether the column may have this value; a missing value is always allowed."""
        if text in self.values or text.casefold() in MISSING_WORDS:
            return True
        return is_number(text) if self.numeric else not self.values

    def allowed(self) -> str:
        """Return the allowed values, for messages."""
        if self.numeric:
            return "a number"
        more = ", ..." if len(self.values) > _MOST_SHOWN else ""
        return ", ".join(map(repr, self.values[:_MOST_SHOWN])) + more


@dataclass(frozen=True, slots=True)
class ArffTable:
    """The records of an ARFF file, which start after line `data_line`; all are sparse, or none."""

    path: Path
    attributes: tuple[Attribute, ...]
    data_line: int
    sparse: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(one.name for one in self.attributes)

    @property
    def declared(self) -> tuple[Declared, ...]:
        """The values of nominal columns, in their order."""
        return tuple(Declared(one.values) if one.values else UNDECLARED for one in self.attributes)

    def records(self) -> Iterator[Record]:
        """Yield the records with every cell."""
        known: list[set[str]] = [set() for _ in self.attributes]
        row = 0
        for number, text in _statements(self.path):
            if number <= self.data_line:
                continue
            row += 1
            record = Record(row, number, [])
            cut = self._sparse_cells if self.sparse else self._dense_cells
            record.cells.extend(cut(text, record.place))
            for cell, seen, attribute in zip(record.cells, known, self.attributes, strict=True):
                if cell not in seen:
                    _check(attribute, cell, record.place)
                    if attribute.values:
                        seen.add(cell)
            yield record

    def _dense_cells(self, text: str, place: str) -> list[str]:
        cells = _cut(text, place)
        if len(cells) != len(self.attributes):
            raise DataError(
                f"{place} has {len(cells)} cells; each row needs {len(self.attributes)}, one for "
                "each column"
            )
        return cells

    def _sparse_cells(self, text: str, place: str) -> list[str]:
        if not (text.startswith("{") and text.endswith("}")):
            raise DataError(
                f"{place} is not in braces, but the first one is; an ARFF file is sparse "
                "throughout or not at all"
            )
        listed = self._listed(text[1:-1], place)
        cells = [listed.get(place, one.default) for place, one in enumerate(self.attributes)]
        for name, cell in zip(self.names, cells, strict=True):
            if cell is None:
                raise DataError(f"{place} has no value for {name!r}, which has no default")
        return [cell or "" for cell in cells]

    def _listed(self, text: str, place: str) -> dict[int, str]:
        """Return the cells that a sparse record lists, by column."""
        listed: dict[int, str] = {}
        position, more = 0, bool(text.strip())
        while more:
            match = _SPARSE_CELL.match(text, position)
            if match is None or int(match[1]) >= len(self.attributes):
                item = text[position : match.end() if match else None].strip().rstrip(",")
                raise DataError(
                    f"{place} has {item!r:.60}; a sparse record lists a column's number, from 0 to "
                    f"{len(self.attributes) - 1}, and a value"
                )
            if int(match[1]) in listed:
                raise DataError(f"{place} lists column {int(match[1])} twice; once is allowed")
            listed[int(match[1])] = _unquoted(match[2])
            position, more = match.end(), text[match.end() - 1] == ","
        return listed


def _check(attribute: Attribute, cell: str, place: str) -> None:
    if not attribute.allows(cell):
        raise DataError(
            f"column {attribute.name!r} has the value {cell!r:.60} in {place}, which is not "
            f"declared; allowed: {attribute.allowed()}"
        )


def find_arff_table(path: Path) -> ArffTable:
    """Return the table in an ARFF file."""
    attributes: list[Attribute] = []
    data_line = None
    sparse = False
    for number, text in _statements(path):
        if data_line is not None:
            sparse = text.startswith("{")
            break
        word = text.split(maxsplit=1)[0].lower()
        if word == "@data":
            data_line = number
        elif word == "@attribute":
            attributes.append(_attribute(text, number))
        elif word != "@relation":
            raise DataError(
                f"line {number} begins with {word!r:.60}; an ARFF file has @relation, @attribute "
                "lines, @data, then records"
            )
    if data_line is None:
        raise DataError("the ARFF file has no @data line, after which the records follow")
    return ArffTable(path, tuple(attributes), data_line, sparse)


def _statements(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the stripped lines that are neither blank nor comments, with their numbers."""
    for number, line in enumerate(text_lines(path), start=1):
        text = line.strip()
        if text and not text.startswith(_COMMENT):
            yield number, text


def _attribute(text: str, number: int) -> Attribute:
    match = _ATTRIBUTE.fullmatch(text)
    declared = "" if match is None else match[2].strip()
    kind = declared.split(maxsplit=1)[0].lower() if declared else ""
    if match is not None and declared.startswith("{") and declared.endswith("}"):
        values = tuple(_cut(declared[1:-1], f"line {number}"))
        return Attribute(_unquoted(match[1]), values)
    if match is None or kind not in _TYPES:
        raise DataError(
            f"line {number} declares no column that noisyor reads: {text!r:.200}; allowed: "
            f"@attribute NAME and a type, {{VALUE, ...}} or {', '.join(_TYPES)}"
        )
    return Attribute(_unquoted(match[1]), numeric=kind in _NUMERIC_TYPES)


def _cut(text: str, place: str) -> list[str]:
    """Return the values that the commas separate."""
    if "'" not in text and '"' not in text:
        return [cell.strip() for cell in text.split(",")]
    cells: list[str] = []
    position, more = 0, True
    while more:
        match = _CELL.match(text, position)
        if match is None:
            raise DataError(
                f"{place} has malformed quotes: {text[position:]!r:.60}; a quoted value ends with "
                "its quote before the comma, and has a backslash before a quote inside it"
            )
        cells.append(_unquoted(match[1]))
        position, more = match.end(), match[0].endswith(",")
    return cells


def _unquoted(text: str) -> str:
    """Return a word without the quotes around it and the backslashes inside them."""
    text = text.strip()
    if re.fullmatch(_QUOTED, text):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
