"""What a run of `noisyor score` has finished, so that the next one can resume.

Next to the output, the folder `FILE.partial` holds a part as `score --children` makes it: a file
for each finished child, with its work statistics. So a resumed run ends with the same result and
the same messages as an undisturbed one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.cli.score_parts import is_part, part_in
from noisyor.cli.terminal import note
from noisyor.core import ScoreTable
from noisyor.core.request import Request
from noisyor.files.lock import FOLDER_LOCK
from noisyor.files.whole import refuse_links, remove_files, remove_if_empty
from noisyor.runs.checkpoint import Checkpoint, remove_unfinished
from noisyor.runs.folder import RUN, used_alone

_SUFFIX = ".partial"


def partial_folder(output: Path) -> Path:
    """Return where a run keeps what it has finished until it writes the output."""
    return output.with_name(output.name + _SUFFIX)


@contextmanager
def partial_scores(output: Path, request: Request) -> Iterator[Checkpoint]:
    """Provide the checkpoint for finished children, with those of an earlier run, if any.

    The earlier run must have had the same settings. On exit, the folder is removed if it is empty:
    if no child was finished, or if the result was written and the checkpoint was cleared.
    """
    folder = partial_folder(output)
    refuse_links([folder])
    with used_alone(folder):
        _forget_if_empty(folder)  # after a run that finished nothing, settings may differ
        try:
            yield part_in(folder, request)
        finally:
            _forget_if_empty(folder)
            if {path.name for path in folder.iterdir()} <= {FOLDER_LOCK}:
                remove_files([folder / FOLDER_LOCK])
                remove_if_empty(folder)


def _forget_if_empty(folder: Path) -> None:
    """Remove our files from a part without children; files of others stay."""
    if is_part(folder) and remove_unfinished(folder):
        remove_files([folder / RUN])


def say_shortfalls(table: ScoreTable) -> None:
    """Print on standard error what a table lacks."""
    for shortfall in table.scope.shortfalls:
        note(f"incomplete: {shortfall}")
