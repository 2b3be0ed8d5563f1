"""What a file said of a network goes through noisyor's own JSON."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import FormatError, Network, Provenance, Variable
from noisyor.core.appearance import UNADORNED, Appearance, NodeAppearance, SourceDocument
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.tables_of import labels_in_file
from noisyor.formats.xdsl import xdsl_text
from tests.formats.networks import visible_texts
from tests.formats.test_xdsl_editing import PUMP, read
from tests.support.effort import scaled

WEATHER = Network.from_tables(
    (Variable("sky", ("clear", "cloudy", "dark")), Variable("wind", ("calm", "storm"))),
    ((), (0,)),
    ([0.5, 0.25, 0.25], [[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]),
    Provenance("test"),
)


def adorned(look: Appearance) -> Network:
    return replace(WEATHER, appearance=look)


def test_a_network_without_one_says_nothing() -> None:
    assert "appearance" not in json.loads(network_json(WEATHER))
    assert parse_network_json(network_json(WEATHER)).appearance is UNADORNED
    # Present first is what any file has.
    usual = Appearance(nodes={"wind": NodeAppearance(order=(1, 0)), "sky": NodeAppearance()})
    assert "appearance" not in json.loads(network_json(adorned(usual)))


def test_all_of_it_by_hand() -> None:
    wind = NodeAppearance("Wind", (0, 1), (1, 2.5, 3, 4), "ffffff", "000000", "0000ff", "How much")
    sky = NodeAppearance(order=(2, 0, 1))
    look = Appearance(
        "Weather", "in May", {"wind": wind, "sky": sky}, SourceDocument("xdsl", "<smile/>")
    )
    text = network_json(adorned(look))
    assert json.loads(text)["appearance"] == {
        "title": "Weather",
        "comment": "in May",
        "nodes": {
            "sky": {"states": ["dark", "clear", "cloudy"]},
            "wind": {
                "title": "Wind",
                "fill": "ffffff",
                "line": "000000",
                "text": "0000ff",
                "comment": "How much",
                "states": ["calm", "storm"],
                "box": [1, 2.5, 3, 4],
            },
        },
        "document": {"format": "xdsl", "text": "<smile/>"},
    }
    assert parse_network_json(text).appearance == look


def test_an_xdsl_file_comes_back_through_json() -> None:
    network = parse_network_json(network_json(read(PUMP)))
    assert xdsl_text(network) == PUMP
    assert [labels_in_file(network, v) for v in range(4)] == [
        ("None", "Some", "Much"),
        ("yes", "no"),
        ("Loud", "Low", "Silent"),
        ("on", "off"),
    ]


_looks = st.builds(
    NodeAppearance,
    title=st.none() | visible_texts,
    order=st.none() | st.permutations(range(3)).map(tuple),
    box=st.none() | st.tuples(*[st.integers(-999, 999).map(float)] * 4),
    fill=st.none() | st.just("00ff00"),
    comment=st.none() | visible_texts,
)


@settings(max_examples=scaled(50))
@given(look=_looks, title=st.none() | visible_texts)
def test_any_of_it_comes_back(look: NodeAppearance, title: str | None) -> None:
    network = adorned(Appearance(title, nodes={"sky": look}))
    found = parse_network_json(network_json(network))
    assert found == network
    assert found.appearance.title == title
    assert replace(found.appearance.of("sky"), order=None) == replace(look, order=None)
    assert labels_in_file(found, 0) == labels_in_file(network, 0)


@pytest.mark.parametrize(
    ("look", "complaint"),
    [
        ({"nodes": {"rain": {}}}, "appearance.nodes.rain is of a variable that the network does"),
        (
            {"nodes": {"sky": {"states": ["dark"]}}},
            "sky.states must list each of: clear, cloudy, d",
        ),
        ({"nodes": {"sky": {"box": [1, 2, 3]}}}, "sky.box has 3 numbers; a box has four edges"),
        ({"nodes": {"sky": {"box": [1, 2, 3, "x"]}}}, r"sky.box\[3\] is 'x'"),
        ({"nodes": {"sky": {"title": 1}}}, "sky.title is 1"),
        ({"document": {"format": "xdsl"}}, "appearance.document lacks 'text'"),
        ({"colour": "red"}, "appearance has the key 'colour'"),
    ],
)
def test_odd_ones_are_refused(look: dict[str, object], complaint: str) -> None:
    document = json.loads(network_json(WEATHER)) | {"appearance": look}
    with pytest.raises(FormatError, match=complaint):
        parse_network_json(json.dumps(document))
