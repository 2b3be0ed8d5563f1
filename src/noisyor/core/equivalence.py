"""Which networks of full tables say the same: Markov equivalence.

Two networks whose nodes are all full tables can represent the same distributions if and only if
they have the same edges, directions aside, and the same v-structures a -> c <- b with a and b not
adjacent (Verma and Pearl, 1990). BIC gives them the same cost. A noisy-OR at a node is no full
table: turning an edge round then changes what can be represented, so nothing is grouped there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, inf, ldexp

from noisyor.core.credible_set import CredibleSet
from noisyor.core.errors import SettingsError
from noisyor.core.family import Family
from noisyor.core.relations import root_relation
from noisyor.core.structure import Structure
from noisyor.core.variable_sets import set_of, variables_in

_WEIGHT_BITS = 80  # weights are added as whole numbers, so that their order does not matter


@dataclass(frozen=True, slots=True)
class Cpdag:
    """An equivalence class as a graph: an edge is directed if it is so in all of its networks.

    Directed edges are (parent, child); undirected ones have the earlier variable first.
    """

    names: tuple[str, ...]
    directed: frozenset[tuple[str, str]]
    undirected: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EquivalenceClass:
    """Members that say the same: how many, their share of the weight, the cost of the best.

    `networks` are the class's members in the credible set. The data cannot tell them apart, but a
    table that lacks families, constraints or the tolerance may leave some of the class out.
    """

    cpdag: Cpdag
    networks: int
    weight: float
    best_cost: float


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """The classes in order of their best cost; shares are of the `networks` looked at.

    `shortfalls` says, a line each, why that may not be the whole credible set.
    """

    classes: tuple[EquivalenceClass, ...]
    networks: int
    shortfalls: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all members are grouped."""
        return not self.shortfalls


def cpdag(structure: Structure) -> Cpdag:
    """Return the equivalence class of a network of full tables.

    Starts from the v-structures and directs what Meek's first three rules demand until nothing
    changes; these are complete where no other directions are known (Meek, 1995).
    """
    _refuse_other_relations(structure.names, structure.families)
    adjacent = _neighbours(structure.families)
    directed = [0] * len(adjacent)  # per child the parents that all networks of the class agree on
    for family in structure.families:
        for parent in variables_in(family.parents):
            if family.parents & ~adjacent[parent] & ~(1 << parent):
                directed[family.child] |= 1 << parent
    while _direct_more(adjacent, directed):
        pass
    names = structure.names
    arrows = frozenset(
        (names[parent], names[child])
        for child, above in enumerate(directed)
        for parent in variables_in(above)
    )
    lines = frozenset(
        (names[one], names[other])
        for other, near in enumerate(adjacent)
        for one in variables_in(near & ((1 << other) - 1) & ~directed[other])
        if not directed[one] >> other & 1
    )
    return Cpdag(names, arrows, lines)


def equivalence_classes(credible: CredibleSet, most: int = 10_000_000) -> EquivalenceClasses:
    """Return the members grouped by what they say, looking at no more than `most` of them.

    Needs memory for the classes only. If the limit is hit, the classes are of the members that
    the stream gave first, and `shortfalls` says so.
    """
    if most < 1:
        raise SettingsError(f"at most {most} networks to group; it must be at least 1")
    _refuse_other_relations(credible.names, [use.family for use in credible.families])
    groups: dict[_Signature, _Group] = {}
    signatures = _Signatures([use.family for use in credible.families], len(credible.names))
    seen = 0
    for batch in credible.members.stream():
        rows = zip(batch.families.tolist(), batch.costs.tolist(), strict=True)
        for places, cost in islice(rows, most - seen):
            seen += 1
            signature = signatures.of(places)
            group = groups.get(signature)
            if group is None:
                group = groups[signature] = _Group(places)
            group.add(cost, credible.optimum)
        if seen == most:
            break
    total = sum(group.weight for group in groups.values())
    classes = [
        EquivalenceClass(
            cpdag(credible.structure_of(group.example)),
            group.networks,
            group.weight / total,
            group.best_cost,
        )
        for group in groups.values()
    ]
    classes.sort(key=lambda one: (one.best_cost, -one.networks, sorted(one.cpdag.directed)))
    return EquivalenceClasses(tuple(classes), seen, _shortfalls(credible, seen))


