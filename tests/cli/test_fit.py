"""The command that fits the parameters of a given network to records."""

import json
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.cli.fit_command import prior_weights
from noisyor.core import Provenance, SettingsError
from noisyor.core.variable import variables_of
from tests.cli.test_cli import refused, run

EXPERT = noisyor.example_truth("clinic")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an expert's network and forty records, in another order."""
    noisyor.write_network(EXPERT, tmp_path / "expert.xdsl")
    drawn = run("sample", tmp_path / "expert.xdsl", "-n", 40, "--seed", 3)
    lines = [line.split(",")[::-1] for line in drawn.stdout.splitlines()]
    text = "\n".join(",".join(line) for line in lines)
    (tmp_path / "records.csv").write_text(f"{text}\n", encoding="utf-8")
    return tmp_path


def test_a_network_is_fitted_and_what_moved_is_shown(folder: Path) -> None:
    expert, records, output = (folder / one for one in ("expert.xdsl", "records.csv", "new.xdsl"))
    weights = ("--prior-weight", "20", "--prior-weight", "fever=100")
    result = run("fit", expert, records, *weights, "-o", output)
    assert result.exit_code == 0, result.output
    assert "fitted to 40 records, prior weight 20, fever=100" in result.stdout
    assert f"wrote {output} (GeNIe" in result.stderr
    rows = [line.split() for line in result.stdout.splitlines() if "flu" in line]
    assert [rows[0][place] for place in (8, 10, 12)] == ["0.2200", "0.2233", "40"]
    found = noisyor.read_network(output)
    same = noisyor.fit(
        noisyor.read_network(expert),
        str(records),
        prior_weight=dict.fromkeys(EXPERT.names, 20.0) | {"fever": 100.0},
    )
    assert found.structure == same.structure
    for one, other in zip(found.distributions, same.distributions, strict=True):
        assert one.parameters() == pytest.approx(other.parameters(), abs=1e-12)


def test_everything_that_moved_is_told_as_json(folder: Path) -> None:
    result = run(
        *("fit", folder / "expert.xdsl", folder / "records.csv", "--prior-weight", 5),
        *("-o", folder / "new.json", "--spread", "each", "--add-leaks", "--json"),
    )
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert said["records"] == 40
    assert said["settings"] == {"prior weight": "5", "prior spread": "each"}
    fever = said["nodes"][EXPERT.index("fever")]
    assert (fever["name"], fever["relation"]) == ("fever", "leaky-noisy-or")
    assert [one["given"] for one in fever["numbers"]] == ["flu", "cold", "pneumonia", "leak"]
    fitted = noisyor.read_network(folder / "new.json")
    causes = fitted.distributions[fitted.index("fever")].causes()
    assert [one["after"] for one in fever["numbers"]] == [cause.strength for cause in causes]
    assert fever["numbers"][-1]["before"] == 0
    assert said["cost"] == fitted.cost


def test_only_the_numbers_that_moved_most_are_shown(folder: Path) -> None:
    names, rows = ("a", "b", "c", "d"), np.linspace(0.1, 0.9, 8).reshape(2, 2, 2)
    tables = [[0.5, 0.5]] * 3 + [np.stack([1 - rows, rows], axis=-1)]
    network = noisyor.Network.from_tables(
        variables_of(names), [[], [], [], [0, 1, 2]], tables, Provenance("0")
    )
    noisyor.write_network(network, folder / "expert.bif")
    run("sample", folder / "expert.bif", "-n", 50, "-o", folder / "records.csv")
    result = run(
        *("fit", folder / "expert.bif", folder / "records.csv"),
        *("--prior-weight", 5, "-o", folder / "new.bif"),
    )
    assert result.exit_code == 0, result.output
    assert "(4 more that moved less)" in result.stdout
    assert len([line for line in result.stdout.splitlines() if "a=" in line]) == 4


def test_a_record_without_a_cause_names_the_option(folder: Path) -> None:
    header = ",".join(EXPERT.names)
    rows = [",".join("yes" if name == "fever" else "no" for name in EXPERT.names)]
    (folder / "odd.csv").write_text("\n".join([header, *rows, *rows]), encoding="utf-8")
    given = ("fit", folder / "expert.xdsl", folder / "odd.csv", "--prior-weight", 3)
    refused(run(*given, "-o", folder / "new.xdsl"), "--add-leak NAME adds a leak")
    assert not (folder / "new.xdsl").exists()
    result = run(*given, "-o", folder / "new.xdsl", "--add-leak", "fever")
    assert result.exit_code == 0, result.output


def test_wrong_input_is_refused_in_one_line(folder: Path) -> None:
    expert, records = folder / "expert.xdsl", folder / "records.csv"
    new = ("-o", folder / "new.xdsl")
    refused(run("fit", expert, records, *new), "--prior-weight")
    refused(run("fit", expert, records, "--prior-weight", 3, "-o", expert), "would overwrite")
    refused(run("fit", expert, records, "--prior-weight", 3, "-o", folder / "new.pdf"), ".pdf")
    (folder / "few.csv").write_text("fever,cough\nyes,no\n", encoding="utf-8")
    few = run("fit", expert, folder / "few.csv", "--prior-weight", 3, *new)
    refused(few, "few.csv: the table has no column for flu")
    other = records.read_text(encoding="utf-8").replace("yes", "perhaps")
    (folder / "other.csv").write_text(other, encoding="utf-8")
    told = run("fit", expert, folder / "other.csv", "--prior-weight", 3, *new)
    refused(told, "'perhaps', which is no state")
    gaps = records.read_text(encoding="utf-8").replace("yes", "NA", 1)
    (folder / "gaps.csv").write_text(gaps, encoding="utf-8")
    refused(run("fit", expert, folder / "gaps.csv", "--prior-weight", 3, *new), "--missing drop")
    kept = run("fit", expert, folder / "gaps.csv", "--prior-weight", 3, "--missing", "drop", *new)
    assert "fitted to 39 records" in kept.stdout


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["20"], {"a": 20.0, "b=c": 20.0}),
        (["0", "a=inf"], {"a": float("inf"), "b=c": 0.0}),
        (["a=1", "b=c=2.5"], {"a": 1.0, "b=c": 2.5}),
        (["3", "3"], {"a": 3.0, "b=c": 3.0}),
    ],
)
def test_weights_are_for_all_or_for_one(given: list[str], expected: dict[str, float]) -> None:
    assert prior_weights(given, ("a", "b=c")) == expected


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["many"], "it must be a number of records"),
        (["-1"], "it must be a number of records"),
        (["a="], "it must be a number of records"),
        (["nan"], "it must be a number of records"),
        (["1", "2"], "given twice for all: 1 and 2"),
        (["1", "a=2", "a=3"], "given twice for 'a'"),
        (["1", "z=2"], "there is no variable 'z'; the network has: a, b=c"),
        (["a=1"], "not given for b=c"),
    ],
)
def test_wrong_weights_are_refused(given: list[str], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        prior_weights(given, ("a", "b=c"))
