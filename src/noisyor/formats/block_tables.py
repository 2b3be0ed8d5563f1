"""Tables in lists of numbers, nested or not; a list per parent and a last one of the child."""

from collections.abc import Mapping, Sequence
from itertools import islice
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.formats.bif_tables import MAX_PARENTS
from noisyor.formats.blocks import Block, NumberList, Value, Word, words_in
from noisyor.formats.row_sums import RowSums

_OF_NUMBERS = frozenset("0123456789+-.eE")
_SHOWN = 40


class ListedNumbers:
    """The numbers of a value in the order in which they are listed, with their lines.

    Programs nest lists as deep as the table has axes, or not at all. So brackets may be left out,
    but those that there are must enclose whole axes of the table: anything else is a table of
    another shape.
    """

    def __init__(self, value: Value, shape: tuple[int, ...], name: str) -> None:
        self._name = name
        self._shape = shape
        self._runs: list[tuple[int, NumberList | Word]] = []
        self._sizes = {prod(shape[axis:]) for axis in range(len(shape) + 1)}
        numbers: list[float] = []
        self._read(value, numbers, outermost=True)
        if len(numbers) != prod(shape):
            raise FormatError(
                f"line {value.line}: the table of {name!r:.60} has {len(numbers)} numbers; its "
                f"states and those of its parents need {prod(shape)}"
            )
        self.values: npt.NDArray[np.float64] = np.array(numbers).reshape(shape)

    def line_of(self, place: int) -> int:
        """Return the line of the number at a place of the flat table."""
        first, run = max(
            (one for one in self._runs if one[0] <= place),
            key=lambda one: one[0],
        )
        return next(islice(words_in(run), place - first, None)).line

    def table(self, rows: RowSums) -> npt.NDArray[np.float64]:
        """Return the table, after its rows have been checked."""
        own = self._shape[-1]
        return rows.checked(self.values, self._name, lambda row: f"line {self.line_of(row * own)}")

    def _read(self, value: Value, numbers: list[float], *, outermost: bool = False) -> None:
        first = len(numbers)
        if isinstance(value, Block):
            raise FormatError(f"line {value.line}: a block where a list of numbers should be")
        if isinstance(value, Word):
            self._runs.append((first, value))
            numbers.append(_number(value.text, value.line))
            return
        if isinstance(value, NumberList):
            self._runs.append((first, value))
            self._read_plain(value, numbers)
        else:
            for item in value.items:
                self._read(item, numbers)
        count = len(numbers) - first
        if outermost or len(numbers) > prod(self._shape):
            return  # the caller reports too few or too many
        if count not in self._sizes or first % max(count, 1):
            raise FormatError(
                f"line {value.line}: a list of {count} numbers in the table of {self._name!r:.60} "
                f"begins at its number {first + 1}; the lists of a table of shape "
                f"{' x '.join(map(str, self._shape))} have {_listed(self._sizes)} numbers"
            )

    @staticmethod
    def _read_plain(value: NumberList, numbers: list[float]) -> None:
        words = value.words()
        try:
            numbers += map(float, words)
        except ValueError:
            for word in value.located():
                _number(word.text, word.line)
            raise


def _number(text: str, line: int) -> float:
    # float() accepts more: 1_2, infinity, digits of other scripts.
    try:
        return float(text if _OF_NUMBERS.issuperset(text) else "")
    except ValueError:
        raise FormatError(f"line {line}: {text!r:.{_SHOWN}} is not a number") from None


def _listed(sizes: set[int]) -> str:
    return " or ".join(map(str, sorted(sizes)))


def numbers_in(value: Value, key: str, count: int) -> list[float]:
    """Return as many finite numbers of a list, such as the two of a position."""
    numbers = [_number(word.text, word.line) for word in words_in(value)]
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise FormatError(f"line {value.line}: {key!r} must be {count} numbers")
    return numbers


def table_shape(
    name: str,
    line: int,
    parents: Sequence[str],
    states: Mapping[str, Sequence[str]],
    most_parents: int = MAX_PARENTS,
) -> tuple[int, ...]:
    """Return the shape of a node's table: the parents' states in their order, then its own.

    Parents that are not in `states`, and more of them than a table can have, are refused.
    """
    for parent in parents:
        if parent not in states:
            raise FormatError(
                f"line {line}: {name!r:.60} has the parent {parent!r:.60}, which is not a "
                "variable of the file"
            )
    if len(parents) > most_parents:
        raise FormatError(
            f"line {line}: {name!r:.60} has {len(parents)} parents; a table can have at most "
            f"{most_parents}"
        )
    return (*(len(states[parent]) for parent in parents), len(states[name]))
