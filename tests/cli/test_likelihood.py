"""The command that tells how well a network predicts records."""

import json
from pathlib import Path

import pytest

import noisyor
from noisyor.core import Dataset
from tests.cli.test_cli import refused, run

CLINIC = noisyor.example_truth("clinic")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    noisyor.write_network(CLINIC, tmp_path / "clinic.json")
    run("sample", tmp_path / "clinic.json", "-n", 50, "-o", tmp_path / "records.csv")
    return tmp_path


def records(folder: Path) -> Dataset:
    states = {variable.name: variable.states for variable in CLINIC.variables}
    return noisyor.read(folder / "records.csv", order=states)


def test_the_mean_log_likelihood_is_told(folder: Path) -> None:
    found = noisyor.held_out(CLINIC, records(folder))
    result = run("likelihood", folder / "clinic.json", folder / "records.csv")
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        f"mean log-likelihood of 50 records: {found.mean:.6f} nats\n"
        f"mean with smoothing 0.001: {found.mean_smoothed:.6f} nats\n"
    )
    said = run(
        *("likelihood", folder / "clinic.json", folder / "records.csv", "--smoothing", 0.1),
        "--json",
    )
    smooth = noisyor.held_out(CLINIC, records(folder), smoothing=0.1)
    assert json.loads(said.stdout) == {
        "records": 50,
        "impossible": 0,
        "mean": smooth.mean,
        "mean_possible": smooth.mean_possible,
        "mean_smoothed": smooth.mean_smoothed,
        "smoothing": 0.1,
    }


def test_impossible_records_are_counted(folder: Path) -> None:
    """Fever without any of its causes."""
    line = ",".join("yes" if name == "fever" else "no" for name in CLINIC.names)
    path = folder / "records.csv"
    path.write_text(f"{path.read_text(encoding='utf-8')}{line}\n", encoding="utf-8")
    result = run("likelihood", folder / "clinic.json", path)
    assert "1 of 51 records are impossible in this network" in result.stdout
    assert "mean of the other records: -" in result.stdout
    said = json.loads(run("likelihood", folder / "clinic.json", path, "--json").stdout)
    assert said["mean"] is None
    assert said["mean_possible"] < 0
    path.write_text(f"{','.join(CLINIC.names)}\n{line}\n{line}\n", encoding="utf-8")
    alone = run("likelihood", folder / "clinic.json", path)
    assert "mean of the other" not in alone.stdout
    assert (
        json.loads(run("likelihood", folder / "clinic.json", path, "--json").stdout)[
            "mean_possible"
        ]
        is None
    )


def test_wrong_input_is_refused_in_one_line(folder: Path) -> None:
    (folder / "few.csv").write_text("fever\nyes\nno\n", encoding="utf-8")
    told = run("likelihood", folder / "clinic.json", folder / "few.csv")
    refused(told, "the table has no column for flu")
    given = ("likelihood", folder / "clinic.json", folder / "records.csv")
    refused(run(*given, "--smoothing", 2), "smoothing is 2.0")
