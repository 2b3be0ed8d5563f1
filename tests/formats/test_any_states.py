"""Networks whose variables have any number of states, in every format that can hold them."""

import json
import re
import warnings
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

from noisyor.cli import app
from noisyor.core import (
    Cpt,
    Family,
    FormatError,
    Network,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.relations import NOISY_AND, SIGNED_NOISY_OR, CauseDistribution
from noisyor.core.warning import ConversionWarning
from noisyor.formats.bif import bif_text, parse_bif
from noisyor.formats.dot import dot_text
from noisyor.formats.graphml import graphml_text
from noisyor.formats.hugin import hugin_text
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.parsed_network import to_network
from noisyor.formats.uai import uai_text
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from noisyor.interop.jgum import jgum_bytes
from noisyor.interop.networkx_graph import to_networkx
from noisyor.interop.pgmpy_network import from_pgmpy, to_pgmpy
from noisyor.interop.pyagrum_loading import load_pyagrum
from noisyor.interop.pyagrum_network import from_pyagrum, to_pyagrum
from tests.formats.networks import discrete_networks, fits_noisymax, marked, written_out
from tests.support.effort import scaled

WEATHER = Network.from_tables(
    (
        Variable("sky", ("clear", "cloudy", "dark"), ordered=True),
        Variable("wind", ("calm", "storm")),
        Variable("walk", ("none", "short", "long")),
    ),
    ((), (), (1, 0)),
    (
        [0.5, 0.25, 0.25],
        [0.75, 0.25],
        [
            [[0.125, 0.25, 0.625], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]],
            [[0.75, 0.25, 0.0], [0.875, 0.125, 0.0], [1.0, 0.0, 0.0]],
        ],
    ),
    Provenance("0.1.0"),
)
"""The walk lists its parents as wind and sky; the network's own order is sky, wind."""


def as_tables(network: Network) -> Network:
    """Return what a file of tables gives back: no relations, no order of states, no cost."""
    tables = written_out(network)
    return replace(
        tables,
        variables=tuple(replace(one, ordered=False) for one in network.variables),
        cost=network.cost if tables == network else None,
    )


def assert_same(found: Network, expected: Network) -> None:
    """Check that all is equal, except for one rounding of the probabilities."""
    assert found.structure == expected.structure
    assert found.variables == expected.variables
    assert (found.cost, found.provenance) == (expected.cost, expected.provenance)
    for one, other in zip(found.distributions, expected.distributions, strict=True):
        assert np.abs(one.expand().table - other.expand().table).max() <= 1e-15
        assert np.array_equal(one.expand().unseen, other.expand().unseen)
        assert [cause.unseen for cause in one.causes()] == [
            cause.unseen for cause in other.causes()
        ]


@settings(max_examples=scaled(200))
@given(network=marked(discrete_networks()))
def test_json_gives_back_an_equal_network(network: Network) -> None:
    assert parse_network_json(network_json(network)) == network


@settings(max_examples=scaled(100))
@given(network=discrete_networks().filter(lambda one: not one.is_binary))
def test_bif_gives_back_the_same_distribution(network: Network) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        text = bif_text(network)
    assert_same(to_network(parse_bif(text)), as_tables(network))


@settings(max_examples=scaled(100))
@given(network=marked(discrete_networks(least_states=2)))
def test_xdsl_gives_back_the_same_distribution(network: Network) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        text = xdsl_text(network)
    kept = written_out(network, lambda _, one: fits_noisymax(one))
    expected = kept if kept == network else replace(kept, cost=None)
    assert_same(to_network(parse_xdsl(text)), expected)


def test_a_noisy_or_that_xdsl_holds_as_a_table_takes_the_cost_away() -> None:
    cause, effect = Variable("cause", ("no", "some", "much")), Variable("effect")
    structure = Structure(("cause", "effect"), (Family(0, 0), Family(1, 1, SIGNED_NOISY_OR)))
    acting = SIGNED_NOISY_OR.distribution([0.5, 0.25, 0.75, 1.0], 2, (3,))  # in all its states
    given = (Cpt.from_axes([0.5, 0.25, 0.25]), acting)
    network = Network(structure, (cause, effect), given, 12.5, Provenance("0.1.0"))
    with pytest.warns(ConversionWarning, match="effect"):
        text = xdsl_text(network)
    assert to_network(parse_xdsl(text)).cost is None


