"""Files that appear whole or not at all."""

import errno
import os
import random
import signal
import stat
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pytest

from noisyor.core import SettingsError
from noisyor.files.whole import (
    check_target,
    make_folder,
    remove_files,
    remove_if_empty,
    remove_leftovers,
    write_whole,
    written_whole,
)
from tests.support.effort import HANGS_AFTER
from tests.support.killed_runs import ended, leftovers, nothing, started, write_on_and_on

SIZE = 100_000


def test_a_writer_that_is_killed_leaves_whole_files_only(tmp_path: Path) -> None:
    moments = random.Random(9)  # noqa: S311  (no secret)
    seen, left = 0, 0
    ended(started(nothing))
    for _ in range(40):
        (tmp_path / "one").unlink(missing_ok=True)
        writer = started(write_on_and_on, tmp_path, SIZE)
        until = time.monotonic() + HANGS_AFTER
        while not (tmp_path / "one").exists() and time.monotonic() < until:
            time.sleep(0.001)
        writer.join(moments.uniform(0, 0.1))
        writer.kill()
        assert ended(writer) == -signal.SIGKILL
        for path in (tmp_path / "one", tmp_path / "two"):
            if path.exists():
                seen += 1
                content = path.read_bytes()
                assert content == content[:1] * SIZE
        left += len(leftovers(tmp_path))
        remove_leftovers([tmp_path / "one", tmp_path / "two"])
        assert leftovers(tmp_path) == []
    assert seen >= 40
    assert left  # some were killed in the middle of writing


def test_a_link_stays_and_what_it_points_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    target, link = tmp_path / "store" / "real.txt", tmp_path / "link.txt"
    link.symlink_to(Path("store") / "real.txt")
    write_whole({link: b"new"})  # the link dangled
    assert target.read_bytes() == b"new"
    with written_whole(link) as file:
        file.write(b"newer")
    assert target.read_bytes() == b"newer"
    assert link.is_symlink()
    assert [path.name for path in target.parent.iterdir()] == ["real.txt"]


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    circle, lost = tmp_path / "circle", tmp_path / "lost"
    circle.symlink_to(circle)
    lost.symlink_to(tmp_path / "gone" / "file")
    for write in (check_target, lambda path: write_whole({path: b""})):
        with pytest.raises(SettingsError, match="circle: Too many levels of symbolic links"):
            write(circle)
        with pytest.raises(SettingsError, match=r"cannot write .*lost"):
            write(lost)
    assert {path.name for path in tmp_path.iterdir()} == {"circle", "lost"}


def test_only_leftovers_are_removed(tmp_path: Path) -> None:
    kept = [".a.txt.0123", "a.txt.0123456789abcdef", ".b.txt.0123456789abcdef", "a.txt", ".lock"]
    for name in (*kept, ".a.txt.0123456789abcdef"):
        (tmp_path / name).touch()
    remove_leftovers([tmp_path / "a.txt"])
    assert {path.name for path in tmp_path.iterdir()} == set(kept)


def test_only_regular_files_are_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    link, folder = tmp_path / ".a.txt.0123456789abcdef", tmp_path / ".a.txt.fedcba9876543210"
    link.symlink_to(precious)
    folder.mkdir()
    remove_leftovers([tmp_path / "a.txt"])
    remove_files([link, folder, precious, tmp_path / "gone"])
    assert {path.name for path in tmp_path.iterdir()} == {link.name, folder.name}


def test_only_an_empty_folder_that_is_no_link_is_removed(tmp_path: Path) -> None:
    full, empty, link = tmp_path / "full", tmp_path / "empty", tmp_path / "link"
    full.mkdir()
    (full / "file").touch()
    empty.mkdir()
    link.symlink_to(empty)
    for folder in (full, link, tmp_path / "gone"):
        remove_if_empty(folder)
    assert {path.name for path in tmp_path.iterdir()} == {"full", "empty", "link"}
    remove_if_empty(empty)
    assert not empty.exists()


def test_leftovers_of_a_target_that_cannot_be_are_refused(tmp_path: Path) -> None:
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    with pytest.raises(SettingsError, match="circle: Too many levels of symbolic links"):
        remove_leftovers([circle])


def steps_of(monkeypatch: pytest.MonkeyPatch, write: Callable[[], None]) -> list[str]:
    """Return the system calls of writing, in order: syncs and renames."""
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        steps.append(f"sync {name[:4]}" if name.startswith(".") else f"sync {name}")
        fsync(descriptor)

    def replaced(path: Path, target: Path) -> Path:
        steps.append(f"{path.name[:4]} becomes {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write()
    return steps


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc here")
def test_names_are_forced_to_disk_after_the_files_that_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a power failure undoes nothing, and never leaves a name without its content."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()

    def stream() -> None:
        with written_whole(here / "one") as file:
            file.write(b"1")

    both = {here / "one": b"1", here / "two": b"2", there / "six": b"6"}
    with monkeypatch.context() as patch:
        assert steps_of(patch, lambda: write_whole(both)) == [
            *("sync .one", "sync .two", "sync .six"),
            *(".one becomes one", ".two becomes two", ".six becomes six"),
            *("sync here", "sync there"),
        ]
    with monkeypatch.context() as patch:
        assert steps_of(patch, stream) == ["sync .one", ".one becomes one", "sync here"]
    with monkeypatch.context() as patch:
        new = here / "new" / "deep"
        assert steps_of(patch, lambda: make_folder(new)) == ["sync new", "sync here"]
        assert steps_of(patch, lambda: make_folder(new)) == []


@pytest.mark.parametrize(
    ("number", "matters"), [(errno.EIO, True), (errno.ENOSPC, True), (errno.EINVAL, False)]
)
def test_a_folder_that_the_disk_does_not_take_is_an_error_unless_it_never_could(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, matters: bool
) -> None:
    fsync = os.fsync

    def failing(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", failing)
    expected = pytest.raises(SettingsError, match=os.strerror(number)) if matters else nullcontext()
    with expected:
        write_whole({tmp_path / "one": b"1"})
    assert (tmp_path / "one").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["one"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("rows", [3, 100_000])
def test_what_polars_cannot_write_is_said_as_the_system_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    frame = pl.DataFrame({"a": range(rows)})
    original = Path.open
    monkeypatch.setattr(Path, "open", lambda *_: original(Path("/dev/full"), "wb"))
    for write in (frame.write_parquet, frame.write_csv, frame.lazy().sink_parquet):
        with (
            pytest.raises(SettingsError, match=r"cannot write .*table: No space left on device;"),
            written_whole(tmp_path / "table") as file,
        ):
            write(file)
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_is_not_of_the_disk_stays_as_it_is(tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        written_whole(tmp_path / "table") as file,
    ):
        file.write(bytes([1 // len(b"")]))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_made_is_told_and_not_that_it_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only medium refuses both; so does a path below a file."""
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="file/x: Not a directory"):
        write_whole({tmp_path / "file" / "x": b""})

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(SettingsError, match="x: Read-only file system"):
        write_whole({tmp_path / "x": b""})
    with (
        pytest.raises(SettingsError, match="x: Read-only file system"),
        written_whole(tmp_path / "x"),
    ):
        pass


def test_what_is_discarded_after_the_end_flushes_nothing(tmp_path: Path) -> None:
    """Python closes it then, and from 3.13 on prints what goes wrong."""
    with written_whole(tmp_path / "a.csv") as file:
        file.write(b"1\n")
    file.close()
    assert (tmp_path / "a.csv").read_bytes() == b"1\n"
