"""Rows of very many nodes: parents above children, no row too full, and nothing overlaps."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.reporting.compact_rows import compact_rows, rows_of
from tests.support.effort import scaled

Arc = tuple[int, int]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Arc]]:
    count = draw(st.integers(1, 30))
    order = draw(st.permutations(range(count)))
    places = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(places, places), max_size=60))
    arcs = {(order[min(one)], order[max(one)]) for one in pairs if one[0] != one[1]}
    return count, sorted(arcs)


@settings(max_examples=scaled(80))
@given(graphs(), st.integers(1, 8))
def test_parents_are_above_their_children_in_rows_that_are_not_too_full(
    graph: tuple[int, list[Arc]], most: int
) -> None:
    count, arcs = graph
    rows = rows_of(count, arcs, most)
    assert all(rows[parent] < rows[child] for parent, child in arcs)
    assert max(rows.count(row) for row in rows) <= most
    assert set(rows) == set(range(max(rows) + 1))
    joined = {node for arc in arcs for node in arc}
    lowest = max((rows[node] for node in joined), default=-1)
    assert all(rows[node] > lowest for node in range(count) if node not in joined)


@settings(max_examples=scaled(60))
@given(graphs())
def test_nodes_of_a_row_are_apart(graph: tuple[int, list[Arc]]) -> None:
    count, arcs = graph
    xs, rows = compact_rows(count, arcs, 10.0, 6)
    assert min(xs) == 0
    for row in set(rows):
        places = sorted(x for x, own in zip(xs, rows, strict=True) if own == row)
        assert all(after - before >= 10 - 1e-9 for before, after in pairwise(places))


def test_a_parent_is_close_to_its_children() -> None:
    arcs = [(0, child) for child in (1, 2, 3)] + [(4, child) for child in (5, 6, 7)]
    xs, rows = compact_rows(8, arcs, 10.0, 4)
    for parent, children in ((0, (1, 2, 3)), (4, (5, 6, 7))):
        near = [xs[child] for child in children]
        assert min(near) - 10 <= xs[parent] <= max(near) + 10
        assert all(rows[child] > rows[parent] for child in children)


def test_a_node_without_parents_goes_down_to_its_children() -> None:
    chain = [(0, 1), (1, 2), (2, 3)]
    assert rows_of(5, [*chain, (4, 3)], 4) == [0, 1, 2, 3, 2]


def test_nodes_without_arcs_are_below_the_middle() -> None:
    xs, rows = compact_rows(4, [(0, 1)], 10.0, 4)
    assert rows == [0, 1, 2, 2]
    assert xs[0] == pytest.approx((xs[2] + xs[3]) / 2)