def test_parents_may_be_listed_in_any_order_in_json() -> None:
    document = json.loads(network_json(WEATHER))
    walk = document["variables"][2]
    assert walk["parents"] == ["sky", "wind"]
    assert walk["distribution"]["chances"][:3] == [
        [0.125, 0.25, 0.625],  # clear and calm
        [0.25, 0.25, 0.5],  # cloudy and calm
        [0.5, 0.25, 0.25],
    ]
    rows = walk["distribution"]["chances"]
    walk["parents"] = ["wind", "sky"]
    walk["distribution"]["chances"] = [
        rows[sky + 3 * wind] for sky in range(3) for wind in range(2)
    ]
    assert parse_network_json(json.dumps(document)) == WEATHER


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"chances": [[0.5, 0.5, 0.0]]}, r"chances has 1 rows; 2 parents need 6"),
        ({"chances": [[0.5, 0.5]] * 6}, r"chances\[0\] has 2 numbers; the variable has 3 states"),
        ({"chances": [[0.5, 0.5, 0.5]] * 6}, r"chances\[0\] sums to 1.5; it must be 1"),
        ({"chances": [[0.5, 0.5, -1]] * 6}, r"chances\[0\]\[2\] is -1"),
        ({"chances": None, "present": [0.5] * 6}, r"distribution lacks 'chances'"),
        (
            {"relation": "noisy-or", "chances": None, "q": {"sky": 0.5, "wind": 0.5}},
            "is noisy-or, which is not defined for variables with these states",
        ),
    ],
)
def test_what_is_no_table_of_the_states_is_refused(
    change: dict[str, object], complaint: str
) -> None:
    document = json.loads(network_json(WEATHER))
    changed = document["variables"][2]["distribution"] | change
    document["variables"][2]["distribution"] = {
        key: value for key, value in changed.items() if value is not None
    }
    with pytest.raises(FormatError, match=complaint):
        parse_network_json(json.dumps(document))


def test_states_in_json_are_different_and_an_order_is_true_or_false() -> None:
    text = network_json(WEATHER)
    with pytest.raises(FormatError, match=r"variables\[0\].states: two states of 'sky'"):
        parse_network_json(text.replace('"cloudy"', '"clear"'))
    with pytest.raises(FormatError, match=r"variables\[0\].ordered is 1; expected: true or false"):
        parse_network_json(text.replace('"ordered": true', '"ordered": 1'))


def test_hugin_nests_the_lists_of_every_parent() -> None:
    text = hugin_text(WEATHER)
    assert 'states = ( "clear" "cloudy" "dark" );' in text
    assert 'states = ( "storm" "calm" );' in text  # with two states, present comes first
    data = text[text.index("potential ( walk | sky wind )") :].split("\n", 2)[2]
    # Sky varies slowest, wind fastest, and storm is the first state of wind.
    assert re.sub(r"\s+", " ", data) == (
        " data = ((( 0.75 0.25 0.0 ) ( 0.125 0.25 0.625 )) "
        "(( 0.875 0.125 0.0 ) ( 0.25 0.25 0.5 )) "
        "(( 1.0 0.0 0.0 ) ( 0.5 0.25 0.25 ))); } "
    )


def test_uai_has_the_number_of_states() -> None:
    lines = uai_text(WEATHER).split("\n")
    assert lines[:4] == ["BAYES", "3", "3 2 3", "3"]
    assert lines[-9:-1] == [
        "",
        "18",
        " 0.125 0.25 0.625",
        " 0.75 0.25 0.0",
        " 0.25 0.25 0.5",
        " 0.875 0.125 0.0",
        " 0.5 0.25 0.25",
        " 1.0 0.0 0.0",
    ]


def test_drawings_have_all_nodes() -> None:
    assert dot_text(WEATHER).count("label=") == 3
    graph = nx.parse_graphml(graphml_text(WEATHER))
    assert json.loads(graph.nodes["n0"]["states"]) == ["clear", "cloudy", "dark"]
    assert (graph.nodes["n1"]["absent"], graph.nodes["n1"]["present"]) == ("calm", "storm")


def test_other_libraries_have_all_states() -> None:
    model = to_pgmpy(WEATHER)
    assert model.check_model()
    cpd = model.get_cpds("walk")
    assert cpd.state_names["sky"] == ["clear", "cloudy", "dark"]
    assert cpd.state_names["wind"] == ["storm", "calm"]
    assert cpd.values[:, 1, 0].tolist() == [0.875, 0.125, 0.0]  # cloudy, and a storm
    read = load_pyagrum().BayesNet()
    read.loadGUMstring(jgum_bytes(WEATHER).decode())
    for bn in (to_pyagrum(WEATHER), read):
        assert bn.variable("walk").labels() == ("none", "short", "long")
        assert bn.cpt("walk")[{"sky": 1, "wind": 1}].tolist() == [0.875, 0.125, 0.0]
    graph = to_networkx(WEATHER)
    assert graph.nodes["walk"]["chances"][4] == (0.875, 0.125, 0.0)  # sky varies fastest
    assert graph.nodes["wind"]["probabilities"] == (0.25,)


def test_other_libraries_give_back_all_states() -> None:
    expected = as_tables(WEATHER)
    for found in (from_pgmpy(to_pgmpy(WEATHER)), from_pyagrum(to_pyagrum(WEATHER))):
        assert_same(replace(found, provenance=expected.provenance), expected)


def test_labels_that_pyagrum_cannot_hold_are_numbered() -> None:
    odd = replace(WEATHER, variables=(Variable("sky", ("", "a\0", "b")), *WEATHER.variables[1:]))
    assert to_pyagrum(odd).variable("sky").labels() == ("state0", "state1", "state2")


