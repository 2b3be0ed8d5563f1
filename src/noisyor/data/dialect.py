"""Detect how a text file separates and quotes its cells, and whether it names its columns."""

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from noisyor.core import DataError, SettingsError
from noisyor.core.state_words import is_accepted, pair_of
from noisyor.data.values import is_number, key_of

WHITE_SPACE = " "
DELIMITERS = (",", ";", "\t", "|", WHITE_SPACE)
"""The delimiters that are detected; white space means runs of blanks and tabs."""

_DELIMITER_NAMES = {"tab": "\t", "\\t": "\t", "space": WHITE_SPACE}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text file separates and quotes its cells; `quote` is empty for no quoting."""

    delimiter: str
    quote: str = '"'

    def __post_init__(self) -> None:
        """Refuse characters that cannot separate or quote."""
        if len(self.delimiter) != 1 or self.delimiter in '\r\n\0"' or self.delimiter.isalnum():
            raise SettingsError(
                f"the delimiter {self.delimiter!r} cannot separate cells; allowed: one character "
                "that is not a letter, digit, quote or line break, or the words tab and space"
            )
        if len(self.quote) > 1 or (self.quote and self.quote in f"\r\n\0 {self.delimiter}"):
            raise SettingsError(
                f"the quote {self.quote!r} cannot enclose cells; allowed: one character other "
                "than the delimiter, a blank or a line break, or nothing for no quoting"
            )

    def records(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the number of the line in which a record begins, from 1, and its cells.

        Malformed quotes raise csv.Error. A blank line is a record without cells.
        """
        if self.delimiter == WHITE_SPACE:
            lines = (line.strip(" \t\r\n").replace("\t", " ") + "\n" for line in lines)
        reader = csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=True,
            strict=True,
        )
        line = 1
        for cells in reader:
            yield line, cells if any(cell.strip() for cell in cells) or len(cells) > 1 else []
            line = reader.line_num + 1


def delimiter_named(name: str) -> str:
    """Return the delimiter that an option means: itself, or the words tab and space."""
    return _DELIMITER_NAMES.get(name.lower(), name)


@dataclass(frozen=True, slots=True)
class Sample:
    """The first lines of a text file; `whole` if these are all."""

    lines: tuple[str, ...]
    whole: bool

    def records(self, dialect: Dialect) -> list[list[str]] | None:
        """Return the records under a dialect, or None if its quotes do not close.

        A quote that is still open where the sample was cut does not rule out the dialect.
        """
        taken = 0

        def lines() -> Iterator[str]:
            nonlocal taken
            for line in self.lines:
                taken += 1
                yield line

        records = []
        try:
            for _, cells in dialect.records(lines()):
                records.append(cells)
        except csv.Error:
            if self.whole or taken < len(self.lines):
                return None
        while records and not records[-1]:
            records.pop()
        return records


def find_dialect(
    sample: Sample, delimiter: str | None, quote: str | None, suffix: str = ""
) -> Dialect:
    """Return the dialect under which every record of the sample has the same number of cells.

    A delimiter that yields one cell per record is chosen only if all delimiters do: then the
    table has one column. White space is chosen only if no other delimiter fits, because it
    often surrounds other delimiters. In a .tsv file, a tab that fits is chosen at once. If no
    delimiter fits every record, the one that fits most is chosen, and the reader reports the
    ragged record. The quote is '"', unless the sample has none and cells are enclosed in "'".
    """
    if delimiter is not None:
        delimiter = delimiter_named(delimiter)
        return Dialect(delimiter, _find_quote(sample, delimiter) if quote is None else quote)
    fits: dict[str, tuple[float, Dialect]] = {}
    for candidate in DELIMITERS:
        dialect = Dialect(candidate, _find_quote(sample, candidate) if quote is None else quote)
        share = _share_of_usual_width(sample.records(dialect))
        if share:
            fits[candidate] = (share, dialect)
    if not fits:
        return Dialect(",", _find_quote(sample, ",") if quote is None else quote)
    if suffix == "tsv" and "\t" in fits:
        return fits["\t"][1]
    if len(fits) > 1:
        blanks = fits.pop(WHITE_SPACE, None)
        if blanks is not None and blanks[0] > max(share for share, _ in fits.values()):
            return blanks[1]
    best = max(share for share, _ in fits.values())
    chosen = [dialect for share, dialect in fits.values() if share == best]
    if len(chosen) > 1:
        raise DataError(
            f"the delimiter may be {' or '.join(repr(one.delimiter) for one in chosen)}: each "
            f"splits all lines evenly; set it, such as delimiter={chosen[0].delimiter!r}"
        )
    return chosen[0]


def _share_of_usual_width(records: Sequence[Sequence[str]] | None) -> float:
    """Return the share of records with the most frequent number of cells; 0 if that is one."""
    widths = Counter(len(cells) for cells in records or () if cells)
    if not widths:
        return 0.0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return count / widths.total() if width > 1 else 0.0


def _find_quote(sample: Sample, delimiter: str) -> str:
    if any('"' in line for line in sample.lines) or not any("'" in line for line in sample.lines):
        return '"'
    records = sample.records(Dialect(delimiter, "")) or []
    cells = (cell.strip() for cells in records for cell in cells)
    enclosed = any(len(cell) > 1 and cell[0] == cell[-1] == "'" for cell in cells)
    return "'" if enclosed else '"'


def find_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record names the columns.

    It is data iff each of its cells looks like a value of its column. Let the rest be the values
    of the column in the other sampled records. A cell looks like a value if it is missing, or if

    - the rest belongs to one accepted pair (0/1, no/yes, ...), and so does the cell;
    - the rest are numbers other than 0/1, and the cell is a number;
    - in all other cases, it occurs again in the rest.

    Without a rest, an accepted value looks like one. So a table whose names are all such values
    (`t,y` above t/f and y/n columns, `0,1` above 0/1 columns) needs `header=True`.
    """
    first, *rest = records
    return not all(
        _looks_like_value(cell, [cells[position] for cells in rest if len(cells) > position])
        for position, cell in enumerate(first or [""])
    )


def _looks_like_value(cell: str, rest: Sequence[str]) -> bool:
    key = key_of(cell)
    if key is None:
        return True
    others = {other for other in map(key_of, rest) if other is not None}
    if not others:
        return is_accepted(key)
    if pair_of(others) is not None:
        return pair_of({key, *others}) is not None
    if all(is_number(other) for other in others):
        return is_number(key)
    return key in others
