"""Cut points that divide numbers into bins: by quantiles, by equal width, by minimal entropy.

A cut c separates the values up to and including c from those above it. Between two neighbouring
values any number makes the same bins of the data, so each function returns the one with the fewest
digits: it is what a person reads in the label of a bin.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_MOST_DIGITS = 17  # they tell any two doubles apart
_WIDTH_TOLERANCE = 0.01  # of the width of a bin: how far rounding may move a cut of equal width
_TIE = 1e-12  # relative; entropies that differ by less are equal


@dataclass(frozen=True, slots=True, eq=False)
class ValueCounts:
    """The distinct values of a column, ascending and finite, and how often each occurs."""

    values: Numbers
    counts: Counts

    @classmethod
    def of(cls, numbers: Numbers) -> "ValueCounts":
        """Count the values of a column."""
        values, counts = np.unique(numbers, return_counts=True)
        return cls(values, counts)

    def cut_after(self, places: Iterable[int]) -> tuple[float, ...]:
        """Return the simplest cut after each of these distinct values, given by number."""
        return tuple(
            simplest_number(float(self.values[place]), float(self.values[place + 1]))
            for place in places
        )


def quantile_cuts(data: ValueCounts, bins: int) -> tuple[float, ...]:
    """Return cuts that make bins with as equal numbers of records as ties allow.

    The cut j of k bins should leave j/k of the records below it. It goes to the place between two
    distinct values that comes closest, the lower one in a tie, so no value is split. If a value is
    so frequent that two cuts meet, there are fewer bins.
    """
    below = np.cumsum(data.counts)[:-1]
    if not len(below):
        return ()
    total = int(data.counts.sum())
    places = set()
    for j in range(1, bins):
        at = min(int(np.searchsorted(below * bins, j * total)), len(below) - 1)
        lower = max(0, at - 1)
        distances = [abs(int(below[place]) * bins - j * total) for place in (lower, at)]
        places.add(lower if distances[0] <= distances[1] else at)
    return data.cut_after(sorted(places))


def width_cuts(data: ValueCounts, bins: int) -> tuple[float, ...]:
    """Return cuts that divide the range into bins of equal width.

    A bin without records is joined to the one below it. Rounding to few digits moves a cut by at
    most a hundredth of the width, and never past a value.
    """
    low, high = float(data.values[0]), float(data.values[-1])
    step = (Fraction(high) - Fraction(low)) / bins  # exact: a difference of floats may overflow
    tolerance = _WIDTH_TOLERANCE * float(step)
    cuts: dict[int, float] = {}
    for j in range(1, bins):
        exact = float(Fraction(low) + j * step)
        above = int(np.searchsorted(data.values, exact, side="right"))
        if 0 < above < len(data.values):
            # The last cut in a gap replaces the others, so that empty bins join the one below.
            cuts[above] = simplest_number(
                max(float(data.values[above - 1]), exact - tolerance),
                min(float(data.values[above]), exact + tolerance),
                near=exact,
            )
    return tuple(cuts.values())


def mdl_cuts(numbers: Numbers, classes: npt.NDArray[np.integer]) -> tuple[float, ...]:
    """Return the cuts of Fayyad and Irani (1993), which predict the classes of a target.

    A set of records is cut where the entropy of the classes in its two parts is least, the lower
    cut in a tie, if the gain pays for the description of the cut by the minimum description length
    principle. Both parts are then cut in turn.

    Only boundary points are tried: by their theorem, no cut between two values whose records all
    have the same one class has the least entropy.

    Parameters
    ----------
    numbers
        The value of each record, finite; shape (records,).
    classes
        The class of each record, from 0; shape (records,).
    """
    values, places = np.unique(numbers, return_inverse=True)
    class_count = int(classes.max()) + 1
    table = np.bincount(
        places * class_count + classes, minlength=len(values) * class_count
    ).reshape(len(values), class_count)
    starts = _boundary_starts(table)
    blocks = np.add.reduceat(table, starts, axis=0)
    cumulative = np.vstack([np.zeros((1, class_count), dtype=np.int64), np.cumsum(blocks, axis=0)])
    found, waiting = [], [(0, len(blocks))]
    while waiting:
        first, last = waiting.pop()
        cut = _accepted_cut(cumulative[first : last + 1] - cumulative[first])
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    data = ValueCounts(values, table.sum(axis=1))
    return data.cut_after(int(starts[block]) - 1 for block in sorted(found))


def _boundary_starts(table: Counts) -> npt.NDArray[np.intp]:
    """Return where blocks start: runs of values of the same single class, or single values.

    `table` counts the records of each value and class.
    """
    pure = np.count_nonzero(table, axis=1) == 1
    own = table.argmax(axis=1)
    continues = pure[1:] & pure[:-1] & (own[1:] == own[:-1])
    return np.flatnonzero(np.concatenate([[True], ~continues]))


def _accepted_cut(cumulative: Counts) -> int | None:
    """Return after how many blocks a set is best cut; None if the cut does not pay.

    `cumulative` counts the records of each class before each boundary, shape (blocks + 1, classes).
    """
    if len(cumulative) == 2:  # noqa: PLR2004  (a single block)
        return None
    whole = cumulative[-1]
    left, right = cumulative[1:-1], whole - cumulative[1:-1]
    costs = _information(left) + _information(right)
    records = int(whole.sum())
    tie = _TIE * records * math.log2(records)
    best = int(np.flatnonzero(costs <= costs.min() + tie)[0])
    total = float(_information(whole[None])[0])
    gain = (total - float(costs[best])) / records
    return best + 1 if gain > _description_length(whole, left[best], right[best]) else None


def _description_length(whole: Counts, left: Counts, right: Counts) -> float:
    """Return the gain per record that pays for a cut: (lb(N - 1) + delta) / N in the paper."""
    records = int(whole.sum())
    present = [int(np.count_nonzero(part)) for part in (whole, left, right)]
    weighted = [
        classes * float(_information(part[None])[0]) / int(part.sum())
        for classes, part in zip(present, (whole, left, right), strict=True)
    ]
    delta = math.log2(3 ** present[0] - 2) - (weighted[0] - weighted[1] - weighted[2])
    return (math.log2(records - 1) + delta) / records


def _information(counts: Counts) -> Numbers:
    """Return the entropy of each row's classes times its records, in bits."""
    totals = counts.sum(axis=1)
    information: Numbers = _n_log_n(totals) - _n_log_n(counts).sum(axis=1)
    return information


def _n_log_n(counts: Counts) -> Numbers:
    exact: Numbers = counts.astype(np.float64)
    products: Numbers = exact * np.log2(np.maximum(exact, 1.0))
    return products


def simplest_number(
    low: float, high: float, near: float | None = None, *, digits: int = 1
) -> float:
    """Return the number from `low` up to, but without, `high` that has the fewest digits.

    All numbers of at most `digits` digits are equally simple. Of several it is the one closest to
    `near`, by default the middle, and of two equally close the lower.

    For each number of digits it is enough to try the two numbers that enclose `near`: if any lies
    in the range, so does one of them.
    """
    if low <= 0.0 < high and digits == 1:
        return 0.0
    if near is None:
        near = low + (high - low) / 2 if math.isfinite(high - low) else low / 2 + high / 2
    exact = Decimal(near)
    for precision in range(digits, _MOST_DIGITS + 1):
        enclosing = [
            Context(prec=precision, rounding=rounding).plus(exact)
            for rounding in (ROUND_FLOOR, ROUND_CEILING)
        ]
        fitting = [number for number in enclosing if low <= float(number) < high]
        if fitting:
            return float(min(fitting, key=lambda number: abs(number - exact)))
    return low
