"""How two networks over the same variables differ."""

from collections.abc import Callable
from dataclasses import dataclass

from noisyor.core import Cpdag, Family, MismatchError, Relation, Structure, cpdag
from noisyor.core.arguments import checked_arguments

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """The edges in which a second graph differs from a first, each (parent, child), in order.

    `reversed_edges` have the direction of the second. In class graphs a pair of variables may
    also be directed in one and undirected in the other: `undirected` pairs are directed in the
    first only, `directed` edges in the second only.
    """

    added: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    reversed_edges: tuple[Edge, ...]
    directed: tuple[Edge, ...] = ()
    undirected: tuple[Edge, ...] = ()

    @property
    def shd(self) -> int:
        """The structural Hamming distance: pairs of variables that are joined differently."""
        parts = (self.added, self.missing, self.reversed_edges, self.directed, self.undirected)
        return sum(map(len, parts))


@dataclass(frozen=True, slots=True)
class RelationDifference:
    """A node that has the same parents in both networks, but depends on them differently."""

    name: str
    first: Relation
    second: Relation


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a second structure differs from a first: as graphs, as equivalence classes, by relation.

    `classes` compares the CPDAGs of the graphs, with every node taken as a full table. Where a node
    is a noisy-OR, more directions of its edges may be identifiable.
    """

    edges: GraphDifference
    classes: GraphDifference
    relations: tuple[RelationDifference, ...]
    shared: tuple[Edge, ...]


@checked_arguments
def compare(first: Structure, second: Structure) -> Comparison:
    """Return how a second structure differs from a first.

    Parameters
    ----------
    first
        The reference, for example the true structure.
    second
        A structure of the same variables.

    Raises
    ------
    MismatchError
        The two have different variables.

    """
    if set(first.names) != set(second.names):
        odd = sorted(set(first.names) ^ set(second.names))
        raise MismatchError(
            f"the networks have different variables; only one of them has: {', '.join(odd)}"
        )
    one, other = set(first.edges()), set(second.edges())
    return Comparison(
        _difference(first, (one, set()), (other, set())),
        _difference(first, _class_of(first), _class_of(second)),
        tuple(_relation_differences(first, second)),
        tuple(sorted(one & other, key=_order(first))),
    )


_Graph = tuple[set[Edge], set[Edge]]
"""Directed edges, and undirected edges in both directions."""


def _class_of(structure: Structure) -> _Graph:
    tables = tuple(Family(family.child, family.parents) for family in structure.families)
    graph: Cpdag = cpdag(Structure(structure.names, tables))
    return set(graph.directed), {*graph.undirected, *((b, a) for a, b in graph.undirected)}


def _difference(order: Structure, first: _Graph, second: _Graph) -> GraphDifference:
    by_order = _order(order)

    def sorted_edges(edges: set[Edge]) -> tuple[Edge, ...]:
        # An undirected edge is listed in both directions: keep that of the earlier variable.
        kept = {
            edge
            for edge in edges
            if (edge[1], edge[0]) not in edges or by_order(edge) < by_order((edge[1], edge[0]))
        }
        return tuple(sorted(kept, key=by_order))

    (arrows, lines), (other_arrows, other_lines) = first, second
    joined = arrows | lines | {(b, a) for a, b in arrows}
    other_joined = other_arrows | other_lines | {(b, a) for a, b in other_arrows}
    return GraphDifference(
        added=sorted_edges((other_arrows | other_lines) - joined),
        missing=sorted_edges((arrows | lines) - other_joined),
        reversed_edges=sorted_edges({(a, b) for a, b in other_arrows if (b, a) in arrows}),
        directed=sorted_edges(other_arrows & lines),
        undirected=sorted_edges(arrows & other_lines),
    )


def _order(structure: Structure) -> Callable[[Edge], tuple[int, int]]:
    """Return the sort key that orders edges by their variables."""
    number = {name: place for place, name in enumerate(structure.names)}
    return lambda edge: (number[edge[0]], number[edge[1]])


def _relation_differences(first: Structure, second: Structure) -> list[RelationDifference]:
    differences = []
    for family in first.families:
        name = first.names[family.child]
        other = second.families[second.names.index(name)]
        parents = {first.names[parent] for parent in family.parent_indices()}
        same = parents == {second.names[parent] for parent in other.parent_indices()}
        if same and family.relation is not other.relation:
            differences.append(RelationDifference(name, family.relation, other.relation))
    return differences
