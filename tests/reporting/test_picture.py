"""Pictures: nodes and arcs are where the layout puts them, with the looks of their relations."""

from typing import Any

import pytest

from noisyor.reporting import report_content
from noisyor.reporting.arc_paths import head_path, line_path
from noisyor.reporting.layout import lay_out
from noisyor.reporting.picture import kinds_of, picture_of
from noisyor.reporting.relation_style import style_of
from noisyor.reporting.routes import COLUMNS, ROWS, Route
from tests.reporting.credible_sets import small_data, small_set


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    return report_content(small_set(small_data()), small_data(), {})


def test_a_line_is_vertical_at_its_ends_and_where_it_passes_a_layer() -> None:
    route = Route((10, 20), ((50, 112),), (30, 180), starts_forward=True, ends_forward=True)
    assert line_path(route, ROWS) == "M10 20C10 56 50 56 50 92V132C50 152 30 152 30 172"


def test_a_line_is_horizontal_there_if_layers_are_columns() -> None:
    route = Route((62, 20), ((300, 60),), (500, 40), starts_forward=True, ends_forward=True)
    assert line_path(route, COLUMNS) == "M62 20C150 20 150 60 238 60H362C427 60 427 40 492 40"
    assert head_path(route, COLUMNS) == "M500 40l-9 -4.5v9z"


def test_arrowheads_touch_the_child_and_point_at_it() -> None:
    layout = lay_out(2, [(0, 1)], {(0, 1): 1.0, (1, 0): 0.1})
    (x, y), (_, top) = layout.nodes[1], layout.nodes[0]
    assert head_path(layout.routes[0, 1], ROWS) == f"M{x} {y - 20:.0f}l-4.5 -9h9z"
    assert head_path(layout.routes[1, 0], ROWS).startswith(f"M{x + 8} {top + 20:.0f}l-4.5 9")


def test_a_node_is_drawn_as_what_most_of_the_weight_makes_it(content: dict[str, Any]) -> None:
    assert kinds_of(content, 1) == {"root": 0.75, "cpt": 0.25}
    assert kinds_of(content, 2) == {"root": 0.0, "noisy-or": 0.9, "cpt": 0.1}
    styles = [node["style"] for node in picture_of(content)["nodes"]]
    assert styles == [style_of("root"), style_of("root"), style_of("noisy-or")]


def test_a_strip_says_how_the_relations_are_shared_where_they_are(content: dict[str, Any]) -> None:
    flu, cold, cough = picture_of(content)["nodes"]
    assert flu["mix"] == []
    assert cold["mix"] == [
        {"style": style_of("root"), "x": "-32", "width": "48"},
        {"style": style_of("cpt"), "x": "16", "width": "16"},
    ]
    assert [part["style"] for part in cough["mix"]] == [style_of("noisy-or"), style_of("cpt")]


def test_the_heaviest_arcs_are_drawn_last(content: dict[str, Any]) -> None:
    arcs = picture_of(content)["arcs"]
    assert [(arc["parent"], arc["child"], arc["shown"]) for arc in arcs] == [
        (0, 1, False),
        (1, 2, True),
        (0, 2, True),
    ]
    assert picture_of(content)["status"] == (
        "The averaged network: 2 arcs of 3 with at least 50% of the weight."
    )
