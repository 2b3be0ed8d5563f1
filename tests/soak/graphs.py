"""Brute force for up to five variables and any number of families: every acyclic graph at once.

A twin of `tests.oracles.networks`, which goes child by child and takes long where all families
are there. Here the graphs are listed once for each number of variables, and costed as columns.
"""

from functools import cache
from itertools import product
from math import fsum, inf

import numpy as np
import numpy.typing as npt

from tests.oracles.networks import Costs, Key, NaiveSet

MOST_VARIABLES = 5
_LATER = 1e-9  # of a cost: what sums in another order may differ by; the exact sum decides


@cache
def acyclic_graphs(n: int) -> npt.NDArray[np.uint8]:
    """Return the parents of each child in every acyclic graph, shape (graphs, n).

    Of all choices of parents, those stay from which all variables can be taken away, each when
    none of its parents is left.
    """
    if n > MOST_VARIABLES:
        raise ValueError(f"{n} variables; at most {MOST_VARIABLES} have few enough graphs")
    sets = [[p for p in range(1 << n) if not p >> v & 1] for v in range(n)]
    choices = np.meshgrid(*(np.array(own, dtype=np.uint8) for own in sets), indexing="ij")
    parents = np.stack([one.ravel() for one in choices], axis=1)
    left = np.full(len(parents), (1 << n) - 1, dtype=np.uint8)
    for _ in range(n):
        for child in range(n):
            free = (parents[:, child] & left) == 0
            left[free] &= ~np.uint8(1 << child)
    acyclic: npt.NDArray[np.uint8] = parents[left == 0]
    return acyclic


def networks_within(costs: Costs, n: int, above: float) -> NaiveSet | None:
    """Return all networks that cost at most so much more than the best, or None if there is none.

    No tolerance is added, unlike in `credible_set`.
    """
    graphs = acyclic_graphs(n)
    cheapest = np.full((n, 1 << n), inf)
    families: dict[tuple[int, int], list[Key]] = {}
    for (child, parents, code), cost in costs.items():
        cheapest[child, parents] = min(cost, cheapest[child, parents])
        families.setdefault((child, parents), []).append((child, parents, code))
    totals = cheapest[np.arange(n), graphs].sum(axis=1)
    least = totals.min()
    if not np.isfinite(least):
        return None
    near = least + above + _LATER * (1 + abs(least) + above)
    found = [
        (fsum(costs[key] for key in network), network)
        for graph in graphs[totals <= near].tolist()
        for network in product(*(families[child, parents] for child, parents in enumerate(graph)))
    ]
    limit = min(cost for cost, _ in found) + above
    return NaiveSet(tuple(sorted(one for one in found if one[0] <= limit)))
