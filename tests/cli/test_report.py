"""The report of a run is rebuilt from its file, or the file is refused."""

import json
import warnings
from pathlib import Path

import pytest

from noisyor import example_truth, fit_members, write_network
from noisyor.core.warning import ConversionWarning
from noisyor.formats.network_set_json import network_set_json
from tests.cli.test_cli import refused, run
from tests.fuzz.corpus import AS_WRITTEN, inputs_for
from tests.reporting.credible_sets import small_data, small_set


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "report.json").write_bytes(inputs_for("report")[AS_WRITTEN])
    return tmp_path


def test_the_page_is_written_beside_its_content_or_elsewhere(folder: Path) -> None:
    result = run("report", folder)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == f"wrote {folder / 'report.html'}\n"
    run("report", folder, "-o", folder / "other.html")
    page = (folder / "report.html").read_bytes()
    assert page.startswith(b"<!DOCTYPE html>")
    assert (folder / "other.html").read_bytes() == page


def test_a_damaged_content_is_refused_with_its_place_and_no_page(folder: Path) -> None:
    path = folder / "report.json"
    content = json.loads(path.read_text())
    content["families"][2]["weight"] = float("nan")
    path.write_text(json.dumps(content))
    refused(run("report", folder), f"{path}: families[2].weight is nan; it must be finite")
    assert not (folder / "report.html").exists()


def test_a_network_of_any_format_gets_a_page_beside_it_or_elsewhere(tmp_path: Path) -> None:
    network = example_truth("clinic")
    for name in ("clinic.xdsl", "clinic.bif.gz", "clinic.json"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConversionWarning)  # BIF has full tables alone
            write_network(network, tmp_path / name)
        result = run("report", tmp_path / name)
        assert result.exit_code == 0, result.stderr
        assert result.stderr == f"wrote {tmp_path / 'clinic.html'}\n"
        page = (tmp_path / "clinic.html").read_text("utf-8")
        assert "A Bayesian network of 11 variables with 2 states." in page
        assert 'id="ask"' in page
    run("report", tmp_path / "clinic.xdsl", "-o", tmp_path / "other.html")
    assert (tmp_path / "other.html").exists()


def test_what_is_no_single_network_is_refused(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "networks.json"
    data = small_data()
    path.write_text(network_set_json(fit_members(data, small_set(data))))
    refused(run("report", path), f"{path} holds a credible set; 'noisyor report DIR' makes the")
    refused(run("report", tmp_path / "none.bif"), "none.bif")
    refused(run("report", folder, "--forgiving"), "--present and --forgiving are for a file of a")
    assert not list(tmp_path.glob("*.html"))


VARIABLES = """
<cpt id="Wear"><state id="none" /><state id="some" /><state id="heavy" />
  <probabilities>0.6 0.3 0.1</probabilities></cpt>
<cpt id="Dust"><state id="yes" /><state id="no" /><probabilities>0.2 0.8</probabilities></cpt>
<noisymax id="Smoke"><state id="black" /><state id="grey" /><state id="clear" />
  <parents>Wear Dust</parents><strengths>2 1 0 0 1</strengths>
  <parameters>0.5 0.3 0.2 0.1 0.3 0.6 0 0 1 0.2 0.3 0.5 0 0 1 0.01 0.04 0.95</parameters></noisymax>
<deterministic id="Alarm"><state id="on" /><state id="off" /><parents>Smoke Dust</parents>
  <resultingstates>on on on off off off</resultingstates></deterministic>
"""
DRAWING = """
<genie version="1.0" app="GeNIe 4.1" name="An engine">
  <submodel id="Symptoms"><name>Symptoms</name><position>300 40 400 90</position>
    <node id="Smoke"><name>Smoke of the\nengine</name><position>20 20 120 60</position></node>
    <node id="Alarm"><name>Alarm</name><position>20 120 120 160</position></node>
  </submodel>
  <node id="Wear"><name>Wear</name><position>20 20 120 60</position></node>
</genie>
"""


def genie_file(folder: Path, nodes: str) -> Path:
    path = folder / "engine.xdsl"
    path.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="Engine">'
        f"<nodes>{nodes}</nodes><extensions>{DRAWING}</extensions></smile>\n"
    )
    return path


def test_a_genie_file_with_submodels_noisy_max_and_deterministic_nodes_gets_a_page(
    tmp_path: Path,
) -> None:
    path = genie_file(tmp_path, VARIABLES)
    result = run("report", path)
    assert result.stderr == f"wrote {tmp_path / 'engine.html'}\n"
    page = (tmp_path / "engine.html").read_text("utf-8")
    assert "<h1>An engine</h1>" in page
    assert "Smoke of the engine" in page
    assert "leaky noisy-MAX" in page
    assert 'id="ask"' in page


def test_decisions_and_utilities_are_left_out_of_a_page_with_a_warning(tmp_path: Path) -> None:
    others = (
        '<decision id="Stop"><state id="yes" /><state id="no" /><parents>Alarm</parents></decision>'
        '<utility id="Cost"><parents>Stop</parents><utilities>1 2</utilities></utility>'
    )
    result = run("report", genie_file(tmp_path, VARIABLES + others))
    assert result.exit_code == 0
    assert "decision: 'Stop'; utility: 'Cost'" in result.stderr
    assert "of 4 variables" in (tmp_path / "engine.html").read_text("utf-8")


def test_a_variable_that_depends_on_a_decision_keeps_it_as_a_variable(tmp_path: Path) -> None:
    decided = '<decision id="Clean"><state id="yes" /><state id="no" /></decision>'
    nodes = decided + VARIABLES.replace(
        "<probabilities>0.2 0.8", "<parents>Clean</parents><probabilities>0.1 0.9 0.4 0.6"
    )
    result = run("report", genie_file(tmp_path, nodes))
    assert "equally likely states ('Clean')" in result.stderr
    assert "of 5 variables" in (tmp_path / "engine.html").read_text("utf-8")


def test_a_genie_file_without_a_variable_is_refused_kindly(tmp_path: Path) -> None:
    path = genie_file(tmp_path, '<utility id="Cost"><utilities>1</utilities></utility>')
    refused(run("report", path), "it has no variable with a table, only other nodes")
    assert not (tmp_path / "engine.html").exists()
