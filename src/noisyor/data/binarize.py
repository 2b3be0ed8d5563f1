"""Choose, column by column, how a raw table becomes a binary one.

Numbers are split at the median (or the mean, or a given threshold): present means above it. Where
no value is above the chosen median or mean, because it is the largest value, the column is split
at that value instead, and present means equal to it; the rule says `inclusive` and the column is
named with `>=`. A median or mean is rounded to a few digits where that splits the records in the
same way. Columns of an accepted pair (no/yes, ...) stay as they are. A category of two values
becomes one column, present where it has the rarer value. All other categories become a column each,
or one column for a group of them. Columns that never change are left out, unless a choice is made
for them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

import polars as pl

from noisyor.core.arguments import checked_arguments
from noisyor.core.choices import choice_of
from noisyor.core.errors import DataError, FormatError, SettingsError
from noisyor.core.listing import listed
from noisyor.core.state_words import pair_of
from noisyor.core.warning import warn_user
from noisyor.data.binarization import (
    Binarization,
    Grouped,
    Kept,
    Rule,
    Split,
)
from noisyor.data.cut_points import simplest_number
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_columns import (
    category_of,
    complete_records,
    looks_like_identifier,
    numbers_of,
    texts_of,
)
from noisyor.data.raw_reading import raw_table
from noisyor.data.rule_records import expect_fields, parse_object
from noisyor.data.values import number_text
from noisyor.data.warning import DataWarning

MOST_CATEGORIES = 50
"""A column with more categories than this is taken for an identifier."""

_DIGITS = 3  # of a median or mean that is rounded, at least
_TWO = 2


class SplitMethod(Enum):
    """Where a column of numbers is split by default."""

    MEDIAN = "median"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class Above:
    """Split a column of numbers at this threshold: present means above it."""

    threshold: float


@dataclass(frozen=True, slots=True)
class PresentWhen:
    """Make one column: present for these categories, absent for all others."""

    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OneAgainstRest:
    """Make one column per category, even where the categories are numbers."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Leave the column out."""


Choice = Above | PresentWhen | OneAgainstRest | Drop
"""What to do with one column."""


@checked_arguments
def binarize(
    source: object,
    choices: Mapping[str, Choice] | None = None,
    *,
    method: SplitMethod | Literal["median", "mean"] = SplitMethod.MEDIAN,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
) -> tuple[pl.DataFrame, Binarization]:
    """Return a raw table as a binary one, and the rules that make it so.

    The table is made by applying the rules, so applying them again gives the same table.

    Parameters
    ----------
    source
        A polars frame, as `read_raw` returns it, or anything that `read_raw` accepts.
    choices
        What to do with some of the columns, by name: `Above`, `PresentWhen`, `OneAgainstRest` or
        `Drop`. The values of the other columns decide.
    method
        Where columns of numbers are split: at the `median` or the `mean`.
    missing
        `error` refuses a table that lacks values; `drop` leaves out the records that do.
    """
    choices = {} if choices is None else choices
    raw = raw_table(source)
    _check_choices(raw, choices)
    used = [name for name in raw.columns if not isinstance(choices.get(name), Drop)]
    if not used:
        raise DataError("every column is left out; at least one is needed")
    table, _ = complete_records(raw.select(used), missing)
    rules: list[Rule] = []
    split = choice_of(SplitMethod, method, "method")
    constant = [name for name in used if name not in choices and _is_constant(table[name])]
    used = [name for name in used if name not in constant]
    _warn_of_constants(constant, used)
    for name in used:
        rules += _rules_for(table[name], choices.get(name), split)
        if name not in choices:
            _warn_of_identifier(table[name])
    ignored = tuple(name for name in raw.columns if name not in used)
    binarization = Binarization(tuple(rules), ignored, len(table))
    return binarization.apply(table), binarization


def columns_made_of(values: pl.Series) -> list[str]:
    """Return the names of the columns that `binarize` would make of one column by default.

    Missing values are disregarded. A column that never changes is left out: the list is empty.
    """
    known = values.drop_nulls()
    if not len(known) or _is_constant(known):
        return []
    return [rule.name for rule in _rules_for(known, None, SplitMethod.MEDIAN)]


def _is_constant(values: pl.Series) -> bool:
    return len(values) > 1 and texts_of(values).n_unique() == 1


