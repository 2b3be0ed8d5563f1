"""The command that scores."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noisyor.cli import score_command
from noisyor.cli.table_options import LearningTableOptions
from noisyor.core import AIC, BIC
from noisyor.core.relations import relations_from
from noisyor.core.request import Request
from noisyor.data.binning import Binning
from noisyor.data.examples import example_csv, load_example
from noisyor.formats import read_scores
from noisyor.scoring import Scored, ScoringInterrupted, score, score_request
from tests.cli.test_cli import refused, run
from tests.support.extreme_cases import dataset

INTERRUPTED = 130  # the exit status after Ctrl-C, as shells count


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
    options = ("--max-parents", 3, "--relations", "paper,leaky-noisy-or", "--jobs", 1)
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
        (("--relations", "noisy-xor,cpt"), "no relation 'noisy-xor'; allowed: cpt, noisy-or"),
        (("--relations", "cpt", "--paper"), "--paper and --relations both choose"),
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


def stopped_after(children: list[int]) -> Callable[..., Scored]:
    """Return a function that scores these children and is then interrupted."""

    def scored(*arguments: Any, **options: Any) -> Scored:  # noqa: ANN401
        raise ScoringInterrupted(score_request(*arguments, **(options | {"children": children})))

    return scored


def test_an_interrupted_run_keeps_what_is_finished_and_the_next_goes_on(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = clinic.with_name("scores.parquet")
    partial = clinic.with_name("scores.parquet.partial")
    rescored: list[int] = []
    monkeypatch.setattr(score_command, "score_request", stopped_after([0, 1, 2, 3]))
    result = run("score", clinic, "-o", output)
    assert result.exit_code == INTERRUPTED
    assert "incomplete: the choice of children left 7 of 11" in result.stderr
    assert f"what is finished is in {partial}" in result.stderr
    assert not output.exists()
    assert partial.exists()

    def resumed(request: Request, *, finished: Any, **options: Any) -> Scored:  # noqa: ANN401
        rescored.extend(set(range(11)) - set(finished))
        return score_request(request, finished=finished, **options)

    monkeypatch.setattr(score_command, "score_request", resumed)
    result = run("score", clinic, "-o", output)
    assert result.exit_code == 0
    assert f"going on from {partial}: 4 of 11 children are done" in result.stderr
    assert rescored == list(range(4, 11))
    assert read_scores(output) == score(load_example("clinic"), 20).table
    assert [path.name for path in clinic.parent.iterdir()] == ["clinic.csv", "scores.parquet"]


def test_a_run_that_goes_on_says_what_an_undisturbed_one_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 2^52 records, a fit cannot close its gap: here, one of a child finished earlier."""
    data = dataset({0: 2**52, 7: 2**50, 5: 2**50, 4: 11, 3: 5}, 3)
    paper = relations_from("paper")
    scored = [score(data, 20, relations=paper, children=own, jobs=1) for own in ([1], None)]
    assert [one.statistics.fits.unconverged for one in scored] == [1, 1]
    monkeypatch.setattr(LearningTableOptions, "read", lambda *_: (data, Binning()))
    options = ("--paper", "--jobs", 1, "--json")
    outputs = [tmp_path / "undisturbed.jkl", tmp_path / "resumed.jkl"]
    undisturbed = run("score", "table", "-o", outputs[0], *options)
    monkeypatch.setattr(score_command, "score_request", stopped_after([1]))
    assert run("score", "table", "-o", outputs[1], *options).exit_code == INTERRUPTED
    monkeypatch.setattr(score_command, "score_request", score_request)
    resumed = run("score", "table", "-o", outputs[1], *options)
    for result in (undisturbed, resumed):
        assert "incomplete: 1 of 3 final fits did not close their gap" in result.stderr
    said, again = json.loads(undisturbed.stdout), json.loads(resumed.stdout)
    assert said["shortfalls"]
    assert (said.pop("children_from_earlier_run"), again.pop("children_from_earlier_run")) == (0, 1)
    assert said.pop("seconds")
    assert again.pop("seconds")
    assert again == said
    for beside in ("", ".noisyor.parquet"):
        one, other = (path.with_name(path.name + beside).read_bytes() for path in outputs)
        assert other == one


