"""One run at a time per output."""

import errno
import fcntl
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

import noisyor
import noisyor.runs.learned
from noisyor.core import SettingsError
from noisyor.files.lock import FOLDER_LOCK, file_in_use, folder_in_use
from noisyor.runs.folder import write_summary
from tests.cli.test_cli import refused, run
from tests.support.effort import HANGS_AFTER
from tests.support.killed_runs import ended, leftovers, started

ROUNDS = 30


def hold(folder: Path) -> None:
    """Use a folder until killed."""
    with folder_in_use(folder):
        (folder / "held").touch()
        time.sleep(60)


def count_up(folder: Path, times: int) -> None:
    """Increment a number in a file `times` times; concurrent updates would be lost."""
    number = folder / "number"
    while times:
        with suppress(SettingsError), folder_in_use(folder):
            before = int(number.read_text(encoding="utf-8"))
            time.sleep(0.0005)
            number.write_text(str(before + 1), encoding="utf-8")
            times -= 1


def in_use_by_another(folder: Path) -> str:
    return f"the folder {folder} is in use by another run of noisyor; wait until that has ended"


def test_a_second_run_in_a_folder_is_refused_until_the_first_has_ended(tmp_path: Path) -> None:
    clinic = noisyor.load_example("clinic")
    with folder_in_use(tmp_path), pytest.raises(SettingsError) as refusal:
        noisyor.learn(clinic, folder=tmp_path)
    assert str(refusal.value).startswith(in_use_by_another(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert noisyor.learn(clinic, folder=tmp_path).complete
    assert not (tmp_path / FOLDER_LOCK).exists()


def test_a_run_that_is_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    table = tmp_path / "pump.csv"
    assert run("examples", "pump", "-o", table).exit_code == 0
    folder = tmp_path / "run"
    folder.mkdir()
    holder = started(hold, folder)
    until = time.monotonic() + HANGS_AFTER
    while not (folder / "held").exists() and time.monotonic() < until:
        time.sleep(0.001)
    refused(run("learn", table, "-o", folder), in_use_by_another(folder))
    holder.kill()
    ended(holder)
    (folder / "held").unlink()
    assert (folder / FOLDER_LOCK).exists()
    assert run("learn", table, "-o", folder, "--quiet").exit_code == 0
    assert not (folder / FOLDER_LOCK).exists()


def test_an_output_file_that_another_run_is_to_write_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "pump.csv"
    assert run("examples", "pump", "-o", table).exit_code == 0
    output, link = tmp_path / "scores.jkl", tmp_path / "link.jkl"
    link.symlink_to(output)
    with file_in_use(output):
        for name in (output, link):
            refused(run("score", table, "-o", name), f"{name} is in use by another run")
        assert run("score", table, "-o", tmp_path / "other.jkl").exit_code == 0
    assert run("score", table, "-o", link).exit_code == 0
    assert link.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {
        *("pump.csv", "link.jkl", "scores.jkl", "link.jkl.noisyor.parquet"),
        *("other.jkl", "other.jkl.noisyor.parquet"),
    }


def test_save_refuses_a_folder_in_use_and_locks_it_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = noisyor.learn(noisyor.load_example("pump"), quiet=True)
    folder = tmp_path / "run"
    folder.mkdir()
    with folder_in_use(folder), pytest.raises(SettingsError, match="in use by another run"):
        learned.save(folder)
    assert list(folder.iterdir()) == []
    locked: list[bool] = []

    def last_file(where: Path, said: Mapping[str, object]) -> None:
        locked.append((where / FOLDER_LOCK).exists())
        write_summary(where, said)

    monkeypatch.setattr(noisyor.runs.learned, "write_summary", last_file)
    learned.save(folder)
    assert locked == [True]
    assert not (folder / FOLDER_LOCK).exists()
    assert noisyor.load(folder).count == learned.count


def test_other_commands_refuse_an_output_that_is_being_written(tmp_path: Path) -> None:
    """Leftovers of killed writers are removed once nobody is writing the file."""
    raw, model = tmp_path / "raw.csv", tmp_path / "model.json"
    raw.write_text("age\n20\n30\n70\n", encoding="utf-8")
    truth = noisyor.example_truth("pump")
    noisyor.write_network(truth, model)
    for output, arguments in {
        tmp_path / "model.bif": ("convert", model, tmp_path / "model.bif"),
        tmp_path / "drawn.csv": ("sample", model, "-o", tmp_path / "drawn.csv"),
        tmp_path / "binary.csv": ("binarize", raw, "-o", tmp_path / "binary.csv"),
    }.items():
        left = output.with_name(f".{output.name}.0123456789abcdef")
        left.touch()
        with file_in_use(output):
            refused(run(*arguments), f"{output} is in use by another run of noisyor")
        assert left.exists()
        assert not output.exists()
        assert run(*arguments).exit_code == 0
        assert output.exists()
    assert leftovers(tmp_path) == []


def test_an_error_gives_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), folder_in_use(tmp_path):
        raise ZeroDivisionError
    with folder_in_use(tmp_path):
        assert (tmp_path / FOLDER_LOCK).exists()
    assert list(tmp_path.iterdir()) == []


def test_many_that_take_turns_never_meet(tmp_path: Path) -> None:
    """The lock file comes and goes, so some processes lock one that was just deleted."""
    (tmp_path / "number").write_text("0", encoding="utf-8")
    counters = [started(count_up, tmp_path, ROUNDS) for _ in range(4)]
    assert [ended(counter) for counter in counters] == [0, 0, 0, 0]
    assert (tmp_path / "number").read_text(encoding="utf-8") == str(4 * ROUNDS)


def test_a_file_system_without_locks_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        del descriptor, operation
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with pytest.warns(UserWarning, match="has no locks"), folder_in_use(tmp_path):
        pass


def test_a_foreign_folder_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / ".note.0123456789abcdef").write_text("mine", encoding="utf-8")
    with pytest.raises(SettingsError, match="not empty and is not the folder of a run"):
        noisyor.learn(noisyor.load_example("pump"), folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".note.0123456789abcdef"]


def test_a_lock_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """Our locks are empty files, which are removed in the end."""
    learned = noisyor.learn(noisyor.load_example("pump"), quiet=True)
    lock = tmp_path / FOLDER_LOCK
    lock.write_text("4711", encoding="utf-8")
    with pytest.raises(SettingsError, match="not an empty file, so not a lock of noisyor"):
        learned.save(tmp_path)
    assert lock.read_text(encoding="utf-8") == "4711"
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SettingsError, match=r"\.lock is a link"):
        learned.save(tmp_path)
    assert lock.is_symlink()
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(SettingsError, match="not an empty file"):
        learned.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [FOLDER_LOCK]
