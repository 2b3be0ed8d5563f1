"""Good networks from local search over orders of the variables.

Given an order, each child takes its cheapest family among the variables before it. The search moves
variables, and starts again from perturbed, random or suggested orders.
"""

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.search.families import Families
from noisyor.search.no_network import NoNetworkError

Order = npt.NDArray[np.int32]

_MOST_LOOKS = 100_000_000  # families to inspect, from each order


class OrderSearch:
    """A search over orders, and the best network that it has found."""

    def __init__(self, families: Families, seed: int, cancellation: "kernels.Cancellation") -> None:
        """Take the families; raise NoNetworkError if they make no acyclic network."""
        self._seed = seed
        self._cancellation = cancellation
        self._searches = 0
        self._begin(families)

    def _begin(self, families: Families) -> None:
        self._search = kernels.OrderSearch(families.first, families.parents, families.ticks)
        if stuck := self._search.stuck():
            raise NoNetworkError(stuck)

    def take(self, families: Families) -> None:
        """Go on with other families, from the best order so far."""
        order = self.order
        self._begin(families)
        self.improve(order)

    @property
    def has_found(self) -> bool:
        """Whether a network is known yet."""
        return self._search.best() is not None

    @property
    def ticks(self) -> int:
        """The ticks of the best network so far."""
        return self._best()[0]

    @property
    def network(self) -> npt.NDArray[np.int64]:
        """The positions of the families of the best network so far."""
        return self._best()[1]

    @property
    def order(self) -> Order:
        """The order in which the best network so far was found."""
        return self._best()[2]

    def improve(self, order: Order) -> None:
        """Search from an order that is known to be good."""
        self._search.improve(order[None, :], 0, _MOST_LOOKS, self._seed, self._cancellation)

    def search_from(self, order: Order, perturbations: int) -> None:
        """Search from an order, and so many times from a perturbation of the best one."""
        seed = self._seed + self._searches
        self._searches += 1
        self._search.improve(order[None, :], perturbations, _MOST_LOOKS, seed, self._cancellation)

    def _best(self) -> tuple[int, npt.NDArray[np.int64], Order]:
        found = self._search.best()
        if found is None:
            raise RuntimeError("the bounds were asked for before the first search over orders")
        return found
