"""Columns that cannot be learned from as they are: identifiers, dates, free texts, empty ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from noisyor.core.errors import TooManyStatesError
from noisyor.core.variable import MAX_STATES
from noisyor.data.decimal_commas import has_comma
from noisyor.data.raw import RawTable
from noisyor.data.raw_columns import texts_of
from noisyor.data.values import has_sign, is_moment, is_number
from noisyor.data.wishes import Wishes


class Unusable(StrEnum):
    """What keeps a column from being learned from."""

    EMPTY = "no value"
    DATES = "dates"
    IDENTIFIER = "an identifier"
    COMMAS = "numbers with commas"
    SIGNS = "numbers with signs"
    TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class UnusableColumn:
    """A column that cannot be learned from, why, and how many different values it has."""

    name: str
    why: Unusable
    values: int

    def words(self) -> str:
        """Return what is wrong with it."""
        if self.why is Unusable.EMPTY:
            return "has no value in any record"
        if self.why is Unusable.DATES:
            return f"holds {self.values} different dates or times"
        if self.why is Unusable.IDENTIFIER:
            return f"has a different text in each record ({self.values}), as an identifier has"
        if self.why is Unusable.COMMAS:
            return (
                f"has {self.values} different numbers with commas, which are read as texts (write "
                "decimal points, and no commas between thousands)"
            )
        if self.why is Unusable.SIGNS:
            return (
                f"has {self.values} different numbers with a sign such as % or $, which are read "
                "as texts (write the numbers alone)"
            )
        return f"has {self.values} different texts"


def unusable_columns(table: RawTable, wishes: Wishes) -> tuple[UnusableColumn, ...]:
    """Return the columns of texts with more values than a variable has states, and empty ones.

    Columns of numbers become bins, and are not listed.
    """
    spoken_of = wishes.spoken_of
    found = []
    for name in table.frame.columns:
        values = table.frame[name]
        if values.null_count() == len(values):
            found.append(UnusableColumn(name, Unusable.EMPTY, 0))
        elif not (values.dtype.is_numeric() or values.dtype == pl.Boolean or name in spoken_of):
            found += _of_texts(name, values, wishes.most_states)
    return tuple(found)


def _of_texts(name: str, values: pl.Series, most: int) -> list[UnusableColumn]:
    texts = texts_of(values).drop_nulls()
    count = texts.n_unique()
    if count <= most:
        return []
    if all(map(is_moment, texts.unique())):
        return [UnusableColumn(name, Unusable.DATES, count)]
    if all(has_comma(text) or is_number(text) for text in texts.unique()):
        return [UnusableColumn(name, Unusable.COMMAS, count)]
    if all(has_sign(text) or is_number(text) for text in texts.unique()):
        return [UnusableColumn(name, Unusable.SIGNS, count)]
    all_differ = count == len(texts)
    return [UnusableColumn(name, Unusable.IDENTIFIER if all_differ else Unusable.TEXTS, count)]


def too_many(columns: Sequence[UnusableColumn]) -> TooManyStatesError:
    """Return the error that names all columns at once, and what to write to leave them out."""
    said = "; ".join(f"column {column.name!r} {column.words()}" for column in columns)
    what = "it" if len(columns) == 1 else "them"
    return TooManyStatesError(
        f"{said}. A column may have at most {MAX_STATES} states: group the values, take the month "
        f"or the year of dates, or leave {what} out: drop={[column.name for column in columns]!r}"
    )
