"""The report of a run is rebuilt from its file, or the file is refused."""

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import refused, run
from tests.fuzz.corpus import AS_WRITTEN, inputs_for


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