def test_the_states_and_all_chances_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "weather.json"
    path.write_text(network_json(WEATHER), encoding="utf-8")
    shown = CliRunner().invoke(app, ["show", str(path), "--node", "walk"]).stdout
    assert "walk: none, short, long, cpt" in shown
    assert "P(none)" in shown
    assert "0.875" in shown
    assert "clear, cloudy, dark" in CliRunner().invoke(app, ["show", str(path)]).stdout
    nodes = json.loads(CliRunner().invoke(app, ["show", str(path), "--json"]).stdout)["nodes"]
    assert nodes[0]["states"] == ["clear", "cloudy", "dark"]
    assert nodes[2]["chances"][4] == [0.875, 0.125, 0.0]


COUGH = Network(
    Structure(
        ("smoking", "vaccine", "cough"),
        (Family(0, 0), Family(1, 0), Family(2, 0b011, SIGNED_NOISY_OR)),
    ),
    (
        Variable("smoking", ("never", "light", "heavy")),
        Variable("vaccine", ("no", "yes")),
        Variable("cough", ("none", "mild", "severe"), ordered=True),
    ),
    (
        Cpt.from_axes([0.5, 0.25, 0.25]),
        Cpt.binary([0.5]),
        CauseDistribution(
            SIGNED_NOISY_OR,
            [[1.0, 1.0], [0.75, 0.875], [0.5, 0.625], [0.25, 0.375], [1.0, 1.0], [0.9, 0.95]],
            (3, 2),
        ),
    ),
    None,
    Provenance("0.1.0"),
)
"""Every state of smoking and of the vaccine has a strength for each level of the cough."""


def test_json_names_the_states_of_causes_and_the_levels_of_their_effect() -> None:
    document = json.loads(network_json(COUGH))
    assert document["variables"][2]["distribution"] == {
        "relation": "signed-noisy-max",
        "q": {
            "smoking": {
                "never": {"mild": 1, "severe": 1},
                "light": {"mild": 0.75, "severe": 0.875},
                "heavy": {"mild": 0.5, "severe": 0.625},
            },
            "vaccine": {
                "no": {"mild": 0.25, "severe": 0.375},
                "yes": {"mild": 1, "severe": 1},
            },
        },
        "leak_q": {"mild": 0.9, "severe": 0.95},
    }
    assert parse_network_json(json.dumps(document)) == COUGH
    document["variables"][2]["parents"] = ["vaccine", "smoking"]
    assert parse_network_json(json.dumps(document)) == COUGH


def test_graphs_have_the_same_names() -> None:
    node = to_networkx(COUGH).nodes["cough"]
    said = json.loads(network_json(COUGH))["variables"][2]["distribution"]
    assert {key: node[key] for key in ("relation", "q", "leak_q")} == said
    assert nx.parse_graphml(graphml_text(COUGH)).nodes["n2"]["relation"] == "signed-noisy-max"


def test_json_counts_the_levels_of_a_minimum_down() -> None:
    families = (*COUGH.structure.families[:2], Family(2, 0b011, NOISY_AND))
    levels = [[0.125, 0.25], [0.375, 0.5], [0.625, 0.75]]
    least = CauseDistribution(NOISY_AND, levels, (3, 2))
    network = replace(
        COUGH,
        structure=Structure(COUGH.names, families),
        distributions=(*COUGH.distributions[:2], least),
    )
    text = network_json(network)
    distribution = json.loads(text)["variables"][2]["distribution"]
    assert distribution["relation"] == "noisy-min"
    assert distribution["q"]["smoking"] == {
        "never": {"mild": 0.125, "none": 0.25},
        "light": {"mild": 0.375, "none": 0.5},
    }
    assert distribution["q"]["vaccine"] == {"no": {"mild": 0.625, "none": 0.75}}
    assert parse_network_json(text) == network


@pytest.mark.parametrize(
    ("q", "complaint"),
    [
        ({"smoking": 0.5}, r"distribution.q must have one entry for each of: smoking, vaccine$"),
        (
            {"smoking": {"never": 1}, "vaccine": {}},
            r"distribution.q.smoking must have one entry for each of: never, light, heavy$",
        ),
        (
            {"smoking": dict.fromkeys(("never", "light", "heavy"), 0.5), "vaccine": {}},
            r"distribution.q.vaccine must have one entry for each of: no, yes$",
        ),
        (
            {
                "smoking": {one: {"mild": 1, "severe": 2} for one in ("never", "light", "heavy")},
                "vaccine": {one: {"mild": 1, "severe": 1} for one in ("no", "yes")},
            },
            r"q.smoking.never.severe is 2; a probability lies between 0 and 1$",
        ),
        (
            {
                "smoking": {one: {"mild": 1} for one in ("never", "light", "heavy")},
                "vaccine": {one: {"mild": 1, "severe": 1} for one in ("no", "yes")},
            },
            r"q.smoking.never must have one entry for each of: mild, severe$",
        ),
    ],
)
def test_causes_that_are_not_those_of_the_states_are_refused(
    q: dict[str, object], complaint: str
) -> None:
    document = json.loads(network_json(COUGH))
    document["variables"][2]["distribution"]["q"] = q
    with pytest.raises(FormatError, match=complaint):
        parse_network_json(json.dumps(document))
