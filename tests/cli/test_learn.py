"""The command that learns."""

import json
from pathlib import Path
from typing import Any

import pytest

from noisyor.data.examples import load_example
from noisyor.formats import read_members
from noisyor.learning import learn
from tests.cli.test_cli import refused, run


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "clinic.csv"
    assert run("examples", "clinic", "-o", path).exit_code == 0
    return path


def said_by(*arguments: object) -> dict[str, Any]:
    """Return the JSON output of learning."""
    result = run("learn", *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


@pytest.mark.parametrize("method", ["table", "price"])
def test_json_says_what_the_library_finds(clinic: Path, method: str) -> None:
    said = said_by(clinic, "--method", method)
    learned = learn(load_example("clinic"), method=method)
    assert said["method"] == method
    assert said["optimum"] == said["lower_bound"] == learned.credible.optimum
    assert said["networks"] == learned.credible.count
    assert said["complete"] is True
    assert ("pricing" in said) == (method == "price")
    assert said["seconds"]["total"] > 0


def test_both_methods_say_the_same_networks(clinic: Path) -> None:
    table, price = (said_by(clinic, "--method", method) for method in ("table", "price"))
    assert price["networks"] == table["networks"]
    assert price["noisy_or"] == table["noisy_or"]
    assert [(one["node"], one["parents"]) for one in price["best"]] == [
        (one["node"], one["parents"]) for one in table["best"]
    ]
    edges = [
        {(one["parent"], one["child"]): one["networks"] for one in said["edges"]}
        for said in (price, table)
    ]
    assert edges[0] == edges[1]


def test_people_read_the_method_and_the_networks(clinic: Path) -> None:
    result = run("learn", clinic, "--quiet")
    assert result.exit_code == 0, result.output
    assert "1000 records, learned by table" in result.stdout
    assert "credible networks" in result.stdout
    assert "best network" in result.stdout


def test_edges_can_be_asked_for(clinic: Path) -> None:
    free = said_by(clinic)
    assert ("flu", "fever") in {(one["parent"], one["child"]) for one in free["edges"]}
    without = said_by(clinic, "--forbid", "flu->fever")
    assert ("flu", "fever") not in {(one["parent"], one["child"]) for one in without["edges"]}
    assert without["optimum"] > free["optimum"]
    asked = said_by(clinic, "--require", "fever->allergy", "--method", "price")
    edges = {(one["parent"], one["child"]): one for one in asked["edges"]}
    assert edges["fever", "allergy"]["fraction"] == 1


def test_members_are_written(clinic: Path, tmp_path: Path) -> None:
    path = tmp_path / "members.parquet"
    said = said_by(clinic, "--members", path)
    assert said["members_written"] == said["networks"] == len(read_members(path).members)


def test_a_time_limit_labels_the_result(clinic: Path) -> None:
    for method in ("table", "price"):
        said = said_by(clinic, "--time-limit", 1e-9, "--method", method)
        assert not said["complete"]
        assert "time limit" in said["shortfalls"][0]
        assert said["lower_bound"] <= said["optimum"]


def test_wrong_options_are_refused(clinic: Path) -> None:
    refused(run("learn", clinic, "--forbid", "flu"), "--forbid is 'flu'")
    refused(run("learn", clinic, "--jobs", 0), "must be at least 1")
    refused(run("learn", clinic, "--time-limit", 0), "time limit")
    refused(run("learn", clinic, "--method", "price", "--bounds", "none"), "'none'")


def test_variables_without_an_order_are_named_once(tmp_path: Path) -> None:
    table = tmp_path / "fruit.csv"
    rows = ["kind,size", *["apple,1", "pear,2", "plum,0", "apple,2", "pear,0"] * 8]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    said = "full tables only, because their states have no order (see --order): kind"
    assert run("learn", table).stdout.count(said) == 1
    assert said not in run("learn", table, "--relations", "cpt").stdout
    assert said not in run("learn", table, "--order", "kind=plum,apple,pear").stdout
    assert json.loads(run("learn", table, "--json").stdout)["without_order"] == ["kind"]
