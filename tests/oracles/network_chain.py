"""The Markov chain over networks, as a matrix: a slow twin of the kernel's moves.

Shares no code with the package. Every network is listed, and each move is written down as the
probability to go from any one to any other.
"""

from collections.abc import Sequence
from itertools import combinations, product
from math import comb, exp

import numpy as np
import numpy.typing as npt

Family = tuple[frozenset[int], float]
"""Parents and cost."""

Network = tuple[int, ...]
"""For each variable, the position of its family in its own list."""

Matrix = npt.NDArray[np.float64]


class Chain:
    """All acyclic networks of some families, and the moves between them.

    A network of cost c weighs exp(-c) up to the limit, and exp(-limit - slope (c - limit)) beyond.
    """

    def __init__(self, families: Sequence[Sequence[Family]], limit: float, slope: float) -> None:
        self.families = families
        self.n = len(families)
        self.limit = limit
        self.slope = slope
        every = product(*(range(len(own)) for own in families))
        self.networks: list[Network] = [one for one in every if self._is_acyclic(one)]
        weights = np.array([self._weight(self.cost(one)) for one in self.networks])
        self.target = weights / weights.sum()

    def cost(self, network: Network) -> float:
        return sum(self.families[v][f][1] for v, f in enumerate(network))

    def inside(self) -> npt.NDArray[np.bool_]:
        """Return which networks are within the limit."""
        return np.array([self.cost(one) <= self.limit for one in self.networks])

    def single(self) -> Matrix:
        """Return the move that redraws one child."""
        moves = np.zeros((len(self.networks), len(self.networks)))
        for child in range(self.n):
            moves += self._redrawn({child}, self.target) / self.n
        return moves

    def block(self, size: int) -> Matrix:
        """Return the move that proposes new families for a child and some of its neighbours."""
        plain = np.array([exp(-self.cost(one)) for one in self.networks])
        count = len(self.networks)
        moves = np.zeros((count, count))
        for members in combinations(range(self.n), size):
            picked = np.array([self._chance(one, members) for one in self.networks])
            proposed = self._redrawn(set(members), plain)
            for i, j in product(range(count), repeat=2):
                if i != j and picked[i] and proposed[i, j]:
                    there = self.target[j] * picked[j] * proposed[j, i]
                    here = self.target[i] * picked[i] * proposed[i, j]
                    moves[i, j] += picked[i] * proposed[i, j] * min(1.0, there / here)
        moves[np.diag_indices(count)] = 1 - moves.sum(axis=1)
        return moves

    def sweep(self) -> Matrix:
        """Return one move of each kind, as often as there are variables."""
        one = self.single() @ self.block(2) @ self.block(3)
        return np.linalg.matrix_power(one, self.n)

    def _redrawn(self, children: set[int], weights: Matrix) -> Matrix:
        """Return the draw of the families of some children, given all others, by weight."""
        rest = [v for v in range(self.n) if v not in children]
        keys = [tuple(one[v] for v in rest) for one in self.networks]
        same = np.array([[a == b for b in keys] for a in keys])
        matrix = np.where(same, weights, 0.0)
        found: Matrix = matrix / matrix.sum(axis=1, keepdims=True)
        return found

    def _chance(self, network: Network, members: tuple[int, ...]) -> float:
        """Return the chance to pick a centre, and the other members among its neighbours."""
        chance = 0.0
        for centre in members:
            others = set(members) - {centre}
            near = self._neighbours(network, centre)
            if others <= near:
                chance += 1 / self.n / comb(len(near), len(others))
        return chance

    def _parents(self, network: Network, child: int) -> frozenset[int]:
        return self.families[child][network[child]][0]

    def _neighbours(self, network: Network, v: int) -> set[int]:
        below = {w for w in range(self.n) if v in self._parents(network, w)}
        return below | self._parents(network, v)

    def _weight(self, cost: float) -> float:
        return exp(-min(cost, self.limit) - self.slope * max(0.0, cost - self.limit))

    def _is_acyclic(self, network: Network) -> bool:
        placed: set[int] = set()
        for _ in range(self.n):
            placed |= {v for v in range(self.n) if self._parents(network, v) <= placed}
        return len(placed) == self.n


def watched(moves: Matrix, inside: npt.NDArray[np.bool_]) -> Matrix:
    """Return the moves of a chain that is only looked at when it is inside."""
    within = moves[np.ix_(inside, inside)]
    out, back = moves[np.ix_(inside, ~inside)], moves[np.ix_(~inside, inside)]
    beyond = moves[np.ix_(~inside, ~inside)]
    found: Matrix = within + out @ np.linalg.solve(np.eye(len(beyond)) - beyond, back)
    return found
