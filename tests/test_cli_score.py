"""The command that scores."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noisyor.cli import score_command
from noisyor.core import BinaryDataset
from noisyor.data.examples import example_csv, load_example
from noisyor.formats import read_scores, write_scores
from noisyor.scoring import Scored, ScoringInterrupted, score
from tests.test_cli import refused, run


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.csv"
    path.write_bytes(example_csv("clinic"))
    return path


@pytest.mark.parametrize("suffix", ["jkl", "pss", "parquet"])
def test_it_writes_the_table_that_the_library_makes(clinic: Path, suffix: str) -> None:
    output = clinic.with_name(f"scores.{suffix}")
    result = run("score", clinic, "-o", output, "--bayes-factor", 3)
    assert result.exit_code == 0
    assert f"wrote {output}" in result.stderr
    assert "families kept in" in result.stdout
    assert read_scores(output) == score(load_example("clinic"), 3).table


def test_json_says_what_was_done(clinic: Path) -> None:
    output = clinic.with_name("scores.parquet")
    options = ("--leak", "--max-parents", 3, "--relations", "cpt,noisy-or", "--jobs", 1)
    result = run("score", clinic, "-o", output, "--json", *options)
    said = json.loads(result.stdout)
    assert said["variables"] == 11
    assert said["records"] == 1000
    assert said["complete"] is True
    assert said["kept"] == len(read_scores(output))
    assert set(said["families"]) == {"cpt", "noisy-or", "leaky-noisy-or"}
    for one in said["families"].values():
        assert one["considered"] == sum(one["cut"].values()) + one["fitted"]
    assert said["kept"] == sum(one["kept"] for one in said["families"].values())
    assert said["largest_gap"] <= 1e-8
    assert max(row.bit_count() for row in read_scores(output).parents[:, 0].tolist()) <= 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bayes-factor", "0.5"), "the Bayes factor is 0.5; it must be a finite number"),
        (("--relations", "noisy-or"), "must include cpt"),
        (("--relations", "noisy-and,cpt"), "no relation 'noisy-and'; allowed: cpt, noisy-or"),
        (("--relations", ","), "--relations is empty"),
        (("--max-parents", "-1"), "max_parents is -1; it must be 0 or more"),
        (("--jobs", "0"), "jobs is 0; it must be at least 1"),
        (("--time-limit", "0"), "the time limit is 0.0; it must be above 0 seconds"),
    ],
)
def test_bad_options_are_refused(clinic: Path, options: tuple[str, ...], message: str) -> None:
    output = clinic.with_name("scores.jkl")
    refused(run("score", clinic, "-o", output, *options), message)
    assert not output.exists()


def test_an_unknown_kind_of_output_is_refused_before_any_work(tmp_path: Path) -> None:
    refused(run("score", "no-such-table.csv", "-o", tmp_path / "scores.xls"), "scores.xls")


def test_an_output_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere" / "scores.jkl"
    refused(run("score", "no-such-table.csv", "-o", missing), "nowhere does not exist")
    folder = tmp_path / "folder.jkl"
    folder.mkdir()
    refused(run("score", "no-such-table.csv", "-o", folder), "it is a folder; name a file")


def test_an_interrupted_run_keeps_what_is_finished_and_the_next_goes_on(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = clinic.with_name("scores.parquet")
    partial = clinic.with_name("scores.parquet.partial.parquet")
    whole = score(load_example("clinic"), 20)
    rescored: list[int] = []

    def interrupted(data: BinaryDataset, *_: object, **__: object) -> Scored:
        first = {child: whole.children[child] for child in range(4)}
        scope = replace(whole.table.scope, shortfalls=("an interruption left the rest",))
        rows = slice(0, whole.table.families_of(3).stop)
        table = replace(
            whole.table,
            children=whole.table.children[rows],
            parents=whole.table.parents[rows],
            relations=whole.table.relations[rows],
            costs=whole.table.costs[rows],
            gaps=whole.table.gaps[rows],
            offsets=whole.table.offsets[: rows.stop + 1],
            parameters=whole.table.parameters[: whole.table.offsets[rows.stop]],
            scope=scope,
        )
        assert data == load_example("clinic")
        raise ScoringInterrupted(Scored(table, whole.statistics, 1.0, first))

    monkeypatch.setattr(score_command, "score", interrupted)
    result = run("score", clinic, "-o", output)
    assert result.exit_code == 1
    assert "incomplete: an interruption left the rest" in result.stderr
    assert f"what is finished is in {partial}" in result.stderr
    assert not output.exists()
    assert partial.exists()

    def resumed(data: BinaryDataset, *arguments: Any, finished: Any, **options: Any) -> Scored:  # noqa: ANN401
        rescored.extend(set(range(11)) - set(finished))
        return score(data, *arguments, finished=finished, **options)

    monkeypatch.setattr(score_command, "score", resumed)
    result = run("score", clinic, "-o", output)
    assert result.exit_code == 0
    assert "4 of 11 children are done" in result.stderr
    assert rescored == list(range(4, 11))
    assert read_scores(output) == whole.table
    assert not partial.exists()


def test_a_time_limit_leaves_a_labelled_part(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = tmp_path / "hard.csv"
    rows = (rng.random((300, 45)) < 0.8).astype(int).tolist()
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    output = tmp_path / "hard.jkl"
    result = run("score", table, "-o", output, "--bayes-factor", 1000, "--time-limit", 0.2)
    assert result.exit_code == 1
    assert "incomplete: the time limit of 0.2 s left" in result.stderr
    assert not output.exists()
    assert not read_scores(tmp_path / "hard.jkl.partial.parquet").scope.complete


def test_a_part_of_other_settings_is_refused(clinic: Path) -> None:
    output = clinic.with_name("scores.parquet")
    other = score(load_example("clinic"), 3).table
    write_scores(other, clinic.with_name("scores.parquet.partial.parquet"))
    refused(run("score", clinic, "-o", output), "of other data, settings or version")
