"""The command that searches."""

import json
from pathlib import Path
from typing import Any

import pytest

from noisyor.core import Knowledge
from noisyor.core.relations import relation_named
from noisyor.data.examples import load_example
from noisyor.formats import read_members, read_scores, write_scores
from noisyor.scoring import score
from noisyor.search import search
from tests.cli.test_cli import refused, run
from tests.search.tables import random_case, table_from


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "clinic.parquet"
    write_scores(score(load_example("clinic"), 20).table, path)
    return path


def said_by(*arguments: object) -> dict[str, Any]:
    """Return the JSON output of a search."""
    result = run("search", *arguments, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_json_says_what_the_library_finds(scores: Path) -> None:
    said = said_by(scores, "--bayes-factor", 20, "--jobs", 1)
    searched = search(read_scores(scores), 20, jobs=1)
    credible = searched.credible
    assert said["variables"] == len(credible.names)
    assert said["bayes_factor"] == 20
    assert said["slack"] == pytest.approx(2.995732, abs=1e-6)
    assert said["optimum"] == said["lower_bound"] == credible.optimum
    assert said["proven"] is True
    assert said["networks"] == said["networks_at_most"] == credible.count
    assert said["complete"] is True
    assert said["shortfalls"] == []
    assert said["families"]["given"] == searched.statistics.families_given
    assert said["families"]["used"] == len(credible.families)
    assert said["costliest"] == credible.costliest().cost
    assert said["lp"]["bound"] <= credible.optimum
    assert set(said["seconds"]) == {"bounds", "optimum", "members", "total"}
    assert said["members_written"] is None
    assert sum(family["cost"] for family in said["best"]) == pytest.approx(said["optimum"])
    for family, expected in zip(said["best"], credible.best.families, strict=True):
        assert family["node"] == credible.names[expected.child]
        assert family["parents"] == [credible.names[p] for p in expected.parent_indices()]
        assert relation_named(family["relation"]) is expected.relation
    assert {(one["parent"], one["child"]): one["networks"] for one in said["edges"]} == {
        edge: use.networks for edge, use in credible.edges().items()
    }
    weights = [one["weight"] for one in said["edges"]]
    assert weights == sorted(weights, reverse=True)


def test_noisy_ors_are_counted_as_in_the_paper(tmp_path: Path) -> None:
    """Four networks: v1 a noisy-OR in all of them, v2 in two, v0 in none."""
    costs = {
        (0, 0, 0): 1.0,
        (1, 0b001, 1): 1.0,
        (1, 0b101, 2): 1.5,
        (2, 0b001, 1): 1.0,
        (2, 0, 0): 1.5,
    }
    path = tmp_path / "scores.parquet"
    write_scores(table_from(costs, ("v0", "v1", "v2"), 20.0), path)
    title = "nodes with independent causes (2 of 3)"
    assert title in run("search", path).stdout.splitlines()  # though the table is narrower
    said = said_by(path)
    assert said["networks"] == 4
    assert said["noisy_or"] == {
        "nodes": 2,
        "average_percent": 75.0,
        "maximum_percent": 100.0,
        "percent_by_node": {"v1": 100.0, "v2": 50.0},
    }
    none = tmp_path / "none.parquet"
    write_scores(table_from({(0, 0, 0): 1.0}, ("v0",), None), none)
    assert said_by(none)["noisy_or"] == {
        "nodes": 0,
        "average_percent": None,
        "maximum_percent": None,
        "percent_by_node": {},
    }


def test_people_get_tables(scores: Path) -> None:
    result = run("search", scores)
    credible = search(read_scores(scores)).credible
    assert result.exit_code == 0
    assert f"optimum {credible.optimum:.6f}, proven" in result.stdout
    assert f"{credible.count:,} credible network" in result.stdout
    for name in credible.names:
        assert name in result.stdout
    assert "nodes with independent causes (" in result.stdout
    (parent, child), use = max(credible.edges().items(), key=lambda item: item[1].weight)
    assert f"{parent} -> {child}" in result.stdout
    assert f"{use.fraction:.2%}" in result.stdout


def test_names_with_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    costs = {(0, 0, 0): 1.0, (1, 1, 1): 1.0, (1, 0, 0): 9.0}
    write_scores(table_from(costs, ("[red]", "b[/]"), 20.0), path)
    result = run("search", path)
    assert "[red] -> b[/]" in result.stdout
    assert said_by(path, "--forbid", "[red] -> b[/]")["edges"] == []


def test_options_reach_the_search(scores: Path) -> None:
    table = read_scores(scores)
    names = table.names
    everything = said_by(scores, "--labels", "all", "--bounds", "none")
    assert everything["networks"] == search(table, labels="all").credible.count
    assert everything["labels"] == "all"
    assert everything["lp"]["cuts"] == 0
    assert said_by(scores, "--bayes-factor", 3)["networks"] == search(table, 3).credible.count
    parent, child = next(iter(search(table).credible.edges()))
    knowledge = Knowledge(forbidden=[(parent, child)], max_parents=2)
    fewer = said_by(scores, "--forbid", f"{parent}->{child}", "--max-parents", 2)
    expected = search(table, constraints=knowledge.constraints(names)).credible
    assert fewer["networks"] == expected.count
    assert fewer["optimum"] == expected.optimum
    assert max(len(one["parents"]) for one in fewer["best"]) <= 2


def test_members_are_written(scores: Path, tmp_path: Path) -> None:
    path = tmp_path / "members.parquet"
    count = said_by(scores)["networks"]
    assert count > 3
    said = said_by(scores, "--members", path)
    assert said["members_written"] == count
    assert len(read_members(path)) == count
    result = run("search", scores, "--members", path, "--max-networks", 3)
    assert result.exit_code == 0
    assert f"wrote 3 networks, not all credible ones, to {path}" in result.stderr
    stored = read_members(path)
    assert len(stored) == 3
    assert stored.count == count
    assert stored.complete


@pytest.mark.parametrize("suffix", ["jkl", "pss"])
def test_tables_of_other_programs_are_searched(scores: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores.{suffix}"
    write_scores(read_scores(scores), path)
    path.with_name(f"{path.name}.noisyor.parquet").unlink()
    result = run("search", path, "--json")
    said = json.loads(result.stdout)
    assert said["networks"] == said_by(scores)["networks"]
    assert said["bayes_factor"] == 20
    assert said["notes"]
    assert f"note: {said['notes'][0]}" in result.stderr
    refused(run("search", path, "--labels", "all"), "labels is 'all', but the table does not say")


def test_a_time_limit_is_no_error_but_said(tmp_path: Path) -> None:
    case = random_case(2, n=30, most_families=120, most_parents=3, style="steep", empty=1.0)
    path = tmp_path / "hard.parquet"
    write_scores(case.table(), path)
    result = run("search", path, "--time-limit", 0.001)
    assert result.exit_code == 0
    assert "incomplete: " in result.stderr
    assert "time limit" in result.stderr
    bounds = ("the optimum is at least", "no useful bound on the optimum is known")
    assert any(bound in result.stdout for bound in bounds)  # which, depends on the machine
    said = said_by(path, "--time-limit", 0.001, "--memory-limit", 1)
    assert said["complete"] is False
    assert said["shortfalls"]
    assert said["lower_bound"] <= said["optimum"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bayes-factor", "21"), "the Bayes factor is 21, but the table was scored for 20"),
        (("--bayes-factor", "0"), "the Bayes factor is 0; it must be a finite number"),
        (("--forbid", "cough"), "--forbid is 'cough'; it must look like A->B"),
        (("--forbid", "a->b"), "it must look like A->B, with variables of the table:"),
        (("--max-parents", "-1"), "max_parents is -1; it must be 0 or more"),
        (("--max-networks", "0"), "--max-networks is 0; it must be at least 1"),
        (("--memory-limit", "0"), "--memory-limit is 0 GiB; it must be above 0"),
        (("--memory-limit", "nan"), "--memory-limit is nan GiB; it must be above 0"),
        (("--time-limit", "0"), "time limit is 0"),
        (("--jobs", "0"), "jobs is 0; it must be at least 1"),
        (("--members", "members.csv"), "does not end like a file of members; allowed: .parquet"),
        (("--members", "nowhere/members.parquet"), "the folder nowhere does not exist"),
    ],
)
def test_bad_options_are_refused(scores: Path, options: tuple[str, ...], message: str) -> None:
    refused(run("search", scores, *options), message)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(run("search", tmp_path / "scores.jkl"), "cannot read")
    refused(run("search", tmp_path / "scores.xls"), "does not end like a file of scores")
