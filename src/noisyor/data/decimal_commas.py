"""Numbers with a decimal comma, as spreadsheets write them in much of the world.

Such a file separates its cells by another character, mostly `;`. A comma may also separate
thousands, or the numbers of a list, so it is taken for a decimal comma only where the first lines
leave no doubt: they contain a column of numbers that has one which cannot separate thousands (`0,5`
or `36,75`, not `1,250`). The commas of all columns that hold nothing but numbers in these lines are
then decimal commas. A cell is changed only if it is such a number as a whole, so that a list in a
later line (`1,2,3`) stays as it is.

There is one function for a text, and one for a column of polars; both must change the same texts.
"""

import re
from collections.abc import Iterable, Sequence

import polars as pl

from noisyor.data.dialect import Dialect
from noisyor.data.values import MISSING_WORDS

_COMMA = ","
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_NUMBER = rf"([ \t]*[+-]?[0-9]*),([0-9]+{_EXPONENT}[ \t]*)"  # for Python and for polars
_WITH_COMMA = re.compile(_NUMBER)
_WITHOUT_COMMA = re.compile(rf"[+-]?[0-9]+{_EXPONENT}")
_MAYBE_THOUSANDS = re.compile("[+-]?[1-9][0-9]{0,2},[0-9]{3}")


def has_comma(text: str) -> bool:
    """Return whether a text is a number with a decimal comma."""
    return _WITH_COMMA.fullmatch(text) is not None


def with_point(text: str) -> str:
    """Return a number with a decimal point in place of its comma, and any other text as it is."""
    match = _WITH_COMMA.fullmatch(text)
    return text if match is None else f"{match[1]}.{match[2]}"


def with_points(texts: pl.Expr) -> pl.Expr:
    """Return a column of which each text is changed as by `with_point`."""
    return texts.str.replace(rf"\A{_NUMBER}\z", "${1}.${2}")


def comma_columns(records: Sequence[Sequence[str]], dialect: Dialect) -> frozenset[int]:
    """Return the places of the columns whose commas are decimal commas, given the first records.

    The first record does not count, as it may hold the names.
    """
    if dialect.delimiter == _COMMA or not any(_COMMA in cell for row in records for cell in row):
        return frozenset()
    texts: dict[int, set[str]] = {}
    for cells in records[1:]:
        for place, cell in enumerate(cells):
            texts.setdefault(place, set()).add(cell.strip())
    numbers = {
        place: known
        for place, column in texts.items()
        if (known := {text for text in column if text.casefold() not in MISSING_WORDS})
        and all(_WITHOUT_COMMA.fullmatch(text) or has_comma(text) for text in known)
    }
    return frozenset(numbers) if any(map(_settles_it, numbers.values())) else frozenset()


def _settles_it(numbers: Iterable[str]) -> bool:
    return any(has_comma(text) and not _MAYBE_THOUSANDS.fullmatch(text) for text in numbers)


def cells_with_points(cells: Sequence[str], places: frozenset[int]) -> list[str]:
    """Return the cells of a record, with decimal points in these columns."""
    return [with_point(cell) if place in places else cell for place, cell in enumerate(cells)]
