"""Markov equivalence: which networks of full tables represent the same distributions.

Two networks whose nodes are all full tables can represent the same distributions if and only if
they have the same edges, directions aside, and the same v-structures a -> c <- b with a and b not
adjacent (Verma and Pearl, 1990). BIC gives them the same cost. With a noisy-OR at a node, reversing
an edge changes which distributions can be represented, so such networks are not grouped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import exp, inf, ldexp

from noisyor.core.arguments import checked_arguments
from noisyor.core.credible_set import CredibleSet
from noisyor.core.errors import SettingsError
from noisyor.core.family import Family
from noisyor.core.relations import root_relation
from noisyor.core.structure import Structure
from noisyor.core.variable_sets import set_of, variables_in

_WEIGHT_BITS = 80  # weights are summed as integers, so that the order of the sum does not matter


@dataclass(frozen=True, slots=True)
class Cpdag:
    """An equivalence class as a completed partially directed graph (CPDAG).

    An edge is directed if all networks of the class agree on its direction.

    Parameters
    ----------
    names
        The names of the variables.
    directed
        The directed edges, (parent, child).
    undirected
        The undirected edges, the earlier variable first.
    """

    names: tuple[str, ...]
    directed: frozenset[tuple[str, str]]
    undirected: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class EquivalenceClass:
    """The members of a credible set that are Markov equivalent to each other.

    The data cannot distinguish them. A table that lacks families, constraints or the tolerance may
    leave some networks of the class out of the credible set.

    Parameters
    ----------
    cpdag
        The class as a graph.
    networks
        The number of networks of the class in the credible set.
    weight
        Their share of the weight of all grouped networks.
    best_cost
        The least of their costs, in nats.
    """

    cpdag: Cpdag
    networks: int
    weight: float
    best_cost: float


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """The equivalence classes of a credible set.

    Parameters
    ----------
    classes
        The classes in order of their best cost.
    networks
        The number of networks that were grouped; the classes' shares are of these.
    shortfalls
        The reasons why these may not be the whole credible set, one line each.
    """

    classes: tuple[EquivalenceClass, ...]
    networks: int
    shortfalls: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether all members were grouped."""
        return not self.shortfalls


@checked_arguments
def cpdag(structure: Structure) -> Cpdag:
    """Return the equivalence class of a network of full tables.

    Starts from the v-structures and directs the edges that Meek's first three rules demand until
    nothing changes; these rules are complete if no other directions are known (Meek, 1995).

    Parameters
    ----------
    structure
        The network; every node must be a full table.

    Raises
    ------
    SettingsError
        A node is not a full table.

    Examples
    --------
    >>> chain = Structure.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> sorted(cpdag(chain).undirected)
    [('a', 'b'), ('b', 'c')]
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


@checked_arguments
def equivalence_classes(credible: CredibleSet, most: int = 10_000_000) -> EquivalenceClasses:
    """Group the members of a credible set into Markov equivalence classes.

    Needs memory for the classes only.

    Parameters
    ----------
    credible
        The credible set; every node of every member must be a full table.
    most
        The most members to group. If the set has more, those that are enumerated first are
        grouped, and `shortfalls` of the result says so.

    Raises
    ------
    SettingsError
        `most` is below 1, or a node of some member is not a full table.
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
            group.add(cost, (cost - credible.optimum) / credible.bayes_factor.temperature)
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

    1: some x -> one, x not adjacent to `other`: the reverse would make another v-structure.
    2: one -> middle -> other: the reverse would close a cycle.
    3: one - a -> other and one - b -> other with a, b not adjacent: with the reverse, a or b would
       close a cycle or make another v-structure.
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
                or _has_nonadjacent_pair(_undirected(through, one, directed), adjacent)
            ):
                directed[other] |= 1 << one
                changed = True
    return changed


def _undirected(near: int, one: int, directed: list[int]) -> int:
    """Return the neighbours whose edge with `one` has no direction yet."""
    return set_of(v for v in variables_in(near & ~directed[one]) if not directed[v] >> one & 1)


def _has_nonadjacent_pair(variables: int, adjacent: list[int]) -> bool:
    """Return whether two of the variables are not adjacent."""
    return any(variables & ~adjacent[v] & ~(1 << v) for v in variables_in(variables))


_Signature = tuple[int, ...]
"""The skeleton as a set of pairs, then the v-structures of each child as a set of pairs."""


class _Signatures:
    """Computes what identifies the class of a member, given the positions of its families."""

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
        return (skeleton, *[self._couples[place] & ~skeleton for place in places])


def _pair(one: int, other: int, count: int) -> int:
    """Return the number of an unordered pair of variables."""
    return min(one, other) * count + max(one, other)


class _Group:
    """The members of one class so far, and the families of the first one."""

    def __init__(self, example: list[int]) -> None:
        self.example = example
        self.networks = 0
        self.weight = 0
        self.best_cost = inf

    def add(self, cost: float, excess: float) -> None:
        self.networks += 1
        self.weight += int(ldexp(exp(-excess), _WEIGHT_BITS))
        self.best_cost = min(self.best_cost, cost)
