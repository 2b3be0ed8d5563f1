"""Pictures: parents above children, without overlaps, and everything inside the frame."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.reporting.arc_paths import line_path
from noisyor.reporting.layout import MARGIN, MOST_ROUTED, TITLE_HEIGHT, Layout, lay_out
from noisyor.reporting.routes import NODE_HEIGHT, NODE_WIDTH
from tests.support.effort import scaled

Arc = tuple[int, int]


def check_nodes_apart(layout: Layout) -> None:
    for one, other in combinations(layout.nodes, 2):
        across, along = abs(one[0] - other[0]), abs(one[1] - other[1])
        assert across >= NODE_WIDTH + 8 or along >= NODE_HEIGHT + 8
    for x, y in layout.nodes:
        assert NODE_WIDTH / 2 + MARGIN - 1 <= x <= layout.width - NODE_WIDTH / 2 - MARGIN + 1
        assert NODE_HEIGHT / 2 + MARGIN - 1 <= y <= layout.height - NODE_HEIGHT / 2 - MARGIN + 1


def check_passes_avoid_nodes(layout: Layout) -> None:
    for route in layout.routes.values():
        for x, y in route.passes:
            in_the_way = [
                node
                for node in layout.nodes
                if abs(node[0] - x) < NODE_WIDTH / 2 and abs(node[1] - y) < NODE_HEIGHT / 2
            ]
            assert in_the_way == []
            assert 0 <= x <= layout.width
            assert 0 <= y <= layout.height


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[Arc], dict[Arc, float]]:
    count = draw(st.integers(1, 12))
    order = draw(st.permutations(range(count)))
    pairs = list(combinations(order, 2))
    best = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    anywhere = [(a, b) for a in range(count) for b in range(count) if a != b]
    others = draw(st.lists(st.sampled_from(anywhere), unique=True)) if pairs else []
    weights = {arc: draw(st.floats(0, 1)) for arc in dict.fromkeys((*best, *others))}
    return count, best, weights


@settings(max_examples=scaled(60))
@given(graphs())
def test_any_graph_gets_a_readable_layout(graph: tuple[int, list[Arc], dict[Arc, float]]) -> None:
    count, best, weights = graph
    layout = lay_out(count, best, weights)
    assert set(layout.routes) == set(weights)
    check_nodes_apart(layout)
    check_passes_avoid_nodes(layout)
    for parent, child in best:
        route = layout.routes[parent, child]
        assert layout.nodes[parent][1] < layout.nodes[child][1]
        assert route.starts_forward
        assert route.ends_forward
        ys = [route.start[1], *(y for _, y in route.passes), route.tip[1]]
        assert ys == sorted(ys)
    for (parent, child), route in layout.routes.items():
        assert abs(route.start[0] - layout.nodes[parent][0]) <= NODE_WIDTH / 2
        assert abs(route.tip[0] - layout.nodes[child][0]) <= NODE_WIDTH / 2
        assert abs(route.tip[1] - layout.nodes[child][1]) == NODE_HEIGHT / 2


def test_very_many_nodes_get_a_layout_about_as_high_as_wide() -> None:
    random = np.random.default_rng(5)
    count = 400
    best: list[Arc] = [
        (int(parent), child)
        for child in range(1, count)
        for parent in set(random.integers(child, size=random.integers(4)).tolist())
    ]
    weights = dict.fromkeys(best, 0.8) | {(child, parent): 0.2 for parent, child in best[:50]}
    layout = lay_out(count, best, weights)
    assert set(layout.routes) == set(weights)
    check_nodes_apart(layout)
    assert all(layout.nodes[parent][1] < layout.nodes[child][1] for parent, child in best)
    assert all(route.passes == () for route in layout.routes.values())
    assert 0.5 < layout.width / layout.height < 2


def test_a_chain_is_a_straight_line() -> None:
    layout = lay_out(3, [(0, 1), (1, 2)], {(0, 1): 1.0, (1, 2): 1.0})
    assert len({x for x, _ in layout.nodes}) == 1
    assert [y for _, y in layout.nodes] == sorted(y for _, y in layout.nodes)
    assert layout.width == NODE_WIDTH + 2 * MARGIN


def test_a_common_child_is_in_the_middle_of_its_parents() -> None:
    layout = lay_out(3, [(0, 2), (1, 2)], {(0, 2): 1.0, (1, 2): 1.0})
    (left, top), (right, also_top), (middle, _) = layout.nodes
    assert top == also_top
    assert middle == pytest.approx((left + right) / 2, abs=1)


def test_parents_enter_in_the_order_that_they_stand_in() -> None:
    best = [(0, 3), (1, 3), (2, 3)]
    layout = lay_out(4, best, dict.fromkeys(best, 1.0))
    from_left = sorted(range(3), key=lambda node: layout.nodes[node][0])
    tips = [layout.routes[node, 3].tip[0] for node in from_left]
    assert tips == sorted(tips)
    assert len(set(tips)) == 3


def test_both_directions_of_an_arc_can_be_told_apart() -> None:
    layout = lay_out(2, [(0, 1)], {(0, 1): 0.6, (1, 0): 0.4})
    down, up = layout.routes[0, 1], layout.routes[1, 0]
    assert (down.starts_forward, up.starts_forward) == (True, False)
    assert abs(down.start[0] - up.tip[0]) >= 6


def test_an_arc_between_nodes_of_a_layer_hangs_below_it_inside_the_picture() -> None:
    layout = lay_out(2, [], {(0, 1): 0.3})
    route = layout.routes[0, 1]
    assert layout.nodes[0][1] == layout.nodes[1][1]
    assert (route.starts_forward, route.ends_forward) == (True, False)
    lowest = max(float(part) for part in line_path(route, layout.grid).split("C")[1].split()[1::2])
    assert route.tip[1] < lowest <= layout.height


def test_an_arc_across_a_layer_is_drawn_beside_the_node_there() -> None:
    best = [(0, 1), (1, 2), (0, 2)]
    layout = lay_out(3, best, dict.fromkeys(best, 1.0))
    ((x, y),) = layout.routes[0, 2].passes
    assert y == layout.nodes[1][1]
    assert abs(x - layout.nodes[1][0]) > NODE_WIDTH / 2
    assert f"V{y + NODE_HEIGHT / 2:.0f}" in line_path(layout.routes[0, 2], layout.grid)


def test_many_single_nodes_are_wrapped() -> None:
    layout = lay_out(30, [], {})
    check_nodes_apart(layout)
    assert layout.width < 1400
    assert len({y for _, y in layout.nodes}) > 2


@given(graphs(), st.data())
@settings(max_examples=scaled(40), deadline=None)
def test_tiers_are_columns_from_left_to_right(
    graph: tuple[int, list[Arc], dict[Arc, float]], data: st.DataObject
) -> None:
    count, best, _ = graph
    splits = data.draw(st.lists(st.sampled_from(range(count)), max_size=2))
    tiers = [sum(node >= split for split in splits) for node in range(count)]
    arcs = [(one, other) for one, other in best if tiers[one] <= tiers[other]]
    layout = lay_out(count, arcs, dict.fromkeys(arcs, 1.0), tiers)
    check_nodes_apart(layout)
    check_passes_avoid_nodes(layout)
    check_tiers(layout, tiers)
    assert layout.routes.keys() == set(arcs)
    for (parent, child), route in layout.routes.items():
        assert layout.nodes[parent][0] < layout.nodes[child][0]
        assert route.start[0] == layout.nodes[parent][0] + NODE_WIDTH / 2
        assert route.tip[0] == layout.nodes[child][0] - NODE_WIDTH / 2
        assert abs(route.tip[1] - layout.nodes[child][1]) <= NODE_HEIGHT / 2
        xs = [route.start[0], *(x for x, _ in route.passes), route.tip[0]]
        assert xs == sorted(xs)


def check_tiers(layout: Layout, tiers: list[int]) -> None:
    """Check that each node is between the ends of its tier, and below its title."""
    assert layout.tiers[0][0] == 0
    assert layout.tiers[-1][1] == layout.width
    assert all(one[1] == other[0] for one, other in pairwise(layout.tiers))
    present = sorted(set(tiers))
    assert len(layout.tiers) == len(present)
    for (x, y), tier in zip(layout.nodes, tiers, strict=True):
        left, right = layout.tiers[present.index(tier)]
        assert left + NODE_WIDTH / 2 < x < right - NODE_WIDTH / 2
        assert y - NODE_HEIGHT / 2 >= layout.title_height >= TITLE_HEIGHT


def test_tiers_of_very_many_nodes_are_columns_too() -> None:
    count = MOST_ROUTED + 50
    best = [(node // 2, node) for node in range(1, count)]
    tiers = [0 if node < 40 else 1 if node < 100 else 2 for node in range(count)]
    layout = lay_out(count, best, dict.fromkeys(best, 1.0), tiers)
    check_nodes_apart(layout)
    check_tiers(layout, tiers)
    for parent, child in best:
        if tiers[parent] == tiers[child]:
            assert layout.nodes[parent][1] < layout.nodes[child][1]


def test_an_arc_within_a_column_bows_out_of_it_to_the_right() -> None:
    layout = lay_out(3, [(0, 2)], {(0, 2): 1.0, (0, 1): 0.3}, [0, 0, 1])
    route = layout.routes[0, 1]
    assert layout.nodes[0][0] == layout.nodes[1][0]
    right = max(float(part) for part in line_path(route, layout.grid).split("C")[1].split()[::2])
    assert route.tip[0] < right < layout.nodes[2][0] - NODE_WIDTH / 2


def test_without_tiers_no_room_is_left_for_titles() -> None:
    layout = lay_out(2, [(0, 1)], {(0, 1): 1.0})
    assert (layout.tiers, layout.title_height) == ((), 0)
    assert min(y for _, y in layout.nodes) == NODE_HEIGHT / 2 + MARGIN
