"""A structure is a directed acyclic graph with a relation at each node."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import CPT, NOISY_OR, DataError, Family, Network, Provenance, Structure
from noisyor.core.variable import variables_of

NAMES = ("a", "b", "c")


def test_edges_come_back_by_name() -> None:
    edges = [("a", "b"), ("a", "c"), ("b", "c")]
    structure = Structure.from_edges(NAMES, edges)
    assert list(structure.edges()) == edges
    assert structure.families == (Family(0, 0), Family(1, 1), Family(2, 3))
    assert all(family.relation is CPT for family in structure.families)


def test_relations_are_part_of_the_value() -> None:
    full = Structure(("a", "b"), (Family(0, 0), Family(1, 1)))
    noisy = Structure(("a", "b"), (Family(0, 0), Family(1, 1, NOISY_OR)))
    assert full != noisy
    assert full == Structure.from_edges(("a", "b"), [("a", "b")])
    assert hash(full) == hash(Structure.from_edges(("a", "b"), [("a", "b")]))


def test_lists_become_tuples() -> None:
    families = [Family(0, 0)]
    structure = Structure(["a"], families)  # type: ignore[arg-type]
    families.append(Family(1, 0))
    assert structure.families == (Family(0, 0),)
    assert structure.names == ("a",)


def test_a_cycle_is_named() -> None:
    with pytest.raises(DataError, match="the edges form a directed cycle: c -> b -> c"):
        Structure.from_edges(NAMES, [("a", "b"), ("b", "c"), ("c", "b")])


def test_an_edge_to_itself_is_refused() -> None:
    with pytest.raises(DataError, match="an edge leads from 'b' to itself"):
        Structure.from_edges(NAMES, [("b", "b")])


def test_an_edge_of_no_variable_is_refused() -> None:
    with pytest.raises(DataError, match="'a' -> 'x' names 'x', which is not a variable; the graph"):
        Structure.from_edges(NAMES, [("a", "x")])


def test_one_family_per_variable_in_order() -> None:
    with pytest.raises(ValueError, match="in the variables' order"):
        Structure(("a", "b"), (Family(1, 0), Family(0, 0)))
    with pytest.raises(ValueError, match="a parent that is not a variable"):
        Structure(("a", "b"), (Family(0, 0b100), Family(1, 0)))


def test_order_takes_the_lowest_variable_that_is_ready() -> None:
    structure = Structure.from_edges(NAMES, [("c", "a")])
    assert structure.topological_order() == (1, 2, 0)


@given(st.permutations(range(6)), st.data())
def test_parents_come_first_in_the_order(order: list[int], data: st.DataObject) -> None:
    names = [f"v{i}" for i in range(6)]
    pairs = [(order[i], order[j]) for i in range(6) for j in range(i + 1, 6)]
    chosen = data.draw(st.sets(st.sampled_from(pairs)))
    structure = Structure.from_edges(names, [(names[p], names[c]) for p, c in chosen])
    found = structure.topological_order()
    assert sorted(found) == list(range(6))
    assert all(found.index(parent) < found.index(child) for parent, child in chosen)


def test_a_long_chain_is_ordered_and_checked_in_time() -> None:
    count = 20_000  # quadratic sweeps over a chain against its order would take hours
    names = tuple(f"v{v}" for v in range(count))
    chain = Structure(
        names, tuple(Family(v, 1 << v + 1 if v + 1 < count else 0) for v in range(count))
    )
    assert chain.topological_order() == tuple(reversed(range(count)))


def test_a_network_may_have_more_variables_than_a_table() -> None:
    names = tuple(f"v{v}" for v in range(1300))
    network = Network.from_tables(
        variables_of(names),
        [[], *[[v] for v in range(1299)]],
        [[0.5, 0.5], *[[[0.9, 0.1], [0.2, 0.8]]] * 1299],
        Provenance("test"),
    )
    assert network.names == names
