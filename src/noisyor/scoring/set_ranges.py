"""A child's search in parts, each of which may be done by itself, anywhere.

A search visits the sets of candidates in numeric order: a candidate's place in its order, from the
least to the most useful, is its bit. So a stretch of numbers is a part of the work, subtrees are
such stretches, and what is left of a part that was stopped is one again.

Why the parts together find what the undivided search does. Let A be the families that `decide` (in
cpp/scoring/final_fits.cpp) would keep if it were given all families of the child, each fitted from
a start that depends on the data only.

- A search drops a family only if its cost is certain to be more than the slack and three tolerances
  above the attained cost of another, known to it, over a subset of its parents. The final fit of
  that other costs no more, up to a tolerance, and it stays, or one over a subset of its own parents
  does that costs less still. So the dropped family is not in A, whichever others the search knew
  and whoever had found them: a part keeps all of A that is in its stretch.
- Given any families C that include A, `decide` keeps A. It goes through them in an order in which
  subsets come first, and compares a family with those that stay, and with the cheapest over the
  same parents, which stays if it is the cheapest of all. So what C has besides A changes nothing.

Both hold up to fits that do not close their gap, which the table states. What other parts have
found makes a part faster, since it counts for m(P), and is never needed.
"""

from dataclasses import dataclass
from itertools import pairwise

# Of the families that a search looks at, about so many have a given candidate among their parents:
# one in _ONE_IN. Stretches that are as long by this measure take times that are less far apart than
# those of equally many numbers.
_ONE_IN = 4


@dataclass(frozen=True, slots=True)
class SetRange:
    """Sets of candidates from `first` up to, but without, `end`, by number."""

    first: int
    end: int

    @property
    def empty(self) -> bool:
        """Whether there is no set in it."""
        return self.first == self.end

    def cut(self, count: int) -> "list[SetRange]":
        """Return the same sets in at most so many stretches, none of them empty."""
        bits = self.end.bit_length()
        low, high = _measure(self.first, bits), _measure(self.end, bits)
        inner = {_at_measure(low + (high - low) * i // count, bits) for i in range(1, count)}
        cuts = {self.first, self.end} | {cut for cut in inner if self.first < cut < self.end}
        return [SetRange(first, end) for first, end in pairwise(sorted(cuts))]


def _measure(number: int, bits: int) -> int:
    """Return how much the sets before this one are, in units of _ONE_IN ** -bits.

    All sets together are 1, and of those that agree in their higher candidates, the ones that have
    the next are a share of one in _ONE_IN.
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
    """Return the last set before which there is at most so much."""
    number, agreeing = 0, 1
    for bit in reversed(range(bits)):
        without = agreeing * (_ONE_IN - 1)
        if measure >= without * _ONE_IN**bit:
            measure -= without * _ONE_IN**bit
            number |= 1 << bit
        else:
            agreeing = without
    return number
