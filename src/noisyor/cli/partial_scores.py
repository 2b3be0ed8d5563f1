"""What a run of `noisyor score` has finished, for the next one to go on from.

Beside the output, in the folder `FILE.partial`, is a part as `score --children` makes it: a file
for each child that is finished, with the work that it was. So a run that goes on ends as one that
was never disturbed, and says the same.
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
    """Give the place for finished children, with those of an earlier run of the same settings.

    In the end it is gone if nothing is in it: if no child was finished, or if the result was
    written and the place was told to remove what it had.
    """
    folder = partial_folder(output)
    refuse_links([folder])
    with used_alone(folder):
        _forget_if_empty(folder)  # a run that had finished nothing may be followed by any other
        try:
            yield part_in(folder, request)
        finally:
            _forget_if_empty(folder)
            if {path.name for path in folder.iterdir()} <= {FOLDER_LOCK}:
                remove_files([folder / FOLDER_LOCK])
                remove_if_empty(folder)


def _forget_if_empty(folder: Path) -> None:
    """Remove what makes a folder a part, if that has no child; what is not ours stays."""
    if is_part(folder) and remove_unfinished(folder):
        remove_files([folder / RUN])


def say_shortfalls(table: ScoreTable) -> None:
    """Say on standard error what a table lacks."""
    for shortfall in table.scope.shortfalls:
        note(f"incomplete: {shortfall}")