def _shortfalls(credible: CredibleSet, seen: int) -> tuple[str, ...]:
    if seen < credible.count:
        limit = f"{seen} of {credible.count} networks were grouped: the limit asked for"
        return (*credible.shortfalls, limit)
    return credible.shortfalls


def _refuse_other_relations(names: Sequence[str], families: Sequence[Family]) -> None:
    for family in families:
        if family.relation is not root_relation():
            raise SettingsError(
                f"{names[family.child]!r} is a {family.relation} in some network; Markov "
                "equivalence holds among networks of full tables only"
            )


def _neighbours(families: Sequence[Family]) -> list[int]:
    """Return for each variable those it shares an edge with."""
    adjacent = [family.parents for family in families]
    for family in families:
        for parent in variables_in(family.parents):
            adjacent[parent] |= 1 << family.child
    return adjacent


def _direct_more(adjacent: list[int], directed: list[int]) -> bool:
    """Direct the edges one -> other that a rule demands, and return whether there were any.

    1: something -> one, not adjacent to `other`: else there were another v-structure.
    2: one -> middle -> other: else there were a cycle.
    3: one - a -> other and one - b -> other with a, b not adjacent: else turning the edge round
       would need a or b to close a cycle or make another v-structure.
    """
    changed = False
    for other, near in enumerate(adjacent):
        for one in variables_in(near & ~directed[other]):
            if directed[one] >> other & 1:
                continue
            through = directed[other] & adjacent[one]
            if (
                directed[one] & ~near & ~(1 << other)
                or any(directed[middle] >> one & 1 for middle in variables_in(through))
                or _have_strangers(_undirected(through, one, directed), adjacent)
            ):
                directed[other] |= 1 << one
                changed = True
    return changed


def _undirected(near: int, one: int, directed: list[int]) -> int:
    """Return those of the neighbours whose edges with one have no direction yet."""
    return set_of(v for v in variables_in(near & ~directed[one]) if not directed[v] >> one & 1)


def _have_strangers(variables: int, adjacent: list[int]) -> bool:
    """Return whether two of the variables are not adjacent."""
    return any(variables & ~adjacent[v] & ~(1 << v) for v in variables_in(variables))


_Signature = tuple[int, ...]
"""The skeleton as a set of pairs, then the v-structures of each child as a set of pairs."""


class _Signatures:
    """What decides the class of a member, from its families' places."""

    def __init__(self, families: Sequence[Family], count: int) -> None:
        self._edges = [
            set_of(_pair(parent, family.child, count) for parent in family.parent_indices())
            for family in families
        ]
        self._couples = [
            set_of(
                _pair(one, other, count)
                for one in family.parent_indices()
                for other in family.parent_indices()
                if one < other
            )
            for family in families
        ]

    def of(self, places: list[int]) -> _Signature:
        skeleton = 0
        for place in places:
            skeleton |= self._edges[place]
        strangers = ~skeleton
        return (skeleton, *[self._couples[place] & strangers for place in places])


def _pair(one: int, other: int, count: int) -> int:
    """Return the number of an unordered pair of variables."""
    return min(one, other) * count + max(one, other)


class _Group:
    """The members of one class so far, and the families of the first."""

    def __init__(self, example: list[int]) -> None:
        self.example = example
        self.networks = 0
        self.weight = 0
        self.best_cost = inf

    def add(self, cost: float, optimum: float) -> None:
        self.networks += 1
        self.weight += int(ldexp(exp(optimum - cost), _WEIGHT_BITS))
        self.best_cost = min(self.best_cost, cost)
