"""A score table as a source of families, for searching it by price."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import ScoreTable
from noisyor.core.family_source import Offer, Price, PriceCut, RoundedCut
from noisyor.core.variable_sets import to_words
from noisyor.search.preparation import least_costs, some_network

_SEEDS = 5  # of each child


class TableSource:
    """Offers the families of a table that are within a price."""

    def __init__(self, table: ScoreTable) -> None:
        self._table = table
        self._first = np.searchsorted(table.children, np.arange(len(table.names) + 1))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self._table.names

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        """Return the cost of each child's cheapest family."""
        del stop  # it takes no time
        return least_costs(self._table, np.arange(len(self._table)))

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return a network, and the cheapest families of each child."""
        del stop  # it takes no time
        network = some_network(self._table, np.arange(len(self._table)))
        rank = np.arange(len(self._table)) - self._first[self._table.children]
        return self._offer(np.union1d(network, np.flatnonzero(rank < _SEEDS)))

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families that are within one of their child's prices."""
        del undominated, heuristic, stop  # there are no fits to save, and it takes no time
        chosen = [
            first + self._below(slice(first, last), own, most)
            for first, last, own in zip(self._first[:-1], self._first[1:], prices, strict=True)
        ]
        return self._offer(np.concatenate(chosen))

    def _below(
        self, rows: slice, prices: Sequence[Price], most: int | None
    ) -> npt.NDArray[np.int64]:
        """Return which families of a child are within a price, ascending."""
        parents = self._table.parents[rows]
        highest = np.full(len(parents), -np.inf)
        for price in prices:
            highest = np.maximum(highest, _prices_of(price, parents))
        excess = self._table.costs[rows] - highest
        chosen = np.flatnonzero(excess <= 0)
        if most is not None:
            chosen = np.sort(chosen[np.argsort(excess[chosen], kind="stable")[:most]])
        return chosen

    def _offer(self, rows: npt.NDArray[np.int64]) -> Offer:
        finished = np.ones(len(self.names), dtype=np.bool_)
        return Offer(self._table.select(rows), finished)


def _prices_of(price: Price, parents: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return `Price.of` each set."""
    words = parents.shape[1]
    required, excluded = to_words([price.required, price.excluded], words)
    total = np.full(len(parents), price.base)
    values: list[npt.NDArray[np.int64]] = []
    for cut in price.cuts:
        if isinstance(cut, RoundedCut):
            values.append((np.sum([values[part] for part in cut.parts], axis=0) + cut.up) // 2)
        else:
            values.append(_counts(cut, parents).astype(np.int64))
        total += cut.weight * values[-1]
    outside = (required & ~parents).any(axis=1) | (excluded & parents).any(axis=1)
    size = np.bitwise_count(parents).sum(axis=1)
    outside |= size < price.least
    if price.most is not None:
        outside |= size > price.most
    total[outside] = -np.inf
    return total


def _counts(cut: PriceCut, parents: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Return `PriceCut.counts` of each set."""

    def shared(variables: int) -> npt.NDArray[np.int64]:
        inside = parents & to_words([variables], parents.shape[1])
        return np.asarray(np.bitwise_count(inside).sum(axis=1, dtype=np.int64))

    reached = shared(cut.variables)
    for one in cut.classes:
        reached -= np.maximum(0, shared(one) - 1)
    return np.asarray((reached < cut.need) & (shared(cut.own) == 0))
