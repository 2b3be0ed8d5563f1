"""The sums of excess that independent parts of a network can have together.

A part (a child on its own, or a component) offers choices, each at some excess over its cheapest.
The parts are independent except for the budget that their excesses share, so a part is described by
its list of excesses and the number of choices with each. Lists are added one after the other. A
backward pass gives, for every entry of every list, how much of the total goes through it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.object_]  # Python's integers: they do not overflow


@dataclass(frozen=True, slots=True, eq=False)
class SumList:
    """Distinct sums in ticks, ascending, and the number of ways to obtain each."""

    sums: npt.NDArray[np.int64]
    ways: Counts

    @classmethod
    def of(cls, excesses: npt.NDArray[np.int64]) -> "SumList":
        """Return the list of choices with these excesses."""
        sums, ways = np.unique(excesses, return_counts=True)
        return cls(sums, ways.astype(object))

    def __len__(self) -> int:
        return len(self.sums)

    def rounded(self, grain: int, *, up: bool) -> "SumList":
        """Return the list with its sums rounded to multiples of the grain."""
        grains = -(-self.sums // grain) if up else self.sums // grain
        sums, starts = np.unique(grains * grain, return_index=True)
        return SumList(sums, np.add.reduceat(self.ways, starts))


_MOST_PAIRS = 8  # pairs to add per distinct sum that may be kept


class TooManySumsError(Exception):
    """There are more distinct sums than can be kept; rounded, there would be fewer."""


class SumChain:
    """The sums of several lists within a budget, and the way back from a sum to the choices."""

    def __init__(self, lists: list[SumList], budget: int, most: int) -> None:
        """Add up the lists; raise TooManySumsError if any step has more than `most` sums."""
        self.lists = lists
        self.budget = budget
        self.steps = [SumList.of(np.zeros(1, dtype=np.int64))]
        for one in lists:
            self.steps.append(_add(self.steps[-1], one, budget, most))

    @property
    def total(self) -> SumList:
        """The sums of all lists together."""
        return self.steps[-1]

    def share(
        self, through: npt.NDArray[Any], weigh: Callable[[SumList], npt.NDArray[Any]]
    ) -> list[npt.NDArray[Any]]:
        """Return for every list how much goes through one choice at each of its entries.

        `through` is how much goes through one way to each entry of the total. `weigh` returns what
        the ways to the entries of a list count for: their number, or their weight.
        """
        result: list[npt.NDArray[Any]] = []
        for i in reversed(range(len(self.lists))):
            before, one, after = self.steps[i], self.lists[i], self.steps[i + 1]
            before_weights, weights = weigh(before), weigh(one)
            here = np.zeros(len(one), dtype=through.dtype)
            above = np.zeros(len(before), dtype=through.dtype)
            for j, extra in enumerate(one.sums.tolist()):
                fitting = int(np.searchsorted(before.sums, self.budget - extra, side="right"))
                flow = through[np.searchsorted(after.sums, before.sums[:fitting] + extra)]
                here[j] = (before_weights[:fitting] * flow).sum()
                above[:fitting] += flow * weights[j]
            result.append(here)
            through = above
        return result[::-1]

    def choices_at(self, place: int, way: int) -> list[tuple[int, int]]:
        """Return the choices of one of the ways to an entry of the total.

        A choice is an entry of its list, and which of the ways to that entry.
        """
        result: list[tuple[int, int]] = []
        for i in reversed(range(len(self.lists))):
            before, one = self.steps[i], self.lists[i]
            wanted = int(self.steps[i + 1].sums[place])
            for j, extra in enumerate(one.sums.tolist()):
                left = int(np.searchsorted(before.sums, wanted - extra))
                if left == len(before) or before.sums[left] != wanted - extra:
                    continue
                ways = before.ways[left] * one.ways[j]
                if way < ways:
                    result.append((j, way % one.ways[j]))
                    place, way = left, way // one.ways[j]
                    break
                way -= ways
        return result[::-1]


def _add(a: SumList, b: SumList, budget: int, most: int) -> SumList:
    """Return the sums of an entry of each within the budget."""
    fitting = np.searchsorted(a.sums, budget - b.sums, side="right")
    if fitting.sum() > _MOST_PAIRS * most:
        raise TooManySumsError
    sums = np.concatenate([a.sums[:k] + extra for k, extra in zip(fitting, b.sums, strict=True)])
    ways = np.concatenate([a.ways[:k] * w for k, w in zip(fitting, b.ways, strict=True)])
    order = np.argsort(sums, kind="stable")
    distinct, starts = np.unique(sums[order], return_index=True)
    if len(distinct) > most:
        raise TooManySumsError
    return SumList(distinct, np.add.reduceat(ways[order], starts))