def _warn_of_constants(constant: Sequence[str], used: Sequence[str]) -> None:
    if not constant:
        return
    if not used:
        raise DataError(f"no column ever changes: {listed(constant)}; at least one must")
    warn_user(f"left out, because they never change: {listed(constant)}", DataWarning)


def _warn_of_identifier(values: pl.Series) -> None:
    numbers = numbers_of(values)
    if not numbers.null_count() and looks_like_identifier(numbers):
        warn_user(
            f"column {values.name!r} has a different whole number in every record; if it is an "
            f"identifier, leave it out: choices={{{values.name!r}: Drop()}}",
            DataWarning,
        )


def choices_from(
    pairs: Iterable[tuple[str, Choice]],
) -> dict[str, Choice]:
    """Return one choice per column, with all present categories of a column in one group."""
    choices: dict[str, Choice] = {}
    for column, choice in pairs:
        before = choices.get(column)
        if isinstance(before, PresentWhen) and isinstance(choice, PresentWhen):
            choices[column] = PresentWhen((*before.categories, *choice.categories))
        elif before is None or before == choice:
            choices[column] = choice
        else:
            raise SettingsError(
                f"column {column!r} has two contradictory choices: {before} and {choice}"
            )
    return choices


def read_mapping(text: str, where: str) -> list[tuple[str, Choice]]:
    """Return the choices of a mapping file.

    It is JSON such as {"columns": {"colour": {"present": ["red", "orange"]},
    "age": {"threshold": 50}, "zone": {"one_against_rest": true}, "id": {"drop": true}}}.
    """
    document = parse_object(text, where)
    expect_fields(document, {"columns"}, where, "the mapping")
    columns = document["columns"]
    if not isinstance(columns, dict):
        raise FormatError(f"{where}: 'columns' must be an object with a key for each column")
    return [(column, _choice_from(wish, column, where)) for column, wish in columns.items()]


def _choice_from(wish: object, column: str, where: str) -> Choice:
    """Return what a mapping file says about one column."""
    if isinstance(wish, dict) and len(wish) == 1:
        ((key, value),) = wish.items()
        if key == "threshold" and type(value) in {int, float}:
            return Above(float(value))
        if key == "present" and isinstance(value, list) and value:
            if all(isinstance(category, str) for category in value):
                return PresentWhen(tuple(value))
        elif key == "one_against_rest" and value is True:
            return OneAgainstRest()
        elif key == "drop" and value is True:
            return Drop()
    raise FormatError(
        f"{where}: column {column!r} says {wish!r}; allowed is one of "
        '{"threshold": number}, {"present": [text, ...]}, {"one_against_rest": true}, '
        '{"drop": true}'
    )


def _check_choices(raw: pl.DataFrame, choices: Mapping[str, Choice]) -> None:
    for column in choices:
        if column not in raw.columns:
            raise SettingsError(
                f"there is no column {column!r}; the table has: {', '.join(raw.columns)}"
            )


def _rules_for(values: pl.Series, choice: Choice | None, method: SplitMethod) -> list[Rule]:
    """Return the rules of one column without missing values: as chosen, else by its values."""
    match choice:
        case Above(threshold):
            return [_split(_all_numbers(values), threshold, "given")]
        case PresentWhen(categories):
            return [_group(values, categories)]
        case OneAgainstRest():
            return _one_against_rest(values)
        case _:
            pass
    pair = pair_of({text.casefold() for text in texts_of(values).unique()})
    if pair is not None:
        return [Kept(values.name, values.name, pair)]
    numbers = numbers_of(values)
    if numbers.null_count():
        return _by_category(values)
    return [_split_at(numbers, method)]


def _split_at(numbers: pl.Series, method: SplitMethod) -> Split:
    """Return the split at the median or mean, inclusive where that is the largest value."""
    low, high = _number(numbers.min()), _number(numbers.max())
    centre = _number(numbers.median() if method is SplitMethod.MEDIAN else numbers.mean())
    if not math.isfinite(centre):
        raise DataError(
            f"the {method.value} of column {numbers.name!r} is {centre}, because the column holds "
            "infinite or extremely large numbers; give a threshold, "
            f"choices={{{numbers.name!r}: Above(...)}}, or leave it out, "
            f"choices={{{numbers.name!r}: Drop()}}"
        )
    # Rounding may push the mean of almost equal numbers out of their range.
    centre = min(max(centre, low), high)
    if centre == high:
        return _split(numbers, centre, method.value, inclusive=True)
    below = _number(numbers.filter(numbers <= centre).max())
    above = _number(numbers.filter(numbers > centre).min())
    threshold = simplest_number(below, above, near=centre, digits=_DIGITS)
    return _split(numbers, threshold, method.value)


