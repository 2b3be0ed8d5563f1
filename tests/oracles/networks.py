"""All acyclic networks over a few variables: a slow twin of the search.

Shares no code with the package: families are plain tuples, costs plain sums.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, fsum, inf
from typing import TypeVar

Key = tuple[int, int, int]
"""A family: child, parents (bit v is variable v), and the relation's code (0 is a full table)."""

Costs = Mapping[Key, float]
Network = tuple[Key, ...]
Subject = TypeVar("Subject", bound=Hashable)

TOLERANCE = 1e-7
RELATIVE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class NaiveUse:
    """The package's `Use`, computed from the list of all members."""

    networks: int
    fraction: float
    weight: float
    best_with: float
    best_without: float | None


@dataclass(frozen=True)
class NaiveSet:
    """Every credible network with its cost, cheapest first."""

    members: tuple[tuple[float, Network], ...]

    @property
    def optimum(self) -> float:
        return self.members[0][0]

    @property
    def costs(self) -> list[float]:
        return [cost for cost, _ in self.members]

    @cached_property
    def networks(self) -> set[Network]:
        return {network for _, network in self.members}

    def weights(self) -> list[float]:
        """Return each member's share of the weight."""
        raw = [exp(self.optimum - cost) for cost in self.costs]
        return [weight / fsum(raw) for weight in raw]

    def families(self) -> dict[Key, NaiveUse]:
        return self._uses(lambda network: network)

    def edges(self) -> dict[tuple[int, int], NaiveUse]:
        return self._uses(
            lambda network: [(p, child) for child, parents, _ in network for p in bits(parents)]
        )

    def parent_sets(self) -> dict[tuple[int, int], NaiveUse]:
        return self._uses(lambda network: [(child, parents) for child, parents, _ in network])

    def relations(self) -> dict[tuple[int, int], NaiveUse]:
        return self._uses(lambda network: [(child, code) for child, _, code in network])

    def _uses(self, had: Callable[[Network], Iterable[Subject]]) -> dict[Subject, NaiveUse]:
        places: dict[Subject, list[int]] = defaultdict(list)
        for place, (_, network) in enumerate(self.members):
            for subject in had(network):
                places[subject].append(place)
        costs, weights = self.costs, self.weights()
        result = {}
        for subject, having in places.items():
            lacking = sorted(set(range(len(costs))) - set(having))
            result[subject] = NaiveUse(
                networks=len(having),
                fraction=len(having) / len(costs),
                weight=fsum(weights[place] for place in having),
                best_with=costs[having[0]],
                best_without=costs[lacking[0]] if lacking else None,
            )
        return result


def credible_set(costs: Costs, n: int, slack: float) -> NaiveSet | None:
    """Return all acyclic networks within the slack of the best, the boundary included.

    None if no acyclic network can be made of the families.
    """
    options = [[(key, costs[key]) for key in sorted(costs) if key[0] == v] for v in range(n)]
    optimum = _optimum(options, costs)
    if optimum is None:
        return None
    limit = optimum + slack
    limit += max(TOLERANCE, RELATIVE_TOLERANCE * abs(limit))
    rounding = 1e-9 * (1 + abs(limit))  # partial sums may exceed; the exact total decides
    found = []
    for network in _acyclic(options, lambda: limit + rounding):
        total = fsum(costs[key] for key in network)
        if total <= limit:
            found.append((total, network))
    return NaiveSet(tuple(sorted(found)))


def better_relations(costs: Costs) -> dict[Key, float]:
    """Return the families with the better relation of their parents, a tie going to the earlier."""
    result = {}
    codes = sorted({code for _, _, code in costs})
    for child, parents, code in costs:
        rivals = {c: costs[child, parents, c] for c in codes if (child, parents, c) in costs}
        lowest = min(rivals.values())
        tolerance = max(TOLERANCE, RELATIVE_TOLERANCE * abs(lowest))
        winner = min(c for c, cost in rivals.items() if cost <= lowest + tolerance)
        if code == winner:
            result[child, parents, code] = costs[child, parents, code]
    return result


def _optimum(options: Sequence[Sequence[tuple[Key, float]]], costs: Costs) -> float | None:
    found = [inf]
    for network in _acyclic(options, lambda: found[-1]):
        found.append(min(found[-1], fsum(costs[key] for key in network)))
    return found[-1] if len(found) > 1 else None


def _acyclic(
    options: Sequence[Sequence[tuple[Key, float]]], limit: Callable[[], float]
) -> Iterator[Network]:
    """Yield all choices of one family per child that are acyclic and within the limit.

    Goes child by child; a choice is abandoned when it has a cycle, or when even the cheapest
    families of the other children take it above the limit.
    """
    n = len(options)
    cheapest = [min((cost for _, cost in of_child), default=inf) for of_child in options]
    rest = [sum(cheapest[v:]) for v in range(n + 1)]

    def extend(chosen: list[Key], spent: float) -> Iterator[Network]:
        child = len(chosen)
        if child == n:
            yield tuple(chosen)
            return
        for key, cost in options[child]:
            if spent + cost + rest[child + 1] <= limit() and not closes_cycle([*chosen, key]):
                yield from extend([*chosen, key], spent + cost)

    yield from extend([], 0.0)


def closes_cycle(families: Sequence[Key]) -> bool:
    """Return whether the families of some children have a directed cycle."""
    left = {child: set(bits(parents)) for child, parents, _ in families}
    while left:
        free = [child for child, parents in left.items() if not parents & left.keys()]
        if not free:
            return True
        for child in free:
            del left[child]
    return False


def bits(chosen: int) -> list[int]:
    """Return the variables of a set, ascending."""
    return [v for v in range(chosen.bit_length()) if chosen >> v & 1]
