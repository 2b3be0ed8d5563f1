"""Random knowledge about a network, in plain tuples, with its own check of what it allows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noisyor.core import Knowledge
from tests.oracles.networks import Costs, Key, bits, closes_cycle

Edge = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """Edges (parent, child) and tiers by the numbers of the variables."""

    forbidden: tuple[Edge, ...] = ()
    required: tuple[Edge, ...] = ()
    tiers: tuple[tuple[int, ...], ...] = ()
    max_parents: int | None = None

    def knowledge(self, names: Sequence[str]) -> Knowledge:
        """Return the knowledge as the package's type."""
        return Knowledge(
            forbidden=[(names[parent], names[child]) for parent, child in self.forbidden],
            required=[(names[parent], names[child]) for parent, child in self.required],
            tiers=[[names[variable] for variable in tier] for tier in self.tiers],
            max_parents=self.max_parents,
        )

    def excluded(self) -> set[Edge]:
        """Return the edges that no network may have."""
        backwards = {
            (parent, child)
            for place, late in enumerate(self.tiers)
            for early in self.tiers[:place]
            for parent in late
            for child in early
        }
        return backwards | set(self.forbidden)

    def contradicts_itself(self) -> bool:
        """Return whether no network can have all required edges, whatever the families."""
        above: dict[int, int] = {child: 0 for edge in self.required for child in edge}
        for parent, child in set(self.required):
            above[child] |= 1 << parent
        return (
            bool(self.excluded() & set(self.required))
            or closes_cycle([(child, parents, 0) for child, parents in above.items()])
            or (
                self.max_parents is not None
                and any(parents.bit_count() > self.max_parents for parents in above.values())
            )
        )

    def allowed(self, costs: Costs) -> dict[Key, float]:
        """Return the families that a network may have."""
        excluded = self.excluded()

        def allows(child: int, parents: int) -> bool:
            edges = {(parent, child) for parent in bits(parents)}
            demanded = {edge for edge in self.required if edge[1] == child}
            few = self.max_parents is None or len(edges) <= self.max_parents
            return few and demanded <= edges and not edges & excluded

        return {key: cost for key, cost in costs.items() if allows(key[0], key[1])}


def random_known(rng: np.random.Generator, n: int, *, required: bool) -> Known:
    """Draw one or more pieces of knowledge; they may contradict each other."""
    pairs = [(parent, child) for parent in range(n) for child in range(n) if parent != child]
    forbidden: tuple[Edge, ...] = ()
    demanded: tuple[Edge, ...] = ()
    tiers: tuple[tuple[int, ...], ...] = ()
    most = None
    if rng.random() < 0.5:
        forbidden = tuple(pair for pair in pairs if rng.random() < 0.2)
    if rng.random() < 0.3:
        tier_of = rng.integers(0, 4, size=n).tolist()  # those of 3 are in none
        tiers = tuple(tuple(v for v in range(n) if tier_of[v] == tier) for tier in range(3))
    if rng.random() < 0.4:
        most = int(rng.integers(0, 4))
    if required and pairs and rng.random() < 0.5:
        chosen = rng.permutation(len(pairs))[: int(rng.integers(1, 3))].tolist()
        demanded = tuple(pairs[place] for place in chosen)
    return Known(forbidden, demanded, tiers, most)
