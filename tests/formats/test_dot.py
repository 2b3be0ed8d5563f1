"""Drawings for Graphviz: their content, and that no name breaks them."""

import shutil
import subprocess
from itertools import combinations

import pydot
import pytest
from hypothesis import given, settings

from noisyor.core import Network, NoisyOr
from noisyor.formats.dot import dot_text
from tests.formats.networks import AWKWARD_TEXTS, networks
from tests.formats.small_networks import clinic, pair
from tests.support.effort import HANGS_AFTER, scaled

# pydot calls its parser library by old names.
pytestmark = pytest.mark.filterwarnings("ignore:.* deprecated - use:DeprecationWarning")


def parsed(text: str) -> pydot.Dot:
    graphs = pydot.graph_from_dot_data(text)
    assert graphs is not None
    (graph,) = graphs
    return graph


def node_names(graph: pydot.Dot) -> list[str]:
    """Return the quoted names of a graph's nodes; `node` and `edge` set defaults."""
    return [
        node.get_name() for node in graph.get_nodes() if node.get_name() not in {"node", "edge"}
    ]


def test_relations_look_different_and_edges_show_strength() -> None:
    assert dot_text(clinic()).splitlines() == [
        "digraph {",
        "  node [style=filled];",
        '  edge [color="#555555"];',
        '  "flu" [label="flu", shape=box, color="#3f6fa3", fillcolor="#e3edf8"];',
        '  "cold" [label="cold", shape=box, color="#3f6fa3", fillcolor="#e3edf8"];',
        '  "cough" [label="cough", shape=ellipse, color="#d27a16", fillcolor="#fdebd3"];',
        (
            r'  "fever" [label="fever\nleak 0.125", shape=ellipse, color="#d27a16", '
            'fillcolor="#fdebd3", peripheries=2];'
        ),
        '  "bed rest" [label="bed rest", shape=box, color="#3f6fa3", fillcolor="#e3edf8"];',
        '  "flu" -> "cough" [label="0.75", penwidth=4.00];',
        '  "cold" -> "cough" [label="0.5", penwidth=3.00];',
        '  "flu" -> "fever" [label="0.875", penwidth=4.50];',
        '  "flu" -> "bed rest";',
        '  "cough" -> "bed rest";',
        "}",
    ]


@pytest.mark.parametrize(
    ("name", "written", "label"),
    [
        ('say "ah"', r'"say \"ah\""', r'"say \"ah\""'),
        ("back\\slash", r'"back\\slash"', r'"back\\slash"'),
        ("ends in \\", r'"ends in \\"', r'"ends in \\"'),
        ("line\nbreak", r'"line\nbreak"', r'"line\\nbreak"'),
        ("nul\0", r'"nul\x00"', r'"nul\\x00"'),
        ("\u202eabc", r'"\u202eabc"', r'"\\u202eabc"'),
        ("R&amp;D", '"R&amp;D"', '"R&amp;amp;D"'),
        ("<b>bold</b>", '"<b>bold</b>"', '"<b>bold</b>"'),
        (r"\N", r'"\\N"', r'"\\N"'),
        ("🫁 é", '"🫁 é"', '"🫁 é"'),
    ],
)
def test_names_are_escaped(name: str, written: str, label: str) -> None:
    lines = dot_text(pair("a", name)).splitlines()
    assert lines[4].startswith(f"  {written} [label={label}, shape=ellipse,")
    assert lines[5].startswith(f'  "a" -> {written} [')


@pytest.mark.parametrize(
    "names", list(combinations(["a\nb", "a\\nb", "a\\\nb", "anb", "a\\\\nb"], 2))
)
def test_names_that_look_alike_stay_different(names: tuple[str, str]) -> None:
    assert len(set(node_names(parsed(dot_text(pair(*names)))))) == 2


@pytest.mark.parametrize("name", AWKWARD_TEXTS)
def test_another_parser_finds_the_nodes_and_the_edge(name: str) -> None:
    graph = parsed(dot_text(pair(name, "child of it")))
    first, second = node_names(graph)
    (edge,) = graph.get_edges()
    assert (edge.get_source(), edge.get_destination()) == (first, second)
    assert second == '"child of it"'
    assert edge.get("label") == '"0.75"'


@settings(max_examples=scaled(25))
@given(network=networks(max_variables=4))
def test_another_parser_finds_the_whole_graph(network: Network) -> None:
    graph = parsed(dot_text(network))
    found = node_names(graph)
    assert len(found) == len(set(found)) == len(network.names)
    number = {name: place for place, name in enumerate(found)}
    edges = {
        (number[str(edge.get_source())], number[str(edge.get_destination())]): edge.get("label")
        for edge in graph.get_edges()
    }
    expected: dict[tuple[int, int], str | None] = {}
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        for place, parent in enumerate(family.parent_indices()):
            label = None
            if isinstance(distribution, NoisyOr):
                label = f'"{1 - distribution.q[place]:.3g}"'
            expected[parent, family.child] = label
    assert edges == expected


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_it() -> None:
    dot = shutil.which("dot")
    assert dot is not None
    for name in AWKWARD_TEXTS:
        drawn = subprocess.run(
            [dot, "-Tplain"],
            input=dot_text(pair(name, "child of it")).encode(),
            capture_output=True,
            timeout=HANGS_AFTER,
            check=True,
        )
        assert drawn.stdout.count(b"\nnode ") == 2
        assert drawn.stdout.count(b"\nedge ") == 1
        assert drawn.stderr == b""
