"""Files that appear whole or not at all."""

import random
import signal
from pathlib import Path

import pytest

from noisyor.core import SettingsError
from noisyor.whole_files import (
    check_target,
    remove_leftovers,
    remove_leftovers_in,
    write_whole,
    written_whole,
)
from tests.killed_runs import ended, leftovers, nothing, started, write_on_and_on

pytestmark = pytest.mark.timeout(60)

SIZE = 100_000


def test_a_writer_that_is_killed_leaves_whole_files_only(tmp_path: Path) -> None:
    moments = random.Random(9)  # noqa: S311  (no secret)
    seen, left = 0, 0
    ended(started(nothing))
    for _ in range(40):
        writer = started(write_on_and_on, tmp_path, SIZE)
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
    assert seen
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
    remove_leftovers_in(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(kept) - {".b.txt.0123456789abcdef"}
