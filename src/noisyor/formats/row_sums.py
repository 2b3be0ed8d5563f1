"""Rows of probabilities that do not quite sum to 1, as in files that round to a few digits."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.core.network import ROW_TOLERANCE, normalised
from noisyor.core.warning import ConversionWarning, warn_user

FORGIVEN = 0.01
"""How far the sum of a row may be from 1 if the reader is forgiving."""

_LARGEST_WEIGHT = 1e100  # the sum of a row must stay finite
_LOST_IN_BINARY = 1e-9  # what is lost when decimal fractions become binary ones

Table = npt.NDArray[np.float64]


class RowSums:
    """Checks the rows of one table after another, and warns once of all that were forgiven.

    Published files have rows that sum to 0.998 or 0.999, and rows of zeros that nobody filled in.
    If `forgiving`, a row of the first kind is divided by its sum, and in one of the second all
    states are equally likely; otherwise it is an error that says how to read the file. With
    `any_sum`, rows may sum to anything but zero: the format says that its rows are to be divided by
    their sums.
    """

    def __init__(self, *, forgiving: bool, any_sum: bool = False) -> None:
        self._forgiving = forgiving
        self._any_sum = any_sum
        self._names: list[str] = []
        self._worst: tuple[float, str] = (0.0, "")
        self._empty: list[str] = []

    def checked(
        self, table: Table, name: str, place_of: Callable[[int], str], hint: str = ""
    ) -> Table:
        """Return the table of a variable with rows that sum to 1, within the usual tolerance.

        `place_of` says where in the file a row is, by its number if the rows are counted in the
        order of the array. `hint` ends the message about a row that is far off.
        """
        rows = table.reshape(-1, table.shape[-1])
        most = 1 + (FORGIVEN if self._forgiving else ROW_TOLERANCE)
        if self._any_sum:
            most = _LARGEST_WEIGHT
        wrong = ~((rows >= 0) & (rows <= most)).all(axis=1)
        if wrong.any():
            row = int(wrong.argmax())
            value = next(one for one in rows[row].tolist() if not 0 <= one <= most)
            raise FormatError(
                f"{place_of(row)}: the table of {name!r:.60} has the entry {value:g}, which is "
                f"not {'a weight' if self._any_sum else 'a probability, between 0 and 1'}"
            )
        sums = rows.sum(axis=1)
        if (sums == 0).any():
            table = self._filled(table, name, place_of(int(sums.argmin())))
            sums[sums == 0] = 1
        off = np.abs(sums - 1)
        row = int(off.argmax())
        if off[row] <= ROW_TOLERANCE:
            return normalised(table)
        problem = f"{place_of(row)}: the probabilities of {name!r:.60} sum to {sums[row]:g}"
        if not self._any_sum and off[row] > FORGIVEN + _LOST_IN_BINARY:
            raise FormatError(f"{problem}; it must be 1, within {ROW_TOLERANCE:g}{hint}")
        if not (self._any_sum or self._forgiving):
            raise FormatError(
                f"{problem}; it must be 1, within {ROW_TOLERANCE:g}. With forgiving=True, "
                f"rows that sum to 1 within {FORGIVEN:g} are divided by their sum"
            )
        self._names.append(name)
        self._worst = max(self._worst, (float(off[row]), problem))
        return normalised(table)

    def _filled(self, table: Table, name: str, place: str) -> Table:
        """Return the table with equally likely states in each row of zeros."""
        problem = f"{place}: a row of {name!r:.60} has only zeros"
        if not self._forgiving:
            raise FormatError(
                f"{problem}; with forgiving=True, its states are taken to be equally likely"
            )
        self._empty.append(problem)
        empty = table.sum(axis=-1, keepdims=True) == 0
        return np.where(empty, 1 / table.shape[-1], table)

    def warn(self) -> None:
        """Say which rows were forgiven."""
        if self._empty:
            others = len(self._empty) - 1
            also = f", and so have rows of {others} other variable{'s' * (others > 1)}"
            warn_user(
                f"{self._empty[0]}{also if others else ''}. Their states are taken to be equally "
                "likely",
                ConversionWarning,
            )
        if not self._names:
            return
        others = len(self._names) - 1
        also = f"; rows of {others} other variable{'s' * (others > 1)} are off by less"
        warn_user(
            f"{self._worst[1]}{also if others else ''}. Such rows are divided by their sum",
            ConversionWarning,
        )
