"""Ranges of sets: a child's search in parts, which can run independently, on any machine.

A search visits the sets of candidates in numeric order: a candidate's position in the search's
order, from the least to the most useful, is its bit. So a range of numbers is a part of the work,
subtrees are ranges, and the rest of a part that was stopped is a range again.

Why the parts together find what the undivided search does. Let A be the families that `decide` (in
cpp/scoring/final_fits.cpp) would keep if it were given all families of the child, each fitted from
a start that depends on the data only.

- A search drops a family only if its cost is certain to be more than the slack and three tolerances
  above the attained cost of another known family, over a subset of its parents. The final fit of
  that other family costs no more, up to a tolerance. It is kept, or else a family over a subset of
  its own parents that costs even less is. So the dropped family is not in A, whichever families the
  search knew and wherever they were found: a part keeps all families of A in its range.
- Given any families C that include A, `decide` keeps A. It visits them in an order in which subsets
  come first, and compares a family with those that are kept, and with the cheapest over the same
  parents, which is kept if it is the cheapest of all. So the families in C but not in A change
  nothing.

Both hold except for fits that do not close their gap, which the table states. Families found by
other parts make a part faster, since they lower m(P), but are never needed.
"""

from dataclasses import dataclass
from itertools import pairwise

# About one in _ONE_IN of the visited families has a given candidate among its parents. Ranges of
# equal size by this measure take more similar times than ranges of equally many numbers.
_ONE_IN = 4


@dataclass(frozen=True, slots=True)
class SetRange:
    """The sets of candidates with numbers from `first` up to, but not including, `end`."""

    first: int
    end: int

    @property
    def empty(self) -> bool:
        """Whether the range contains no set."""
        return self.first == self.end

    def cut(self, count: int) -> "list[SetRange]":
        """Return the same sets in at most `count` ranges, none of them empty."""
        bits = self.end.bit_length()
        low, high = _measure(self.first, bits), _measure(self.end, bits)
        inner = {_at_measure(low + (high - low) * i // count, bits) for i in range(1, count)}
        cuts = {self.first, self.end} | {cut for cut in inner if self.first < cut < self.end}
        return [SetRange(first, end) for first, end in pairwise(sorted(cuts))]


def _measure(number: int, bits: int) -> int:
    """Return the measure of the sets before this one, in units of _ONE_IN ** -bits.

    All sets together have measure 1. Among sets that agree in their higher candidates, those with
    the next candidate have a share of one in _ONE_IN.
    """
    total, agreeing = 0, 1
    for bit in reversed(range(bits)):
        without = agreeing * (_ONE_IN - 1)
        if number >> bit & 1:
            total += without * _ONE_IN**bit
        else:
            agreeing = without
    return total


def _at_measure(measure: int, bits: int) -> int:
    """Return the last set such that the sets before it have at most this measure."""
    number, agreeing = 0, 1
    for bit in reversed(range(bits)):
        without = agreeing * (_ONE_IN - 1)
        if measure >= without * _ONE_IN**bit:
            measure -= without * _ONE_IN**bit
            number |= 1 << bit
        else:
            agreeing = without
    return number
