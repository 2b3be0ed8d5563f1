"""How two networks over the same variables differ."""

from itertools import product

import pytest

from noisyor.core import CPT, NOISY_OR, Family, MismatchError, Structure, cpdag
from noisyor.networks import compare
from noisyor.networks.comparison import RelationDifference

NAMES = ["a", "b", "c", "d"]


def graph(*edges: str, names: list[str] | None = None) -> Structure:
    return Structure.from_edges(names or NAMES, [(edge[0], edge[1]) for edge in edges])


def test_edges_are_added_missing_or_reversed() -> None:
    found = compare(graph("ab", "bc", "cd"), graph("ba", "bc", "ad"))
    assert found.edges.added == (("a", "d"),)
    assert found.edges.missing == (("c", "d"),)
    assert found.edges.reversed_edges == (("b", "a"),)
    assert found.edges.shd == 3
    assert found.shared == (("b", "c"),)


def test_a_network_does_not_differ_from_itself() -> None:
    found = compare(graph("ab", "cb", "cd"), graph("ab", "cb", "cd"))
    assert found.edges.shd == found.classes.shd == 0
    assert found.relations == ()


def test_equivalent_graphs_differ_in_edges_but_not_in_class() -> None:
    found = compare(graph("ab", "bc", "cd"), graph("dc", "cb", "ba"))
    assert found.edges.shd == 3
    assert found.classes.shd == 0


def test_a_new_collider_directs_edges_of_the_class() -> None:
    found = compare(graph("ab", "bc"), graph("ab", "cb"))
    assert found.edges.reversed_edges == (("c", "b"),)
    assert found.classes.directed == (("a", "b"), ("c", "b"))
    assert found.classes.shd == 2
    back = compare(graph("ab", "cb"), graph("ab", "bc"))
    assert back.classes.undirected == (("a", "b"), ("c", "b"))
    assert back.classes.shd == 2


def test_an_undirected_edge_is_told_once() -> None:
    found = compare(graph("ab"), graph("ab", "cd"))
    assert found.classes.added == (("c", "d"),)
    assert compare(graph("ab", "cd"), graph("ab")).classes.missing == (("c", "d"),)


def test_the_order_of_the_variables_does_not_matter() -> None:
    found = compare(graph("ab", "bc"), graph("ab", "bd", names=["d", "c", "b", "a"]))
    assert found.edges.added == (("b", "d"),)
    assert found.edges.missing == (("b", "c"),)


def test_relations_differ_where_parents_agree() -> None:
    names = ("a", "b", "c")
    first = Structure(names, (Family(0, 0), Family(1, 1), Family(2, 0b11)))
    second = Structure(names, (Family(0, 0), Family(1, 1, NOISY_OR), Family(2, 0b01, NOISY_OR)))
    assert compare(first, second).relations == (RelationDifference("b", CPT, NOISY_OR),)


def test_other_variables_are_refused() -> None:
    with pytest.raises(MismatchError, match="only one of them has: d, e"):
        compare(graph("ab"), graph("ab", names=["a", "b", "c", "e"]))


def test_distances_are_those_of_a_pair_by_pair_count() -> None:
    graphs = [
        Structure.from_edges(
            ["a", "b", "c"],
            [
                (pair[way - 1][0], pair[way - 1][1])
                for way, pair in zip(ways, [("ab", "ba"), ("ac", "ca"), ("bc", "cb")], strict=True)
                if way
            ],
        )
        for ways in product(range(3), repeat=3)
        if ways not in {(1, 2, 1), (2, 1, 2)}  # the two cycles
    ]
    assert len(graphs) == 25
    for one, other in product(graphs, repeat=2):
        found = compare(one, other)
        assert found.edges.shd == distance(set(one.edges()), set(other.edges()))
        assert found.classes.shd == distance(pattern(one), pattern(other))


def pattern(structure: Structure) -> set[tuple[str, str]]:
    """Return the class as arrows, an undirected edge as two."""
    found = cpdag(structure)
    return {*found.directed, *found.undirected, *((b, a) for a, b in found.undirected)}


def distance(one: set[tuple[str, str]], other: set[tuple[str, str]]) -> int:
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    return sum(
        ((x, y) in one, (y, x) in one) != ((x, y) in other, (y, x) in other) for x, y in pairs
    )
