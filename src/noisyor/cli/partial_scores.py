"""What a run of `noisyor score` has finished, for the next one to go on from.

Beside the output, in the folder `FILE.partial`, is a part as `score --children` makes it: a file
for each child that is finished, with the work that it was. So a run that goes on ends as one that
was never disturbed, and says the same.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.cli.score_parts import is_part, part_in
from noisyor.cli.terminal import note
from noisyor.core import BayesFactor, BinaryDataset, Constraints, Relation, ScoreTable
from noisyor.files.lock import FOLDER_LOCK
from noisyor.runs.checkpoint import FOLDER, Checkpoint
from noisyor.runs.folder import RUN, used_alone

_SUFFIX = ".partial"
# What a child leaves in a checkpoint before its table: its work, and halves of files.
_WITHOUT_TABLE = re.compile(r"child-[0-9]+\.json|\.child-[0-9]+\.(json|parquet)\.[0-9a-f]{16}")


def partial_folder(output: Path) -> Path:
    """Return where a run keeps what it has finished until it writes the output."""
    return output.with_name(output.name + _SUFFIX)


@contextmanager
def partial_scores(
    output: Path,
    data: BinaryDataset,
    factor: BayesFactor,
    relations: tuple[Relation, ...],
    constraints: Constraints,
) -> Iterator[Checkpoint]:
    """Give the place for finished children, with those of an earlier run of the same settings.

    In the end it is gone if nothing is in it: if no child was finished, or if the result was
    written and the place was told to remove what it had.
    """
    folder = partial_folder(output)
    with used_alone(folder):
        _forget_if_empty(folder)  # a run that had finished nothing may be followed by any other
        try:
            yield part_in(folder, data, factor, relations, constraints)
        finally:
            _forget_if_empty(folder)
            if {path.name for path in folder.iterdir()} <= {FOLDER_LOCK}:
                # Some network file systems keep the lock's file until it is closed.
                shutil.rmtree(folder, ignore_errors=True)


def _forget_if_empty(folder: Path) -> None:
    """Remove what makes a folder a part, if that has no child; what is not ours stays."""
    kept = folder / FOLDER
    inside = list(kept.iterdir()) if kept.is_dir() else []
    if not is_part(folder) or not all(_WITHOUT_TABLE.fullmatch(path.name) for path in inside):
        return
    for path in inside:
        path.unlink(missing_ok=True)
    if kept.is_dir():
        kept.rmdir()
    (folder / RUN).unlink()


def say_shortfalls(table: ScoreTable) -> None:
    """Say on standard error what a table lacks."""
    for shortfall in table.scope.shortfalls:
        note(f"incomplete: {shortfall}")
