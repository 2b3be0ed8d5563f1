"""What the user wants binned, and how: values, and the texts that `--bins` takes for them.

| text | meaning |
|---|---|
| `3`, `quantiles`, `quantiles:3` | bins with equal numbers of records |
| `width`, `width:5` | bins of equal width |
| `mdl:TARGET` | as many bins as help to predict the column TARGET (Fayyad and Irani 1993) |
| `none` | no bins |
| `age=18,40,65` | these cuts for one column |
| `age=quantiles:4`, `age=width:5`, `age=mdl:TARGET`, `age=none` | one of the above for one column |

The first four are for the columns of many numbers that have no choice of their own.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from noisyor.core.choices import choice_of
from noisyor.core.errors import SettingsError
from noisyor.core.variable import MAX_STATES
from noisyor.data.values import number_text

MANY_VALUES = 12
"""A column of numbers with more distinct values than this is binned by default.

Counts of children, months and scores from 0 to 10 stay as they are; ages and measurements do not.
"""

DEFAULT_BINS = 3
"""Low, medium, high."""

EXAMPLES = "4, quantiles:4, width:5, mdl:TARGET, COLUMN=18,40,65, COLUMN=quantiles:4, none"

_SEVERAL = 2


class BinMethod(StrEnum):
    """How the cuts of a column are chosen."""

    QUANTILES = "quantiles"
    WIDTH = "width"
    MDL = "mdl"


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Bins with equal numbers of records, as far as ties allow."""

    bins: int = DEFAULT_BINS

    def __post_init__(self) -> None:
        """Refuse a number of bins that is no division."""
        _check_count(self.bins)


@dataclass(frozen=True, slots=True)
class EqualWidth:
    """Bins of equal width."""

    bins: int = DEFAULT_BINS

    def __post_init__(self) -> None:
        """Refuse a number of bins that is no division."""
        _check_count(self.bins)


@dataclass(frozen=True, slots=True)
class Mdl:
    """As many bins as help to predict the target."""

    target: str


@dataclass(frozen=True, slots=True)
class Cuts:
    """Bins that end at these numbers."""

    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse cuts that do not ascend."""
        if not 0 < len(self.cuts) < MAX_STATES:
            raise SettingsError(
                f"bins have {len(self.cuts)} cuts; between 1 and {MAX_STATES - 1} are allowed"
            )
        for cut in self.cuts:
            if not math.isfinite(cut):
                raise SettingsError(f"bins have the cut {cut}; cuts must be finite")
        for one, other in pairwise(self.cuts):
            if one >= other:
                raise SettingsError(
                    f"bins have the cut {number_text(other)} after {number_text(one)}; cuts must "
                    "ascend"
                )


@dataclass(frozen=True, slots=True)
class Unbinned:
    """Every number is a state."""


BinChoice = Quantiles | EqualWidth | Mdl | Cuts | Unbinned
"""How one column of numbers becomes states."""


@dataclass(frozen=True, slots=True)
class BinChoices:
    """How the columns of a table become bins.

    Parameters
    ----------
    otherwise
        For the columns of many numbers that `by_column` does not name.
    by_column
        For single columns, also of few numbers.
    automatic
        Whether the user has chosen nothing, so that a table that needs no bins is read without any
        thought of them, and bins that were made are worth a warning.
    """

    otherwise: BinChoice = field(default_factory=Quantiles)
    by_column: Mapping[str, BinChoice] = field(default_factory=dict)
    automatic: bool = False


def bin_choices(given: str | int | Iterable[str | int] | None) -> BinChoices:
    """Return the choices that one or several texts describe; see the table of this module."""
    if given is None:
        return BinChoices(automatic=True)
    texts = [given] if isinstance(given, str | int) else list(given)
    otherwise: dict[BinChoice, str] = {}
    by_column: dict[str, BinChoice] = {}
    for text in map(str, texts):
        column, choice = _parsed(text)
        if column is None:
            otherwise[choice] = text
        elif by_column.setdefault(column, choice) != choice:
            raise SettingsError(
                f"bins are chosen twice for column {column!r}, in different ways; choose one"
            )
    if len(otherwise) >= _SEVERAL:
        raise SettingsError(
            f"bins are {' and '.join(map(repr, otherwise.values()))}; give one for all columns, "
            "and COLUMN=... for single ones"
        )
    return BinChoices(next(iter(otherwise), Quantiles()), by_column)


def _parsed(text: str) -> tuple[str | None, BinChoice]:
    """Return the column that a text names, if it does, and the choice."""
    text = text.strip()
    if not text.startswith(f"{BinMethod.MDL}:"):  # a target may have an equals sign in its name
        # The last = separates: columns that binarize made have one in their names.
        column, sign, chosen = text.rpartition("=")
        if sign and column:
            return column, _method_in(chosen, text) or Cuts(_cuts_in(chosen, text))
    choice = _method_in(text, text)
    if choice is not None:
        return None, choice
    return None, Quantiles(_count_in(text, text))


def _method_in(chosen: str, text: str) -> BinChoice | None:
    """Return the choice that a method's name makes; None if the text begins with none."""
    name, sign, rest = chosen.partition(":")
    if name == "none" and not sign:
        return Unbinned()
    if name == BinMethod.MDL:
        if not rest:
            raise SettingsError(f"bins are {text!r}; mdl needs a target column: mdl:TARGET")
        return Mdl(rest)
    if name in {BinMethod.QUANTILES, BinMethod.WIDTH}:
        kind = Quantiles if name == BinMethod.QUANTILES else EqualWidth
        return kind(_count_in(rest, text)) if sign else kind()
    return None


def _count_in(digits: str, text: str) -> int:
    # Python's int() also takes 1_0 and digits of other scripts.
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(MAX_STATES)) + 1):
        raise SettingsError(f"bins are {text!r}; allowed are, for example: {EXAMPLES}")
    return int(digits)


def _cuts_in(numbers: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in numbers.split(","))
    except ValueError:
        raise SettingsError(
            f"bins are {text!r}; after the equals sign there must be cuts, such as 18,40,65, or "
            "one of quantiles:N, width:N, mdl:TARGET, none"
        ) from None


def _check_count(bins: int) -> None:
    if not _SEVERAL <= bins <= MAX_STATES:
        raise SettingsError(f"the number of bins is {bins}; it must be from 2 to {MAX_STATES}")


def choice_for(method: str | BinMethod, bins: int, target: str | None) -> BinChoice:
    """Return the choice that the options of `discretize` describe."""
    named = choice_of(BinMethod, method, "method")
    if named is not BinMethod.MDL and target is not None:
        raise SettingsError(f"target is {target!r}, but the method is {named}; only mdl has one")
    if named is BinMethod.MDL:
        if target is None:
            raise SettingsError("method is 'mdl'; it needs a target, the column to predict")
        return Mdl(target)
    return Quantiles(bins) if named is BinMethod.QUANTILES else EqualWidth(bins)
