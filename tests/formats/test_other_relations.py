"""A relation that is neither a full table nor a noisy-OR, in every format."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

from noisyor.cli import app
from noisyor.core import Cpt, Family, FormatError, Network, Provenance, Structure
from noisyor.core.relations import registered
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats.bif import bif_text, parse_bif
from noisyor.formats.dot import dot_text
from noisyor.formats.equations import bayesialab_equations, netica_equations
from noisyor.formats.graphml import graphml_text
from noisyor.formats.hugin import hugin_text
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.parsed_network import to_network
from noisyor.formats.uai import uai_text
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from noisyor.interop.jgum import jgum_bytes
from noisyor.interop.networkx_graph import to_networkx
from noisyor.interop.pgmpy_network import from_pgmpy, to_pgmpy
from noisyor.interop.pyagrum_network import from_pyagrum, to_pyagrum
from tests.toy.shared_strength import SHARED, SharedNoisyOr

WRITTEN_OUT = [0.0, 0.75, 0.75, 0.9375]
"""The probabilities of the effect for none, either and both of its causes."""


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with registered(SHARED):
        yield


def effect() -> Network:
    """Return two causes of the same strength, 3/4, and their effect."""
    names = ("flu", "cold", "cough")
    return Network(
        Structure(names, (Family(0, 0), Family(1, 0), Family(2, 0b011, SHARED))),
        variables_of(names, (("no", "yes"),) * 3),
        (Cpt.binary([0.5]), Cpt.binary([0.25]), SharedNoisyOr(0.25, (2, 2))),
        5.0,
        Provenance("0.1.0"),
    )


def test_json_has_its_parameters() -> None:
    text = network_json(effect())
    distribution = json.loads(text)["variables"][2]["distribution"]
    assert distribution == {"relation": "shared-noisy-or", "parameters": [0.25]}
    assert parse_network_json(text) == effect()


def test_parameters_belong_to_parents_in_order() -> None:
    document = json.loads(network_json(effect()))
    document["variables"][2]["parents"].reverse()
    with pytest.raises(FormatError, match=r"in the order of the variables: flu, cold$"):
        parse_network_json(json.dumps(document))


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (["x"], r"parameters\[0\] is 'x'; expected: a number"),
        ([], "parameters has 0 numbers; shared-noisy-or needs 1 here"),
        ([0.5, 0.5], "parameters has 2 numbers"),
        (0.5, "parameters is 0.5; expected: a list"),
    ],
)
def test_parameters_are_as_many_numbers_as_the_relation_has(wrong: object, complaint: str) -> None:
    document = json.loads(network_json(effect()))
    document["variables"][2]["distribution"]["parameters"] = wrong
    with pytest.raises(FormatError, match=complaint):
        parse_network_json(json.dumps(document))


@pytest.mark.parametrize(
    ("write", "parse"), [(bif_text, parse_bif), (xdsl_text, parse_xdsl)], ids=["bif", "xdsl"]
)
def test_formats_of_tables_have_its_table(
    write: Callable[[Network], str], parse: Callable[[str], object]
) -> None:
    with pytest.warns(ConversionWarning, match="has no shared-noisy-or: .* are 'cough'$"):
        text = write(effect())
    read = to_network(parse(text))  # type: ignore[arg-type]
    assert read.distributions[2] == Cpt.binary(WRITTEN_OUT)


@pytest.mark.parametrize("write", [hugin_text, uai_text, jgum_bytes])
def test_what_is_written_only_has_its_table_too(write: Callable[[Network], str | bytes]) -> None:
    with pytest.warns(ConversionWarning, match="has no shared-noisy-or: .* are 'cough'$"):
        text = write(effect())
    assert "0.9375" in str(text)


def test_other_libraries_get_its_table() -> None:
    with pytest.warns(ConversionWarning, match="pgmpy has no such shared-noisy-or; .*'cough'"):
        model = to_pgmpy(effect())
    assert from_pgmpy(model).distributions[2] == Cpt.binary(WRITTEN_OUT)
    with pytest.warns(ConversionWarning, match="pyAgrum has no shared-noisy-or: .*'cough'"):
        bn = to_pyagrum(effect())
    assert from_pyagrum(bn).distributions[2] == Cpt.binary(WRITTEN_OUT)


def test_graphs_have_its_name_and_parameters() -> None:
    graph = to_networkx(effect())
    assert graph.nodes["cough"]["relation"] == "shared-noisy-or"
    assert graph.nodes["cough"]["parameters"] == (0.25,)
    assert sorted(graph.edges) == [("cold", "cough"), ("flu", "cough")]
    assert nx.parse_graphml(graphml_text(effect())).nodes["n2"]["relation"] == "shared-noisy-or"
    drawn = [line for line in dot_text(effect()).split("\n") if line.startswith('  "cough" [')]
    assert len(drawn) == 1
    assert "shape=box" in drawn[0]
    assert drawn[0].split("color")[1] != dot_text(effect()).split("color")[3]


@pytest.mark.parametrize("equations", [netica_equations, bayesialab_equations])
def test_it_has_no_equation(equations: Callable[[Network], str]) -> None:
    text = equations(effect())
    assert "is a shared-noisy-or, not a noisy-OR: it has no equation" in text


def test_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "effect.json"
    path.write_text(network_json(effect()), encoding="utf-8")
    shown = CliRunner().invoke(app, ["show", str(path), "--node", "cough"]).stdout
    assert "cough: yes (present) or no (absent), shared-noisy-or" in shown
    assert "parameters of the shared-noisy-or: 0.25; as a table:" in shown
    assert "0.9375" in shown
    said = json.loads(CliRunner().invoke(app, ["show", str(path), "--json"]).stdout)
    assert said["nodes"][2]["parameters"] == [0.25]
    assert np.isfinite(said["cost"])
