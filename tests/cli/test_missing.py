"""The commands on tables that lack values."""

import json
from pathlib import Path

import polars as pl
import pytest

from tests.cli.test_cli import refused, run

ROWS = ["a,b,c"]
ROWS += ["0,0,0", "1,1,1", "0,0,", "1,,1", ",0,0", "1,1,0", "0,1,0", "1,0,1", ",1,1", "0,0,0"] * 6


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(ROWS) + "\n")
    return path


def test_the_error_speaks_flags(table: Path) -> None:
    for policy in ("drop", "state", "em"):
        refused(run("learn", table), f"--missing {policy}")


def test_learn_by_em_and_impute_from_the_run(table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = run("learn", table, "--missing", "em", "--starts", 2, "-o", folder, "--json", "-q")
    assert done.exit_code == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["missing"]["label"] == "approximate: completed by EM"
    assert len(said["missing"]["starts"]) == 2
    assert said["settings"]["missing"] == "em"
    again = run("learn", table, "--missing", "em", "--starts", 2, "-o", folder, "-q")
    assert "24 cells were missing in 24 records, completed by EM" in again.stdout
    out = tmp_path / "filled.csv"
    done = run("impute", table, "--run", folder, "-o", out, "--draws", 2)
    assert done.exit_code == 0, done.stderr
    filled = pl.read_csv(tmp_path / "filled-2.csv")
    assert filled.shape == (60, 3)
    assert filled.null_count().row(0) == (0, 0, 0)
    best = run("impute", table, "--network", folder / "best.json", "-o", out, "--most-probable")
    assert best.exit_code == 0, best.stderr
    assert pl.read_csv(out)["a"].null_count() == 0


def test_learn_says_what_was_left_out(table: Path) -> None:
    done = run("learn", table, "--missing", "drop", "-q")
    assert "24 of 60 records lack a value and are left out" in done.stderr
    assert "missing cells: drop, 24 records left out" in done.stdout
    done = run("learn", table, "--missing", "state", "--json", "-q")
    assert json.loads(done.stdout)["missing"]["policy"] == "state"


def test_options_of_em_need_em(table: Path) -> None:
    refused(run("learn", table, "--completions", 5), "--completions belongs to --missing em")
    both = run("learn", table, "--completions", 5, "--starts", 2)
    refused(both, "--completions and --starts belong to --missing em")
    refused(run("learn", table, "--missing", "em", "--starts", 0), "starts is 0")


def test_describe_shows_the_gaps(table: Path) -> None:
    done = run("describe", table)
    assert done.exit_code == 0, done.stderr
    assert "24 cells (13.3%) missing, in 24 of 60 records" in done.stdout
    said = json.loads(run("describe", table, "--json").stdout)
    assert [one["missing"] for one in said["missing"]["columns"]] == [12, 6, 6]
    assert said["variables"][0]["counts"] == [24, 24]
    refused(run("describe", table, "--missing", "error"), "values are missing in 24 of 60 records")


def test_impute_needs_one_network(table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    refused(run("impute", table, "-o", out), "either --run DIR or --network FILE")
    refused(run("impute", table, "-o", tmp_path / "out.txt"), "must end in .csv, .tsv or .parquet")
    refused(run("impute", table, "-o", table, "--run", tmp_path), "would overwrite the input")


def test_other_commands_need_complete_records(table: Path, tmp_path: Path) -> None:
    refused(run("score", table, "--missing", "em", "-o", tmp_path / "x.jkl"), "--missing em is for")


@pytest.mark.parametrize("command", ["score", "estimate", "calibrate", "compare-scores"])
def test_commands_without_em_do_not_suggest_it(table: Path, tmp_path: Path, command: str) -> None:
    output = ("-o", tmp_path / "x.jkl") if command == "score" else ()
    said = run(command, table, *output)
    refused(said, "--missing drop leaves those records out, and --missing state makes absence")
    assert "--missing em" not in said.stderr
