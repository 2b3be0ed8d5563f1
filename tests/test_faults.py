"""Runs that are killed, interrupted, or refused disk and memory: nothing is lost or half-written.

Each case ends with an undisturbed run in the same place, which must give the same bytes as a run
that was never disturbed.
"""

import math
import os
import random
import re
import shutil
import signal
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.cli.terminal import EXIT_ERROR
from noisyor.core import Dataset
from noisyor.data.examples import example_csv
from noisyor.runs.checkpoint import FOLDER, Checkpoint
from tests.cli.test_cli import refused, run
from tests.runs.test_checkpoint import frame_of, records
from tests.scoring.problems import random_dataset, random_tables
from tests.support.effort import HANGS_AFTER, chosen
from tests.support.killed_runs import command, ended, learn, leftovers, nothing, started
from tests.support.run_results import results_in

KILLS = chosen(quick=3, full=12)

Start = Callable[[Path], BaseProcess]
"""Starts a run in a folder, in a process of its own."""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "clinic.csv"
    path.write_bytes(example_csv("clinic"))
    return path


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table of two to four states."""
    data = random_tables(7, 8, 600)
    path = tmp_path_factory.mktemp("data") / "survey.csv"
    path.write_text(text_of(data, frozenset()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def gaps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a table that lacks every seventh cell."""
    data = random_tables(8, 5, 150, 2)
    path = tmp_path_factory.mktemp("data") / "gaps.csv"
    path.write_text(text_of(data, frozenset(range(3, 5 * 150, 7))), encoding="utf-8")
    return path


def text_of(data: Dataset, missing: frozenset[int]) -> str:
    """Return records as CSV without some cells, which are counted row by row."""
    rows = np.repeat(data.codes, data.weights, axis=0).tolist()
    labels = [
        "" if row * data.variable_count + column in missing else data.states[column][code]
        for row, codes in enumerate(rows)
        for column, code in enumerate(codes)
    ]
    width = data.variable_count
    lines = [",".join(labels[start : start + width]) for start in range(0, len(labels), width)]
    return "\n".join([",".join(data.names), *lines, ""])


def learning(table: Path, method: str) -> Start:
    return lambda folder: started(learn, table, folder, method)


def scoring(table: Path, suffix: str) -> Start:
    def start(folder: Path) -> BaseProcess:
        folder.mkdir(exist_ok=True)
        asked = ["score", str(table), "-o", str(folder / f"scores{suffix}"), "--quiet"]
        return started(command, asked, folder.with_suffix(".said"))

    return start


def killed_at_random(start: Start, folder: Path, most_seconds: float, seed: int) -> None:
    """Kill runs in a folder at random moments; one that has ended before is begun anew.

    How long a run takes is known from those that ended, and changes with what else the machine
    does: after each such run the moments are drawn from half of the time that it took.
    """
    moments = random.Random(seed)  # noqa: S311  (no secret)
    kills = 0
    while kills < KILLS:
        began = time.monotonic()
        process = start(folder)
        process.join(moments.uniform(0, most_seconds))
        process.kill()
        if ended(process) == -signal.SIGKILL:
            kills += 1
        else:
            assert process.exitcode == 0
            shutil.rmtree(folder)
            most_seconds = min(most_seconds, time.monotonic() - began) / 2


@pytest.mark.parametrize(
    ("seed", "table", "make", "how"),
    [
        (1, "clinic", learning, "table"),
        (2, "clinic", learning, "price"),
        (3, "clinic", scoring, ".jkl"),
        (4, "clinic", scoring, ".parquet"),
        pytest.param(5, "survey", learning, "table", marks=pytest.mark.slow),
        pytest.param(6, "survey", learning, "price", marks=pytest.mark.slow),
        pytest.param(7, "survey", scoring, ".parquet", marks=pytest.mark.slow),
        pytest.param(8, "gaps", learning, "em", marks=pytest.mark.slow),
    ],
)
def test_kill_9_at_random_moments_changes_nothing(  # noqa: PLR0913, PLR0917
    request: pytest.FixtureRequest,
    tmp_path: Path,
    seed: int,
    table: str,
    make: Callable[[Path, str], Start],
    how: str,
) -> None:
    start = make(request.getfixturevalue(table), how)
    ended(started(nothing))
    began = time.monotonic()
    assert ended(start(tmp_path / "undisturbed")) == 0
    took = time.monotonic() - began
    killed_at_random(start, tmp_path / "run", took, seed)
    assert ended(start(tmp_path / "run")) == 0
    assert leftovers(tmp_path) == []
    expected = results_in(tmp_path / "undisturbed")
    assert len(expected) >= (1 if make is scoring else 10)
    assert results_in(tmp_path / "run") == expected


