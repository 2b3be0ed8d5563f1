"""Each node is in a layer below its parents, and cycles do not matter."""

from noisyor.reporting.layers import backbone_of, layers_of, parts_of


def test_heavy_arcs_join_the_backbone_unless_they_close_a_cycle() -> None:
    weights = {(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.7, (2, 3): 0.49}
    assert backbone_of(4, [(0, 1)], weights) == [(0, 1), (1, 2)]


def test_parts_are_connected_and_the_largest_comes_first() -> None:
    assert parts_of(6, [(4, 5), (1, 2), (2, 3)]) == [[1, 2, 3], [4, 5], [0]]


def test_nodes_without_parents_stand_just_above_their_children() -> None:
    layers = layers_of([0, 1, 2, 3], [(0, 1), (1, 2), (3, 2)])
    assert layers == {0: 0, 1: 1, 2: 2, 3: 1}
