"""Columns of a raw table as text and as numbers, and the records that lack a value."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from noisyor.core.errors import DataError, SettingsError
from noisyor.data.missing import (
    DROP_ONLY,
    Choices,
    MissingPolicy,
    missing_message,
    none_left_message,
)
from noisyor.data.values import MISSING_WORDS, plain_number

_MOST_SHOWN = 8  # names in a message
_SMALLEST_IDENTIFIER = 20  # records that all have different whole numbers


@dataclass(frozen=True, slots=True)
class RawColumn:
    """A column without missing values, and the number of each of its records in the source."""

    values: pl.Series
    records: pl.Series

    def refuse(self, bad: pl.Series, allowed: str) -> None:
        """Raise for the first value marked bad, with its column and row."""
        if bad.any():
            at = bad.to_list().index(True)
            value = texts_of(self.values)[at]
            raise DataError(
                f"column {self.values.name!r} has the value {value!r} in row {self.records[at]}; "
                f"{allowed}"
            )


def category_of(text: str) -> str | None:
    """Return the category that a text stands for, or None if it is missing.

    Surrounding blanks do not count, nor does the notation of a number, so that the category `1`
    is the same in a CSV file and in a frame of floats. Case does count.
    """
    text = text.strip()
    if text.casefold() in MISSING_WORDS:
        return None
    return plain_number(text) or text


def texts_of(values: pl.Series) -> pl.Series:
    """Return a column as categories, null where the value is missing (see `category_of`)."""
    if values.dtype.is_integer() or values.dtype == pl.Boolean:
        return values.cast(pl.String)
    if values.dtype.is_float() or values.dtype.is_decimal():
        return numbers_of(values).cast(pl.String).str.replace(r"\.0$", "").str.replace(r"^-0$", "0")
    if values.dtype.base_type() in {pl.String, pl.Categorical, pl.Enum}:
        return _categories_of(values.cast(pl.String))
    if values.dtype == pl.Null:
        return values.cast(pl.String)
    raise DataError(
        f"column {values.name!r} has the type {values.dtype}; only numbers, booleans and text are "
        f"read. Convert the column first, or leave it out: drop={[values.name]!r}"
    )


def _categories_of(texts: pl.Series) -> pl.Series:
    """Return the category of each text, computed once for each distinct text."""
    found = texts.drop_nulls().unique().to_list()
    categories = [category_of(text) for text in found]
    return texts.replace_strict(found, categories, default=None, return_dtype=pl.String)


def numbers_of(values: pl.Series) -> pl.Series:
    """Return a column as numbers, null where a value is not a number; booleans are not.

    A float of 32 bits is the decimal that it is shown as: 0.1, not 0.10000000149.
    """
    if values.dtype == pl.Boolean:
        return pl.Series(values.name, [None] * len(values), dtype=pl.Float64)
    if values.dtype == pl.Float32:
        values = values.cast(pl.String)
    if values.dtype.is_numeric():
        return values.cast(pl.Float64).fill_nan(None)
    if values.dtype != pl.String:
        values = texts_of(values)
    return values.str.strip_chars().cast(pl.Float64, strict=False).fill_nan(None)


def looks_like_identifier(numbers: pl.Series) -> bool:
    """Return whether many whole numbers all differ: they are hardly measurements."""
    if len(numbers) < _SMALLEST_IDENTIFIER or numbers.n_unique() < len(numbers):
        return False
    return bool((numbers == numbers.floor()).all())


def gaps_in(values: pl.Series) -> pl.Series:
    """Return where a column lacks a value, without converting numbers to text."""
    if values.dtype.is_temporal():
        return values.is_null()
    return (numbers_of(values) if values.dtype.is_numeric() else texts_of(values)).is_null()


def few_names(names: Sequence[str]) -> str:
    """Return the first few names, for a message."""
    rest = len(names) - _MOST_SHOWN
    return ", ".join(names[:_MOST_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def complete_records(
    table: pl.DataFrame,
    missing: MissingPolicy | str,
    choices: Choices = DROP_ONLY,
    *,
    of_network: bool = False,
) -> tuple[pl.DataFrame, pl.Series]:
    """Return the records without missing values, and their numbers in the table, from 1.

    By default, a table with missing values is refused, with a count by column and the choices.
    """
    policy = MissingPolicy.of(missing)
    if policy not in {MissingPolicy.ERROR, MissingPolicy.DROP}:
        raise SettingsError(
            f'missing="{policy.value}" is for tables that are learned from; here, allowed: '
            'missing="error", missing="drop"'
        )
    gaps = pl.DataFrame([gaps_in(table[name]) for name in table.columns])
    incomplete = gaps.select(pl.any_horizontal(pl.all())).to_series()
    numbers = pl.Series("record", range(1, len(table) + 1), dtype=pl.Int64)
    if not len(table):
        raise DataError("the table has no records; at least one is needed")
    if not incomplete.any():
        return table, numbers
    count = int(incomplete.sum())
    if policy is MissingPolicy.ERROR:
        by_column = [int(gaps[name].sum()) for name in table.columns]
        raise DataError(
            missing_message(
                table.columns, by_column, count, len(table), choices, of_network=of_network
            )
        )
    if incomplete.all():
        raise DataError(none_left_message(len(table), choices))
    return table.filter(~incomplete), numbers.filter(~incomplete)
