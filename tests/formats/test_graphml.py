"""Graphs for other programs: their content, and that networkx reads every name back."""

import io
import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import Network, NoisyOr
from noisyor.formats.graphml import graphml_text
from tests.formats.networks import AWKWARD_TEXTS, networks
from tests.formats.small_networks import clinic, pair
from tests.support.effort import scaled


def read(text: str) -> "nx.Graph[str]":
    """Return the graph as networkx reads it from the bytes of a file."""
    graph = nx.read_graphml(io.BytesIO(text.encode()))
    assert graph.is_directed()
    return graph


def text_of(node: dict[str, str], key: str) -> str:
    """Return an attribute in full, as the documentation says."""
    exact: dict[str, str] = json.loads(node.get("exact", "{}"))
    return exact.get(key, node[key])


def test_nodes_and_edges_have_what_they_need() -> None:
    graph = read(graphml_text(clinic()))
    assert {node: graph.nodes[node] for node in graph.nodes} == {
        "n0": {"name": "flu", "relation": "cpt", "absent": "no", "present": "yes"},
        "n1": {"name": "cold", "relation": "cpt", "absent": "no", "present": "yes"},
        "n2": {"name": "cough", "relation": "noisy-or", "absent": "0", "present": "1"},
        "n3": {
            "name": "fever",
            "relation": "leaky-noisy-or",
            "absent": "absent",
            "present": "present",
            "leak": 0.125,
        },
        "n4": {"name": "bed rest", "relation": "cpt", "absent": "up", "present": "in bed"},
    }
    assert {(one, other): data for one, other, data in graph.edges(data=True)} == {
        ("n0", "n2"): {"strength": 0.75},
        ("n1", "n2"): {"strength": 0.5},
        ("n0", "n3"): {"strength": 0.875},
        ("n0", "n4"): {},
        ("n2", "n4"): {},
    }


def test_a_leak_of_numpy_is_a_number() -> None:
    network = clinic()
    distributions = tuple(
        NoisyOr(one.q, np.float64(0.25))
        if isinstance(one, NoisyOr) and one.leak_q is not None
        else one
        for one in network.distributions
    )
    graph = read(graphml_text(replace(network, distributions=distributions)))
    assert graph.nodes["n3"]["leak"] == 0.75


def test_what_xml_cannot_hold_is_shown_and_kept_aside() -> None:
    text = graphml_text(pair("bell\x07", "x", ("a\0", "\0")))
    node = read(text).nodes["n0"]
    assert node["name"] == "bell\ufffd"
    assert (node["absent"], node["present"]) == ("a\ufffd", "\ufffd")
    assert json.loads(node["exact"]) == {"name": "bell\x07", "absent": "a\0", "present": "\0"}
    assert "exact" not in read(graphml_text(clinic())).nodes["n0"]


def test_names_that_look_alike_stay_different() -> None:
    graph = read(graphml_text(pair("a\x07", "a\x08")))
    assert [text_of(graph.nodes[node], "name") for node in ("n0", "n1")] == ["a\x07", "a\x08"]


@pytest.mark.parametrize("text", AWKWARD_TEXTS)
def test_awkward_texts_come_back(text: str) -> None:
    graph = read(graphml_text(pair("a cause", text, ("other", text))))
    assert text_of(graph.nodes["n1"], "name") == text
    assert text_of(graph.nodes["n1"], "present") == text


@settings(max_examples=scaled(100))
@given(network=networks())
def test_networkx_reads_the_whole_network(network: Network) -> None:
    graph = read(graphml_text(network))
    assert list(graph.nodes) == [f"n{variable}" for variable in range(len(network.names))]
    for variable, name in enumerate(network.names):
        node = graph.nodes[f"n{variable}"]
        assert text_of(node, "name") == name
        assert (text_of(node, "absent"), text_of(node, "present")) == network.states[variable]
        assert node["relation"] == network.structure.families[variable].relation.name
    strengths: dict[tuple[str, str], float | None] = {}
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        for place, parent in enumerate(family.parent_indices()):
            strength = 1 - distribution.q[place] if isinstance(distribution, NoisyOr) else None
            strengths[f"n{parent}", f"n{family.child}"] = strength
    assert {edge: graph.edges[edge].get("strength") for edge in graph.edges} == strengths
