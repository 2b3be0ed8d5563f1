"""--bins: numbers of many values become states, and new data are read the same way."""

import json
from pathlib import Path

import pytest

from noisyor import Binning, load
from tests.cli.test_cli import refused, run

TABLE = "age,ill,children\n" + "".join(f"{i * 7 % 50 + 20},{i % 2},{i % 4}\n" for i in range(60))
AGES = ["<= 34", "34 to 52", "> 52"]
"""The states of the age by default."""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("visits.csv")
    path.write_text(TABLE)
    return path


def described(*arguments: object) -> list[str]:
    """Return the states of the first variable, as `describe --json` tells them."""
    result = run("describe", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    states: list[str] = json.loads(result.stdout)["variables"][0]["states"]
    return states


def test_by_default_one_line_says_what_was_binned(table: Path) -> None:
    result = run("describe", table)
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: binned 1 column into 3 states by quantiles: age; --bins 4 makes others, "
        "and --bins none keeps every number\n"
    )
    for state in AGES:
        assert state in result.stdout


@pytest.mark.parametrize(
    ("bins", "states"),
    [
        (["2"], ["<= 43", "> 43"]),
        (["quantiles:2"], ["<= 43", "> 43"]),
        (["width:2"], ["<= 44.5", "> 44.5"]),
        (["age=30,50"], ["<= 30", "30 to 50", "> 50"]),
        (["none", "age=30,50"], ["<= 30", "30 to 50", "> 50"]),
        (["4", "age=30"], ["<= 30", "> 30"]),
    ],
)
def test_bins_are_chosen(table: Path, bins: list[str], states: list[str]) -> None:
    options = [word for one in bins for word in ("--bins", one)]
    assert described(table, *options) == states
    assert "binned 1 column into" in run("describe", table, *options).stderr


def test_no_bins(table: Path) -> None:
    assert len(described(table, "--bins", "none")) == 50
    result = run("describe", table, "--bins", "none")
    assert result.stderr == "binned no column\n"


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("some", "bins are 'some'; allowed are, for example: 4, quantiles:4"),
        ("aeg=1", "there is no column 'aeg'; the table has: age, ill, children"),
        ("mdl:age", "the target 'age' of mdl has 50 different values"),
        ("gone.json", "cannot read gone.json"),
        ("visits.json", "visits.json is not JSON"),
    ],
)
def test_wrong_bins_are_refused_in_one_line(table: Path, bins: str, message: str) -> None:
    Path("visits.json").write_text("age")
    result = run("describe", table, "--bins", bins)
    refused(result, message)
    assert result.stderr.count("\n") == 1


def test_a_run_keeps_its_bins(table: Path) -> None:
    result = run("learn", table, "--bins", "2", "--bins", "children=1", "-o", "run")
    assert result.exit_code == 0, result.stderr
    kept = Binning.load("run/bins.json")
    assert [rule.column for rule in kept.rules] == ["age", "children"]
    assert load("run").binning == kept
    Path("new.csv").write_text("age,ill,children\n90,0,1\n91,1,7\n")
    assert described("new.csv", "--bins", "run/bins.json") == ["<= 43", "> 43"]
    again = run("learn", table, "--bins", "run/bins.json", "-o", "again")
    assert again.exit_code == 0, again.stderr
    assert load("again").best == load("run").best
    assert load("again").binning == kept


def test_a_run_without_numbers_has_no_bins(table: Path) -> None:
    table.write_text("a,b\n0,0\n0,1\n1,1\n1,1\n")
    assert run("learn", table, "-o", "run", "--best", "best.json").exit_code == 0
    assert not Path("run/bins.json").exists()
    assert not Path("best.bins.json").exists()
    assert load("run").binning == Binning()


def test_bins_are_written_next_to_scores_and_networks(table: Path) -> None:
    two = ("--bins", "2", "--bins", "children=1")
    result = run("score", table, *two, "-o", "scores.parquet")
    assert result.exit_code == 0, result.stderr
    assert "wrote the bins of the numbers to scores.bins.json" in result.stderr
    result = run("learn", table, *two, "--best", "best.json")
    assert result.exit_code == 0, result.stderr
    assert Binning.load("best.bins.json") == Binning.load("scores.bins.json")
    result = run("learn", table, "--bins", "best.bins.json", "--best", "best.json")
    assert result.exit_code == 0, result.stderr


def test_bins_of_an_earlier_output_do_not_stay(table: Path) -> None:
    assert run("score", table, "--bins", "2", "--bins", "children=1", "-o", "s.jkl").exit_code == 0
    assert Path("s.bins.json").exists()
    table.write_text("a,b\n0,0\n0,1\n1,1\n1,1\n")
    assert run("score", table, "-o", "s.jkl").exit_code == 0
    assert not Path("s.bins.json").exists()


def test_inputs_are_not_overwritten(table: Path) -> None:
    Binning().save("rules.json")
    refused(
        run("learn", table, "--bins", "rules.json", "--best", "rules.json"),
        "the output rules.json would overwrite the input",
    )
    table.rename("visits.bins.json")
    refused(
        run("score", "visits.bins.json", "--format", "csv", "-o", "visits.jkl"),
        "the output visits.bins.json would overwrite the input",
    )


def test_show_reads_its_records_in_bins(table: Path) -> None:
    two = ("--bins", "2", "--bins", "children=1")
    assert run("learn", table, *two, "--best", "best.json").exit_code == 0
    refused(run("show", "best.json", "--bins", "2"), "are for the records of --data")
    result = run("show", "best.json", "--node", "ill", "--data", table, "--bins", "best.bins.json")
    assert result.exit_code == 0, result.stderr


def test_a_table_of_numbers_is_learned_as_it_is(table: Path) -> None:
    result = run("learn", table, "-o", "run", "--quiet")
    assert result.exit_code == 0, result.stderr
    assert "warning: binned 1 column into 3 states by quantiles: age;" in result.stderr
    assert load("run").best.states == (tuple(AGES), ("0", "1"), ("0", "1", "2", "3"))
    assert Binning.load("run/bins.json").rules[0].states == tuple(AGES)