@pytest.mark.slow
def test_kill_9_of_a_run_in_layers_loses_no_network_that_was_kept(tmp_path: Path) -> None:
    """Sixty variables: each run goes on from the network and the layers of the one before.

    The climbers of a run go by the clock, so that networks may differ, but none gets worse.
    """
    table, folder = tmp_path / "wide.csv", tmp_path / "run"
    table.write_text(text_of(random_dataset(9, 60, 400), frozenset()), encoding="utf-8")
    moments = random.Random(10)  # noqa: S311  (no secret)
    best = math.inf
    for _ in range(KILLS):
        process = started(learn, table, folder, "layers")
        until = time.monotonic() + HANGS_AFTER
        while not list(folder.glob(f"{FOLDER}/climbed-*.parquet")) and time.monotonic() < until:
            time.sleep(0.01)
        process.join(moments.uniform(0, 3))
        process.kill()
        assert ended(process) == -signal.SIGKILL
        kept = Checkpoint(folder).climbed()
        assert kept is not None
        scores, rows = kept
        cost = float(scores.costs[rows].sum())
        assert cost <= best + 1e-6
        best = cost
    said = tmp_path / "said"
    asked = ["learn", str(table), "-o", str(folder), "--method", "layers", "--time-limit", "6"]
    assert ended(started(command, [*asked, "--quiet"], said)) == 0
    assert noisyor.load(folder).credible.optimum <= best + 1e-6
    assert leftovers(tmp_path) == []


def test_a_killed_score_goes_on_from_the_children_that_were_done(
    tmp_path: Path, clinic: Path
) -> None:
    output = tmp_path / "scores.parquet"
    partial = tmp_path / "scores.parquet.partial"
    for _ in range(50):
        process = started(command, ["score", str(clinic), "-o", str(output)], tmp_path / "said")
        until = time.monotonic() + HANGS_AFTER
        while process.is_alive() and not children_in(partial) and time.monotonic() < until:
            time.sleep(0.0005)
        process.kill()
        ended(process)
        if children_in(partial):
            break
    done = len(children_in(partial))
    assert done
    result = run("score", clinic, "-o", output)
    assert result.exit_code == 0
    assert f"going on from {partial}: {done} of 11 children are done" in result.stderr
    assert not partial.exists()


def children_in(folder: Path) -> list[Path]:
    return list(folder.glob(f"{FOLDER}/child-*.parquet"))


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path, number: signal.Signals) -> None:
    table, folder, said = tmp_path / "table.parquet", tmp_path / "run", tmp_path / "said"
    frame_of(records(20)).write_parquet(table)
    asked = ["learn", str(table), "-o", str(folder), "--method", "table", "--jobs", "1", "--quiet"]
    process = started(command, asked, said)
    until = time.monotonic() + HANGS_AFTER
    while not children_in(folder) and time.monotonic() < until:
        time.sleep(0.0005)
    assert process.pid is not None
    os.kill(process.pid, number)
    assert ended(process) == 128 + number
    kept, last = said.read_text(encoding="utf-8").splitlines()
    assert kept.startswith(f"what is done is kept in {folder}; to go on: noisyor learn ")
    assert last == "interrupted"
    assert leftovers(tmp_path) == []
    assert not (folder / "summary.json").exists()
    assert Checkpoint(folder).finished()
    assert ended(started(command, asked, said)) == 0
    assert (folder / "summary.json").exists()
    assert not (folder / FOLDER).exists()