def test_a_time_limit_leaves_a_labelled_part(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = tmp_path / "hard.csv"
    rows = (rng.random((300, 45)) < 0.8).astype(int).tolist()
    table.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    output = tmp_path / "hard.jkl"
    result = run("score", table, "-o", output, "--bayes-factor", 1000, "--time-limit", 0.2)
    assert result.exit_code == 1
    assert "incomplete: the time limit left" in result.stderr
    assert not output.exists()
    kept = list((tmp_path / "hard.jkl.partial").glob("checkpoint/child-*.parquet"))
    assert bool(kept) is ("what is finished is in" in result.stderr)


def test_what_another_run_has_left_is_refused_unless_it_had_finished_nothing(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = clinic.with_name("scores.parquet")
    partial = clinic.with_name("scores.parquet.partial")
    monkeypatch.setattr(score_command, "score_request", stopped_after([0]))
    assert run("score", clinic, "-o", output, "--bayes-factor", 3).exit_code == INTERRUPTED
    refused(
        run("score", clinic, "-o", output),
        f"{partial} is the folder of a run that differs in: bayes_factor",
    )
    next(partial.glob("checkpoint/child-0.parquet")).unlink()
    monkeypatch.setattr(score_command, "score_request", score_request)
    assert run("score", clinic, "-o", output).exit_code == 0
    assert not partial.exists()


def test_a_run_that_fails_before_anything_is_finished_leaves_nothing(clinic: Path) -> None:
    output = clinic.with_name("scores.parquet")
    refused(run("score", clinic, "-o", output, "--time-limit", -1), "the time limit is -1")
    assert [path.name for path in clinic.parent.iterdir()] == ["clinic.csv"]


def test_a_folder_of_others_in_the_place_of_what_is_kept_stays(clinic: Path) -> None:
    partial = clinic.with_name("scores.parquet.partial")
    partial.mkdir()
    (partial / "letter.txt").write_text("Dear", encoding="utf-8")
    refused(
        run("score", clinic, "-o", clinic.with_name("scores.parquet")), "is not empty and is not"
    )
    assert [path.name for path in partial.iterdir()] == ["letter.txt"]


def test_a_folder_of_others_that_looks_like_one_of_ours_stays(clinic: Path) -> None:
    output = clinic.with_name("scores.jkl")
    partial = clinic.with_name("scores.jkl.partial")
    (partial / "checkpoint").mkdir(parents=True)
    (partial / "run.json").write_text('{"mine": 1}', encoding="utf-8")
    (partial / "checkpoint" / "model.bin").write_text("weights", encoding="utf-8")
    refused(run("score", clinic, "-o", output), f"{partial} is the folder of a run that differs in")
    assert (partial / "run.json").read_text(encoding="utf-8") == '{"mine": 1}'
    assert (partial / "checkpoint" / "model.bin").exists()
    # A folder of ours without a child, but with a file of others in it.
    (partial / "run.json").write_text('{"part": "scores of some children"}', encoding="utf-8")
    refused(run("score", clinic, "-o", output), f"{partial} is the folder of a run that differs in")
    assert (partial / "checkpoint" / "model.bin").exists()


def test_the_folder_of_a_finished_run_is_not_spoiled(clinic: Path) -> None:
    output = clinic.with_name("scores.jkl")
    partial = clinic.with_name("scores.jkl.partial")
    assert run("learn", clinic, "-o", partial, "--quiet").exit_code == 0
    refused(run("score", clinic, "-o", output), f"{partial} is the folder of a run that differs in")
    assert run("learn", clinic, "-o", partial, "--quiet").exit_code == 0


def test_a_damaged_identity_is_named_with_a_way_to_go_on(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = clinic.with_name("scores.parquet")
    partial = clinic.with_name("scores.parquet.partial")
    monkeypatch.setattr(score_command, "score_request", stopped_after([0]))
    assert run("score", clinic, "-o", output).exit_code == INTERRUPTED
    (partial / "run.json").write_text("{", encoding="utf-8")
    refused(run("score", clinic, "-o", output), f"Remove the folder {partial} to start anew")


def test_the_score_is_chosen_by_name_and_recorded(clinic: Path) -> None:
    output = clinic.with_name("scores.parquet")
    run("score", clinic, "-o", output)
    assert read_scores(output).scope.score is BIC
    result = run("score", clinic, "-o", output, "--score", "aic")
    assert result.exit_code == 0
    assert read_scores(output) == score(load_example("clinic"), 20, score="aic").table
    assert read_scores(output).scope.score is AIC


@pytest.mark.parametrize("command", ["score", "learn", "estimate"])
def test_an_unknown_score_is_refused(clinic: Path, command: str) -> None:
    output = ("-o", clinic.with_name("scores.jkl")) if command == "score" else ()
    result = run(command, clinic, *output, "--score", "mdl")
    refused(result, "there is no score 'mdl'; allowed: bic, aic")


def test_a_partial_table_of_another_score_is_not_gone_on_from(
    clinic: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = clinic.with_name("scores.parquet")
    monkeypatch.setattr(score_command, "score_request", stopped_after([0]))
    assert run("score", clinic, "-o", output).exit_code == INTERRUPTED
    monkeypatch.undo()
    refused(run("score", clinic, "-o", output, "--score", "aic"), "differs in: score")
