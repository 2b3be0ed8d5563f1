"""Nodes of a picture do not overlap, and arcs lead down between them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import Family, Structure
from noisyor.reporting.network_places import Places, Stop, places_of

GAP, LANE = 0.8, 0.6


@st.composite
def structures(draw: st.DrawFn) -> tuple[Structure, list[float]]:
    count = draw(st.integers(1, 9))
    order = draw(st.permutations(range(count)))
    families = []
    for place, child in enumerate(order):
        above = sum(1 << v for v in order[:place] if draw(st.booleans()) and draw(st.booleans()))
        families.append(Family(child, above))
    families.sort(key=lambda family: family.child)
    widths = draw(st.lists(st.floats(1, 12), min_size=count, max_size=count))
    return Structure(tuple(f"v{v}" for v in range(count)), tuple(families)), widths


def sides(places: Places, widths: list[float]) -> dict[int, list[tuple[float, float]]]:
    """Return for each layer the left and right ends of what is in it, from left to right."""
    rows: dict[int, list[tuple[float, float]]] = {}
    stops = [
        *zip(places.nodes, widths, strict=True),
        *((stop, LANE) for stops in places.passes.values() for stop in stops),
    ]
    for stop, width in stops:
        rows.setdefault(stop.layer, []).append((stop.x - width / 2, stop.x + width / 2))
    return {layer: sorted(row) for layer, row in rows.items()}


@given(structures())
def test_whatever_is_in_a_layer_keeps_its_distance_and_fits_the_width(
    drawn: tuple[Structure, list[float]],
) -> None:
    structure, widths = drawn
    places = places_of(structure, widths, GAP, LANE)
    rows = sides(places, widths)
    for row in rows.values():
        for (_, right), (left, _) in pairwise(row):
            assert left - right >= GAP - 1e-6
    assert min(row[0][0] for row in rows.values()) >= -1e-6
    assert max(row[-1][1] for row in rows.values()) <= places.width + 1e-6


@given(structures())
def test_an_arc_passes_every_layer_between_its_ends_once(
    drawn: tuple[Structure, list[float]],
) -> None:
    structure, widths = drawn
    places = places_of(structure, widths, GAP, LANE)
    arcs = {(p, family.child) for family in structure.families for p in family.parent_indices()}
    assert places.passes.keys() == arcs
    for (parent, child), stops in places.passes.items():
        layers = [places.nodes[parent].layer, *(s.layer for s in stops), places.nodes[child].layer]
        assert layers == list(range(layers[0], layers[-1] + 1))
        assert len(layers) >= 2


def test_nodes_without_arcs_fill_the_layer_with_most_room() -> None:
    structure = Structure.from_edges(["a", "b", "c", "d"], [("a", "b")])
    places = places_of(structure, [4.0, 2.0, 1.0, 6.0], gap=1.0, lane=0.5)
    # b is below the middle of a, so its layer ends at 3 and that of a at 4.
    assert places.nodes == (Stop(2.0, 0), Stop(2.0, 1), Stop(4.5, 1), Stop(8.0, 0))
    assert places.width == 11.0


def test_without_any_arc_there_is_one_row() -> None:
    places = places_of(Structure.from_edges(["a", "b"], []), [2.0, 3.0], gap=1.0, lane=0.5)
    assert places == Places((Stop(1.0, 0), Stop(4.5, 0)), {}, 6.0)


def test_parts_that_no_arc_joins_are_next_to_each_other() -> None:
    structure = Structure.from_edges(["a", "b", "c", "d"], [("a", "b"), ("c", "d")])
    places = places_of(structure, [2.0, 2.0, 4.0, 4.0], gap=1.0, lane=0.5)
    assert places.nodes == (Stop(1.0, 0), Stop(1.0, 1), Stop(5.0, 0), Stop(5.0, 1))
    assert places.width == 7.0