@pytest.mark.parametrize("most_bytes", [1_000, 5_000, 15_000, 40_000])
def test_a_full_disk_is_said_and_leaves_nothing_half_written(
    tmp_path: Path, clinic: Path, most_bytes: int
) -> None:
    """A limit on the size of a file stands for a disk without room for it."""
    folder, said = tmp_path / "run", tmp_path / "said"
    asked = ["learn", str(clinic), "-o", str(folder), "--quiet"]
    assert ended(started(command, asked, said, most_bytes)) == 2
    assert said.read_text(encoding="utf-8").startswith(f"error: cannot write {folder}")
    assert "File too large" in said.read_text(encoding="utf-8")
    assert said.read_text(encoding="utf-8").count("\n") == 1
    assert leftovers(tmp_path) == []
    assert not (folder / "summary.json").exists()
    assert ended(started(command, asked, said)) == 0
    assert ended(started(learn, clinic, tmp_path / "undisturbed", "table")) == 0
    assert results_in(folder) == results_in(tmp_path / "undisturbed")


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_a_full_disk_while_records_are_written(tmp_path: Path, clinic: Path, suffix: str) -> None:
    model, output, said = tmp_path / "best.json", tmp_path / f"records{suffix}", tmp_path / "said"
    assert run("learn", clinic, "--best", model, "--quiet").exit_code == 0
    asked = ["sample", str(model), "-n", "5000", "-o", str(output)]
    check_full_disk(asked, output, said)


def test_a_full_disk_while_members_are_written(tmp_path: Path, clinic: Path) -> None:
    scores, output, said = tmp_path / "s.jkl", tmp_path / "members.parquet", tmp_path / "said"
    assert run("score", clinic, "-o", scores, "--quiet").exit_code == 0
    check_full_disk(["search", str(scores), "--members", str(output), "--quiet"], output, said)


def check_full_disk(asked: list[str], output: Path, said: Path) -> None:
    """Check that a command without room for its output says so in a line and leaves nothing."""
    assert ended(started(command, asked, said, 1_000)) == 2
    words = said.read_text(encoding="utf-8")
    assert words.startswith(f"error: cannot write {output}: File too large; ")
    assert words.count("\n") == 1
    assert not output.exists()
    assert leftovers(output.parent) == []
    assert ended(started(command, asked, said)) == 0
    assert output.stat().st_size > 1_000


@pytest.mark.parametrize(
    ("asked", "files"), [("learn", 0), ("learn", 7), ("learn", 30), ("score", 0), ("score", 23)]
)
def test_too_little_memory_is_said_and_leaves_nothing_half_written(
    tmp_path: Path, clinic: Path, asked: str, files: int
) -> None:
    output, said = tmp_path / ("run" if asked == "learn" else "scores.jkl"), tmp_path / "said"
    arguments = [asked, str(clinic), "-o", str(output), "--quiet"]
    assert ended(started(command, arguments, said, None, files)) == 1
    words = said.read_text(encoding="utf-8")
    assert words.startswith("error: out of memory")
    assert words.count("\n") == 1
    assert leftovers(tmp_path) == []
    assert not (output / "summary.json" if asked == "learn" else output).exists()
    assert ended(started(command, arguments, said)) == 0


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")
def test_a_folder_in_which_nothing_can_be_made_is_refused(clinic: Path) -> None:
    """Even root can make nothing there."""
    refused(run("learn", clinic, "-o", "/proc"), "cannot use the folder /proc: ")
    refused(run("learn", clinic, "-o", "/proc/run"), "cannot use the folder /proc/run: ")
    result = run("score", clinic, "-o", "/proc/scores.jkl")
    assert result.exit_code == EXIT_ERROR
    # Only root may try to write there.
    assert re.match(r"error: cannot (use|write) /proc/scores\.jkl: ", result.stderr)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, clinic: Path) -> None:
    (tmp_path / "run").write_text("mine", encoding="utf-8")
    refused(run("learn", clinic, "-o", tmp_path / "run"), "cannot use the folder")
    refused(run("learn", clinic, "-o", tmp_path / "run" / "inner"), "cannot use the folder")
    assert (tmp_path / "run").read_text(encoding="utf-8") == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_refused_before_any_work(tmp_path: Path, clinic: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o555)
    refused(run("learn", clinic, "-o", folder), f"cannot use the folder {folder}: Permission")
    refused(run("score", clinic, "-o", folder / "scores.jkl"), "cannot be written to")
    assert list(folder.iterdir()) == []
