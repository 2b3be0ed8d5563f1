"""The command that advises what to ask next."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisyor
from noisyor.core.appearance import Appearance, NodeAppearance
from tests.cli.test_cli import refused, run
from tests.formats.small_networks import clinic as small_clinic
from tests.inference.networks import any_network

CLINIC = noisyor.example_truth("clinic")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    noisyor.write_network(CLINIC, tmp_path / "clinic.json")
    return tmp_path / "clinic.json"


def said_by(*arguments: object) -> dict[str, Any]:
    result = run("advise", *arguments, "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_the_most_telling_finding_comes_first(clinic: Path) -> None:
    result = run("advise", clinic, "flu", "--given", "fever=yes")
    assert result.exit_code == 0, result.output
    found = noisyor.value_of_information(CLINIC, "flu", given={"fever": "yes"})
    assert result.stdout.startswith("given fever=yes\nflu: yes 0.6043, no 0.3957; entropy 0.6712")
    lines = [line for line in result.stdout.splitlines() if "%" in line]
    assert [line.split()[1] for line in lines] == [one.name for one in found.findings]
    assert "0.1382" in lines[0]
    assert "20.6%" in lines[0]
    assert "3 of these say nothing" in result.stdout
    one = run("advise", clinic, "flu", "--findings", "cold")
    assert "1 of these says nothing" in one.stdout


def test_values_costs_and_limits_as_json(clinic: Path) -> None:
    said = said_by(
        *(clinic, "flu", "--given", "fever=yes", "--findings", "cough, headache"),
        *("--findings", "fatigue", "--cost", "headache=30,cough=2", "--most", 2),
    )
    assert said["target"] == "flu"
    assert said["given"] == {"fever": "yes"}
    assert said["chances"]["yes"] == pytest.approx(0.6043, abs=1e-4)
    assert [one["name"] for one in said["findings"]] == ["fatigue", "headache"]
    fatigue, headache = said["findings"]
    assert (fatigue["cost"], headache["cost"]) == (1, 30)
    assert headache["per_cost"] == headache["drop"] / 30
    everything = said_by(clinic, "flu", "--most", 0)
    assert len(everything["findings"]) == 10
    assert "cost" not in everything["findings"][0]


def test_costs_are_shown(clinic: Path) -> None:
    result = run("advise", clinic, "flu", "--cost", "cough=0.5")
    assert "drop per cost" in result.stdout
    assert "0.5" in result.stdout


def test_the_numbers_that_matter_most(clinic: Path) -> None:
    given = ("--given", "fever=yes", "--sensitivity")
    result = run("advise", clinic, "flu=yes", *given, "--most", 5)
    assert result.exit_code == 0, result.output
    assert "flu=yes has the probability 0.6043" in result.stdout
    rows = [line for line in result.stdout.splitlines() if "+" in line or " -" in line]
    assert len(rows) == 5
    assert "+1.3935" in rows[0]
    said = said_by(clinic, "flu", *given)
    assert (said["state"], said["posterior"]) == ("yes", pytest.approx(0.6043, abs=1e-4))
    found = noisyor.sensitivity(CLINIC, "flu", "yes", {"fever": "yes"})
    assert len(said["parameters"]) == len(found.parameters)
    fever = next(one for one in said["parameters"] if one["node"] == "fever")
    own = next(one for one in found.parameters if one.node == "fever")
    assert fever["given"] == dict(own.parents)
    assert fever["derivative"] == own.derivative
    assert fever["coefficients"] == list(own.coefficients)
    assert fever["posterior_at_1"] == own.posterior_at(1.0)


def test_a_leak_is_named(tmp_path: Path) -> None:
    noisyor.write_network(small_clinic(), tmp_path / "small.json")
    shown = run("advise", tmp_path / "small.json", "fever", "--sensitivity").stdout
    rows = [line.split("│") for line in shown.splitlines() if line.startswith("│")]
    assert {(row[1].strip(), row[2].strip()) for row in rows} >= {
        ("flu", ""),
        ("fever", "(leak)"),
        ("fever", "flu=yes"),
    }


def test_any_states_and_soft_evidence(tmp_path: Path) -> None:
    network = any_network(np.random.default_rng(4), 4, certain=0.0, states=(3, 3))
    path = tmp_path / "any.json"
    noisyor.write_network(network, path)
    given = ("--given", "v1=s0:0.2|s1:1|s2:0.5")
    result = run("advise", path, "v0", *given)
    assert result.exit_code == 0, result.output
    assert "given v1=s0:0.2|s1:1|s2:0.5" in result.stdout
    soft = {"v1": {"s0": 0.2, "s1": 1.0, "s2": 0.5}}
    said = said_by(path, "v0", *given)
    found = noisyor.value_of_information(network, "v0", given=soft)
    assert [one["drop"] for one in said["findings"]] == [one.drop for one in found.findings]
    assert said["given"] == soft
    sloped = said_by(path, "v0=s2", *given, "--sensitivity", "--most", 4)
    steepest = noisyor.sensitivity(network, "v0", "s2", soft, most=4)
    assert [one["derivative"] for one in sloped["parameters"]] == [
        one.derivative for one in steepest.parameters
    ]
    refused(run("advise", path, "v0", "--sensitivity"), "say which one, as in v0=s0")


def test_states_are_in_the_order_of_the_file(tmp_path: Path) -> None:
    network = any_network(np.random.default_rng(4), 4, certain=0.0, states=(3, 3))
    look = Appearance(nodes={"v0": NodeAppearance(order=(2, 0, 1))})
    path = tmp_path / "any.json"
    noisyor.write_network(replace(network, appearance=look), path)
    assert list(said_by(path, "v0")["chances"]) == ["s2", "s0", "s1"]
    assert list(said_by(path, "v1")["chances"]) == ["s0", "s1", "s2"]


def test_a_credible_set_is_averaged(tmp_path: Path) -> None:
    learned = noisyor.learn(noisyor.load_example("clinic"), relations="paper", bayes_factor=3)
    path = tmp_path / "networks.json"
    noisyor.write_networks(learned.networks(), path)
    said = said_by(path, "flu", "--findings", "cough")
    found = noisyor.value_of_information(learned.networks(), "flu", ["cough"])
    assert said["findings"][0]["drop"] == found["cough"].drop
    assert list(said["chances"]) == ["yes", "no"]
    refused(run("advise", path, "flu=yes", "--sensitivity"), "a file with a single network")


def test_wrong_arguments_are_refused_in_one_line(clinic: Path) -> None:
    refused(run("advise", clinic, "flue"), "there is no variable 'flue'")
    refused(run("advise", clinic, "flu", "--findings", "cough,x"), "there is no variable 'x'")
    refused(run("advise", clinic, "flu", "--cost", "cough"), "must look like NAME=COST")
    refused(run("advise", clinic, "flu", "--cost", "cough=much"), "must look like NAME=COST")
    refused(run("advise", clinic, "flu", "--cost", "cough=0"), "it must be a number above 0")
    refused(run("advise", clinic, "flu", "--cost", "cough=1,cough=2"), "given twice for 'cough'")
    refused(run("advise", clinic, "flu", "--cost", "x=1"), "a cost of 'x', but no such variable")
    refused(run("advise", clinic, "flu", "--most", -1), "--most is -1")
    refused(run("advise", clinic, "flu=maybe", "--sensitivity"), "'flu' has no state 'maybe'")
    refused(run("advise", clinic, "flu", "--sensitivity", "--cost", "cough=1"), "no --cost")


def test_the_memory_of_advice_is_limited(clinic: Path) -> None:
    for target, *options in (["flu"], ["flu=yes", "--sensitivity"]):
        limited = run("advise", clinic, target, *options, "--memory-limit", "1e-12")
        refused(limited, "the limit is 1 bytes. Ask for fewer variables")
        assert said_by(clinic, target, *options, "--memory-limit", "0.5") == said_by(
            clinic, target, *options
        )
