"""Scoring in parts, and merging them."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from noisyor.cli import score_command
from noisyor.cli.score_parts import children_named
from noisyor.core import SettingsError
from noisyor.core.version import VERSION
from noisyor.data.examples import example_csv, load_example
from noisyor.formats import read_scores, write_scores
from noisyor.runs.sealed import sealed
from noisyor.scoring import FitCounts, Scored, score, score_request
from tests.cli.test_cli import refused, run

NAMES = ("age", "b,c", "2-3", "d")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.csv"
    path.write_bytes(example_csv("clinic"))
    return path


def part(clinic: Path, name: str, children: str, *options: object) -> Path:
    folder = clinic.with_name(name)
    result = run("score", clinic, "--children", children, "-o", folder, *options)
    assert result.exit_code == 0, result.stderr
    return folder


@pytest.mark.parametrize("suffix", ["jkl", "pss", "parquet"])
def test_merged_parts_are_the_same_bytes_as_a_table_scored_at_once(
    clinic: Path, suffix: str
) -> None:
    whole, together = clinic.with_name(f"whole.{suffix}"), clinic.with_name(f"parts.{suffix}")
    options = ("--relations", "all", "--bayes-factor", 3, "--max-parents", 4)
    assert run("score", clinic, "-o", whole, *options).exit_code == 0
    folders = [
        part(clinic, "part1", "1-4", *options),
        part(clinic, "part2", "9-11,7", *options),
        part(clinic, "part3", "4-6", *options),  # 4 is in two parts, which agree
        part(clinic, "part4", "8", *options),
    ]
    result = run("merge", *folders, "-o", together)
    assert result.exit_code == 0, result.stderr
    assert f"wrote {together}" in result.stderr
    assert together.read_bytes() == whole.read_bytes()
    if suffix != "parquet":
        beside = [path.with_name(path.name + ".noisyor.parquet") for path in (whole, together)]
        assert beside[0].read_bytes() == beside[1].read_bytes()


def test_a_part_says_what_it_lacks_and_json_counts_its_families(clinic: Path) -> None:
    result = run("score", clinic, "--children", "2", "-o", clinic.with_name("part"), "--json")
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert said["complete"] is False
    (shortfall,) = said["shortfalls"]
    assert shortfall.startswith("the choice of children left 10 of 11 children unscored: ")
    whole = clinic.with_name("whole.parquet")
    run("score", clinic, "-o", whole)
    assert said["kept"] == int((read_scores(whole).children == 1).sum()) > 0


def test_children_may_be_named(clinic: Path) -> None:
    names = pl.read_csv(clinic).columns
    folder = part(clinic, "part", f"{names[4]},{names[0]}")
    found = sorted(path.name for path in (folder / "checkpoint").glob("*.parquet"))
    assert found == ["child-0.parquet", "child-4.parquet"]


def test_missing_children_are_named(clinic: Path) -> None:
    names = pl.read_csv(clinic).columns
    folders = [part(clinic, "part1", "1-3"), part(clinic, "part2", "5-9,11")]
    output = clinic.with_name("scores.jkl")
    result = run("merge", *folders, "-o", output)
    refused(result, f"lack 2 of 11 children: {names[3]} (4), {names[9]} (10). Score them with")
    assert "--children 4,10" in result.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--score", "aic"), "differ in score"),
        (("--bayes-factor", "3"), "differ in Bayes factor."),
        (("--paper",), "differ in relations."),
        (("--max-parents", "2"), "differ in constraints."),
    ],
)
def test_parts_of_other_settings_are_refused(
    clinic: Path, options: tuple[str, ...], what: str
) -> None:
    folders = [part(clinic, "part1", "1-5"), part(clinic, "part2", "6-11", *options)]
    refused(run("merge", *folders, "-o", clinic.with_name("scores.jkl")), what)


def test_parts_of_other_data_are_refused(clinic: Path) -> None:
    first = part(clinic, "part1", "1-5")
    lines = clinic.read_text().splitlines()
    clinic.write_text("\n".join(lines[:-1]) + "\n")
    second = part(clinic, "part2", "6-11")
    refused(run("merge", first, second, "-o", clinic.with_name("scores.jkl")), "differ in data")


def test_parts_of_another_version_are_refused(clinic: Path) -> None:
    folders = [part(clinic, "part1", "1-5"), part(clinic, "part2", "6-11")]
    _rewrite(folders[1] / "checkpoint" / "child-7.parquet", version=VERSION + ".1")
    refused(
        run("merge", *folders, "-o", clinic.with_name("scores.jkl")), "differ in version of noisyor"
    )


def test_overlapping_parts_that_disagree_are_refused(clinic: Path) -> None:
    folders = [part(clinic, "part1", "1-6"), part(clinic, "part2", "6-11")]
    _rewrite(folders[1] / "checkpoint" / "child-5.parquet", more_cost=1e-9)
    result = run("merge", *folders, "-o", clinic.with_name("scores.jkl"))
    refused(result, "and not the same ones; one of them is damaged")


def _rewrite(path: Path, *, version: str = VERSION, more_cost: float = 0.0) -> None:
    """Rewrite a table with one difference."""
    table = read_scores(path)
    scope = replace(table.scope, provenance=replace(table.scope.provenance, version=version))
    columns = replace(table.columns, costs=table.columns.costs + more_cost)
    write_scores(replace(table, columns=columns, scope=scope), path)


def test_fits_that_did_not_converge_are_counted_over_all_parts(clinic: Path) -> None:
    folders = [part(clinic, "part1", "1-6"), part(clinic, "part2", "7-11")]
    final = 0
    for place, path in enumerate(sorted(clinic.parent.glob("part*/checkpoint/child-*.json"))):
        document = json.loads(path.read_text())
        document["fits"]["unconverged"] = 1 if place < 3 else 0
        final += FitCounts(**document["fits"]).final
        del document["sha256"]
        path.write_bytes(sealed(document))
    output = clinic.with_name("scores.parquet")
    assert run("merge", *folders, "-o", output).exit_code == 0
    (shortfall,) = read_scores(output).scope.shortfalls
    assert shortfall.startswith(f"3 of {final} final fits did not close their gap")


def test_a_part_goes_on_with_what_is_missing_in_it(clinic: Path) -> None:
    # With one thread: how much work a child takes may depend on the timing of several.
    folder = part(clinic, "part", "1-6", "--jobs", 1)
    before = {path.name: path.read_bytes() for path in (folder / "checkpoint").iterdir()}
    (folder / "checkpoint" / "child-2.parquet").unlink()
    again = run("score", clinic, "--children", "1-6", "-o", folder, "--jobs", 1, "--json")
    assert f"going on from {folder}: 5 of 6 children are done" in again.stderr
    assert json.loads(again.stdout)["children_from_earlier_run"] == 5
    assert {path.name: path.read_bytes() for path in (folder / "checkpoint").iterdir()} == before


def test_a_part_that_is_not_finished_in_time_says_so_and_exits_1(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = clinic.with_name("part")

    def score_three(*given: Any, children: list[int], **named: Any) -> Scored:  # noqa: ANN401
        return score_request(*given, children=children[:3], **named)

    monkeypatch.setattr(score_command, "score_request", score_three)
    result = run("score", clinic, "--children", "1-6", "-o", folder)
    assert result.exit_code == 1
    assert f"what is finished is in {folder}; the same command resumes" in result.stderr
    assert len(list((folder / "checkpoint").glob("child-*.parquet"))) == 3
    monkeypatch.undo()
    assert run("score", clinic, "--children", "1-6", "-o", folder).exit_code == 0
    assert len(list((folder / "checkpoint").glob("child-*.parquet"))) == 6


def test_a_folder_of_other_settings_is_refused(clinic: Path) -> None:
    folder = part(clinic, "part", "1-2")
    result = run("score", clinic, "--children", "3", "-o", folder, "--bayes-factor", 3)
    refused(result, "differs in: bayes_factor")


def test_a_file_as_output_of_a_part_is_refused(clinic: Path) -> None:
    output = clinic.with_name("scores.jkl")
    refused(run("score", clinic, "--children", "1", "-o", output), "the output is a folder")
    assert not output.exists()


def test_what_is_no_part_is_refused(clinic: Path) -> None:
    output = clinic.with_name("scores.jkl")
    refused(run("merge", clinic.parent, "-o", output), "is not a part of a score table")
    folder = part(clinic, "part", "1-3")
    (folder / "checkpoint" / "child-1.json").unlink()
    refused(run("merge", folder, "-o", output), "child-1.json is damaged: [Errno 2] No such file")
    shutil.rmtree(folder / "checkpoint")
    refused(run("merge", folder, "-o", output), "no child is finished in")


def test_what_killed_runs_left_of_the_output_is_removed(clinic: Path) -> None:
    folder, output = clinic.with_name("part"), clinic.with_name("scores.jkl")
    assert run("score", clinic, "--children", "1-11", "-o", folder, "--quiet").exit_code == 0
    left = clinic.with_name(".scores.jkl.0123456789abcdef")
    left.touch()
    assert run("merge", folder, "-o", output).exit_code == 0
    assert not left.exists()


def test_a_damaged_part_is_named_with_a_way_to_go_on(clinic: Path) -> None:
    folder = part(clinic, "part", "1-11")
    path = folder / "checkpoint" / "child-3.json"
    path.write_text(path.read_text().replace('"unconverged": 0', '"unconverged": 7'))
    output = clinic.with_name("scores.jkl")
    refused(run("merge", folder, "-o", output), f"{path} is damaged: it does not match its digest")
    assert not output.exists()
    again = run("score", clinic, "--children", "1-11", "-o", folder)
    refused(again, f"Remove {path.with_suffix('.parquet')} to repeat only that part")
    path.with_suffix(".parquet").unlink()
    assert run("score", clinic, "--children", "1-11", "-o", folder).exit_code == 0
    assert run("merge", folder, "-o", output).exit_code == 0


def test_an_output_of_merge_that_is_no_score_file_is_refused(clinic: Path) -> None:
    refused(run("merge", clinic.parent, "-o", clinic.with_name("scores.xls")), "scores.xls")


@pytest.mark.parametrize(
    ("given", "children"),
    [
        (["1"], [0]),
        (["3-4"], [2, 3]),
        (["d,1"], [0, 3]),
        (["4, age", "b,c"], [0, 1, 3]),
        (["1-4"], [0, 1, 2, 3]),
    ],
)
def test_children_are_columns_by_name_or_number(given: list[str], children: list[int]) -> None:
    assert children_named(given, NAMES) == children


@pytest.mark.parametrize("given", ["0", "5", "2-5", "4-3", "e", "", "1,,2", "-1", "1-", "b"])
def test_children_that_do_not_exist_are_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="by name, or by number from 1 to 4"):
        children_named([given], NAMES)


def test_a_name_that_looks_like_another_number_is_refused() -> None:
    with pytest.raises(SettingsError, match="in a way that is not ambiguous"):
        children_named(["2-3"], NAMES)
    assert children_named(["1,2"], ["1", "2", "3"]) == [0, 1]


@pytest.mark.parametrize("children", [[], [11], [-1, 2]])
def test_the_library_refuses_children_that_do_not_exist(children: list[int]) -> None:
    with pytest.raises(SettingsError, match="they must be numbers of variables, 0 to 10"):
        score(load_example("clinic"), children=children)
