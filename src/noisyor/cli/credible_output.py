"""What the commands that find networks show and write."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from noisyor.cli.terminal import note
from noisyor.core import CredibleSet, SettingsError
from noisyor.formats import check_member_suffix, write_members
from noisyor.pipeline import LearnProgress
from noisyor.search import SearchProgress
from noisyor.whole_files import check_target


def check_members_file(path: Path | None, most: int) -> None:
    """Refuse what could not be written, before the search that is to end in it."""
    if most < 1:
        raise SettingsError(f"--max-networks is {most}; it must be at least 1")
    if path is not None:
        check_member_suffix(path)
        check_target(path)


def say_limits(credible: CredibleSet) -> None:
    """Say on standard error what the result leaves open."""
    for shortfall in credible.shortfalls:
        note(f"incomplete: {shortfall}")
    for line in credible.notes:
        note(f"note: {line}")


def write_asked(credible: CredibleSet, path: Path | None, most: int) -> int | None:
    """Write the networks, if a file was asked for; return how many."""
    if path is None:
        return None
    written = write_members(credible, path, most)
    rest = "all" if written == credible.count and credible.complete else "not all"
    note(f"wrote {written:,} networks, {rest} credible ones, to {path}")
    return written


@contextmanager
def search_progress(*, quiet: bool) -> Iterator["ProgressLine | None"]:
    """Show a line with the bounds so far, on a terminal."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as line:
        yield ProgressLine(line)


class ProgressLine:
    """Shows what the search is doing."""

    def __init__(self, line: Progress) -> None:
        self._line = line
        self._task = line.add_task("searching", total=None)

    def __call__(self, now: SearchProgress | LearnProgress) -> None:
        """Take the latest figures."""
        bounds = ""
        if now.lower_bound is not None and now.upper_bound is not None:
            bounds = f" the optimum lies in [{now.lower_bound:.3f}, {now.upper_bound:.3f}]"
        self._line.update(self._task, description=f"{now.step}:{bounds} {now.detail}")
