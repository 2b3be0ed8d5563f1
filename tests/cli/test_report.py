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