def _number(value: object) -> float:
    """Return a result of polars, which its types call any literal, as the float that it is."""
    if not isinstance(value, float):
        raise TypeError(f"{value!r} is not a float")
    return value


def _split(
    numbers: pl.Series, threshold: float, chosen_by: str, *, inclusive: bool = False
) -> Split:
    sign, opposite = (">=", "<") if inclusive else (">", "<=")
    value = number_text(threshold)
    return Split(
        source=numbers.name,
        name=f"{numbers.name}{sign}{value}",
        states=(f"{opposite}{value}", f"{sign}{value}"),
        threshold=threshold,
        inclusive=inclusive,
        chosen_by=chosen_by,
    )


def _all_numbers(values: pl.Series) -> pl.Series:
    """Return a column as numbers, or raise for the first value that is not one."""
    numbers = numbers_of(values)
    if numbers.null_count():
        value = texts_of(values).filter(numbers.is_null())[0]
        raise DataError(
            f"column {values.name!r} has the value {value!r}; a threshold needs numbers"
        )
    return numbers


def _group(values: pl.Series, categories: tuple[str, ...]) -> Grouped:
    """Return one rule: a group of categories against all others that occur."""
    seen = _categories(values)
    categories = tuple(dict.fromkeys(category_of(one) or one for one in categories))
    unseen = [category for category in categories if category not in seen]
    if len(unseen) == len(categories):
        raise DataError(
            f"column {values.name!r} never has the value {' or '.join(map(repr, unseen))}, which "
            f"should mean present; it has: {_shown(seen)}"
        )
    if unseen:
        warn_user(
            f"column {values.name!r} never has the value {', '.join(map(repr, unseen))}, which "
            f"should mean present; it has: {_shown(seen)}",
            DataWarning,
        )
    return _against(values.name, categories, seen)


def _against(column: str, categories: tuple[str, ...], seen: list[str]) -> Grouped:
    label = "|".join(categories)
    return Grouped(
        source=column,
        name=f"{column}={label}",
        states=(f"not {label}", label),
        present=categories,
        absent=tuple(category for category in seen if category not in categories),
    )


def _by_category(values: pl.Series) -> list[Rule]:
    """Return one rule for two categories, the rarer being present; a rule each for more.

    Two columns that are each other's opposite would explain each other. Of two categories that are
    equally frequent, the later is present.
    """
    seen = _categories(values)
    if len(seen) != _TWO:
        return _one_against_rest(values)
    texts = texts_of(values)
    first, last = ((texts == category).sum() for category in seen)
    return [_against(values.name, (seen[first >= last],), seen)]


def _one_against_rest(values: pl.Series) -> list[Rule]:
    """Return a rule per category; a column that looks like an identifier is refused."""
    seen = _categories(values)
    all_differ = len(seen) == len(values) > 2  # noqa: PLR2004  (two records may well differ)
    if all_differ or len(seen) > MOST_CATEGORIES:
        raise DataError(
            f"column {values.name!r} has {len(seen)} different values in {len(values)} records "
            f"({_shown(seen)}), as an identifier has; at most {MOST_CATEGORIES} categories become "
            f"columns. Leave it out, choices={{{values.name!r}: Drop()}}, or group its values"
        )
    return [_against(values.name, (category,), seen) for category in seen]


def _categories(values: pl.Series) -> list[str]:
    """Return the distinct values as text, in numerical order if all are numbers."""
    unique = pl.DataFrame({"text": texts_of(values).unique()})
    unique = unique.with_columns(numbers_of(unique["text"]).alias("number"))
    by = ["text"] if unique["number"].null_count() else ["number", "text"]
    return unique.sort(by)["text"].to_list()


def _shown(categories: list[str], most: int = 6) -> str:
    """Return the first few categories for a message."""
    return ", ".join(categories[:most]) + (", ..." if len(categories) > most else "")
