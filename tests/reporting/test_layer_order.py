"""Stops are ordered so that few edges cross."""

from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.reporting.layer_order import crossings, layer_order
from tests.support.effort import scaled

Edge = tuple[int, int]


def naive_crossings(rows: list[list[int]], edges: list[Edge]) -> int:
    """Count the pairs of edges that cross, by definition."""
    place = {stop: at for row in rows for at, stop in enumerate(row)}
    layer = {stop: at for at, row in enumerate(rows) for stop in row}
    return sum(
        (place[a] - place[c]) * (place[b] - place[d]) < 0
        for at, (a, b) in enumerate(edges)
        for c, d in edges[:at]
        if layer[a] == layer[c]
    )


def below_of(count: int, edges: list[Edge]) -> list[list[int]]:
    below: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in edges:
        below[upper].append(lower)
    return below


@st.composite
def layered(draw: st.DrawFn) -> tuple[list[int], list[Edge]]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    layers = [layer for layer, size in enumerate(sizes) for _ in range(size)]
    possible = [
        (one, other)
        for one, other in product(range(len(layers)), repeat=2)
        if layers[other] == layers[one] + 1
    ]
    edges = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    return layers, edges


@settings(max_examples=scaled(100))
@given(layered())
def test_each_layer_has_its_own_stops_and_crossings_are_counted(
    graph: tuple[list[int], list[Edge]],
) -> None:
    layers, edges = graph
    rows = layer_order(layers, edges)
    assert [sorted(row) for row in rows] == [
        [stop for stop, own in enumerate(layers) if own == layer]
        for layer in range(max(layers) + 1)
    ]
    below = below_of(len(layers), edges)
    assert crossings(rows, below) == naive_crossings(rows, edges)
    unordered = [sorted(row) for row in rows]
    assert crossings(unordered, below) == naive_crossings(unordered, edges)


def test_small_graphs_are_nearly_always_as_good_as_possible() -> None:
    random = np.random.default_rng(2)
    worse = 0
    for _ in range(25):
        layers = [0] * 3 + [1] * 4 + [2] * 3
        edges = [
            (one, other)
            for one, other in product(range(10), repeat=2)
            if layers[other] == layers[one] + 1 and random.random() < 0.4
        ]
        groups = [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9]]
        least = min(
            naive_crossings([list(row) for row in rows], edges)
            for rows in product(*(permutations(group) for group in groups))
        )
        found = naive_crossings(layer_order(layers, edges), edges)
        assert found <= least + 1
        worse += found > least
    assert worse <= 3


@pytest.mark.parametrize("depth", [2, 5])
def test_a_tree_has_no_crossings(depth: int) -> None:
    random = np.random.default_rng(depth)
    names = random.permutation(2 ** (depth + 1) - 1).tolist()
    layers = [0] * len(names)
    edges = []
    for at in range(1, len(names)):
        layers[names[at]] = (at + 1).bit_length() - 1
        edges.append((names[(at - 1) // 2], names[at]))
    rows = layer_order(layers, edges)
    assert crossings(rows, below_of(len(names), edges)) == 0


def test_chains_run_side_by_side() -> None:
    chains = [[3 * at + own for at in range(4)] for own in (2, 0, 1)]
    layers = [stop // 3 for stop in range(12)]
    edges = [edge for chain in chains for edge in pairwise(chain)]
    assert crossings(layer_order(layers, edges), below_of(12, edges)) == 0
