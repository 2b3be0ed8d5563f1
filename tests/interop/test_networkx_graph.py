"""networkx: the graph, and the parameters as attributes."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import Cpt, Network, NoisyOr
from noisyor.interop import to_networkx
from tests.formats.networks import networks
from tests.interop.models import COUGH, star
from tests.support.effort import scaled


def test_nodes_and_edges_carry_their_parameters() -> None:
    graph = to_networkx(COUGH)
    assert list(graph) == ["cough", "flu", "cold", "fever"]
    assert graph.graph == {"cost": 12.5}
    assert dict(graph.nodes["fever"]) == {
        "relation": "cpt",
        "states": ("0", "1"),
        "parents": ("flu", "cold"),
        "probabilities": (0.05, 0.6, 0.1, 0.5),
        "unseen": (False, False, False, True),
    }
    assert dict(graph.nodes["cough"]) == {
        "relation": "leaky-noisy-or",
        "states": ("no", "yes"),
        "parents": ("flu", "cold"),
        "leak": pytest.approx(0.1),
    }
    assert {(above, child): dict(data) for above, child, data in graph.edges(data=True)} == {
        ("flu", "cough"): {"strength": 0.75},
        ("cold", "cough"): {"strength": 0.5},
        ("flu", "fever"): {},
        ("cold", "fever"): {},
    }


def test_a_noisy_or_without_leak_has_a_leak_of_zero() -> None:
    graph = to_networkx(star(2))
    assert graph.nodes["effect"]["leak"] == 0
    assert graph.nodes["effect"]["relation"] == "noisy-or"
    assert graph.edges["cause1", "effect"]["strength"] == 0.5


def test_attributes_are_plain_numbers() -> None:
    network = replace(star(1), distributions=(Cpt.binary([0.25]), NoisyOr(np.array([0.5]))))
    graph = to_networkx(network)
    assert type(graph.edges["cause0", "effect"]["strength"]) is float
    assert [type(one) for one in graph.nodes["cause0"]["probabilities"]] == [float]
    assert [type(one) for one in graph.nodes["cause0"]["unseen"]] == [bool]


@given(networks())
@settings(max_examples=scaled(100))
def test_the_graph_is_the_network_s(network: Network) -> None:
    graph = to_networkx(network)
    assert tuple(graph) == network.names
    assert set(graph.edges) == set(network.structure.edges())
    assert nx.is_directed_acyclic_graph(graph)
    strong = {edge for edge in graph.edges if "strength" in graph.edges[edge]}
    noisy = {
        name
        for name, one in zip(network.names, network.distributions, strict=True)
        if isinstance(one, NoisyOr)
    }
    assert strong == {(above, child) for above, child in graph.edges if child in noisy}
