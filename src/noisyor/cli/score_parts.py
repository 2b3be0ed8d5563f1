"""Score tables in parts, one folder each, and their merging.

A part is a folder like that of a running `learn`: `run.json` identifies the data and settings, and
`checkpoint/` holds a file for each finished child. So a killed job resumes, and its finished
children can be used.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from noisyor.core import (
    FormatError,
    MismatchError,
    NoisyorError,
    ScoreTable,
    SettingsError,
    TableScope,
)
from noisyor.core.listing import listed
from noisyor.core.request import Request
from noisyor.files.lock import folder_in_use
from noisyor.formats.json_document import read_document
from noisyor.runs.checkpoint import FOLDER, Checkpoint
from noisyor.runs.folder import RUN, open_run
from noisyor.runs.identity import request_identity
from noisyor.scoring import ChildScores, stacked
from noisyor.scoring.statistics import combine
from noisyor.scoring.tables import open_gaps

_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?")
_SOME_CHILDREN = {"part": "scores of some children"}
"""What the run.json of a part calls it."""


def children_named(given: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the children that --children names: columns, or their numbers from 1 (3-5,9)."""
    found: set[int] = set()
    for text in given:
        pieces = [text] if text in names else [piece.strip() for piece in text.split(",")]
        for piece in pieces:
            found |= _children_in(piece, names)
    return sorted(found)


def _children_in(piece: str, names: Sequence[str]) -> set[int]:
    named = {names.index(piece)} if piece in names else None
    numbers = _RANGE.fullmatch(piece)
    counted = None
    if numbers is not None:
        first, last = int(numbers[1]), int(numbers[2] or numbers[1])
        if 1 <= first <= last <= len(names):
            counted = set(range(first - 1, last))
    if named and counted and named != counted:
        raise SettingsError(
            f"--children has {piece!r}, which is the name of column {min(named) + 1} and may also "
            "be a number; name the children in a way that is not ambiguous"
        )
    found = named or counted
    if found is None:
        raise SettingsError(
            f"--children has {piece!r}; allowed are columns by name, or by number from 1 to "
            f"{len(names)}, such as 3-5,9. The columns are: {listed(names)}"
        )
    return found


def check_part_folder(folder: Path) -> None:
    """Refuse an output that is or looks like a file: a part is a folder."""
    if folder.suffix.lower() in {".jkl", ".pss", ".parquet"} or folder.is_file():
        raise SettingsError(
            f"with --children the output is a folder, a part of the table, but {folder} is a "
            "file's name; 'noisyor merge' makes a file from all parts"
        )


def part_in(folder: Path, request: Request) -> Checkpoint:
    """Make a folder a part, or check that it is one with the same data and settings.

    The caller holds the folder lock.
    """
    open_run(folder, {**request_identity(request), **_SOME_CHILDREN})
    return Checkpoint(folder)


def is_part(folder: Path) -> bool:
    """Return whether a folder says that it is a part of a score table."""
    try:
        found = read_document((folder / RUN).read_text(encoding="utf-8")).value
    except (OSError, UnicodeDecodeError, NoisyorError):
        return False
    return isinstance(found, dict) and found.items() >= _SOME_CHILDREN.items()


@dataclass(frozen=True, slots=True)
class _Part:
    """What a folder holds: its children, and the scope of each one's table."""

    folder: Path
    children: Mapping[int, ChildScores]
    scopes: Sequence[tuple[Path, TableScope]]


def merged(folders: Sequence[Path]) -> ScoreTable:
    """Return the table of all parts, the same as if it had been scored at once."""
    parts = [_read_part(folder) for folder in folders]
    scope = _one_scope(parts)
    done = _one_of_each(parts, scope.constraints.names)
    names = scope.constraints.names
    missing = [child for child in range(len(names)) if child not in done]
    if missing:
        listed = ", ".join(f"{names[child]} ({child + 1})" for child in missing)
        raise MismatchError(
            f"the parts lack {len(missing)} of {len(names)} children: {listed}. Score them with "
            f"--children {','.join(str(child + 1) for child in missing)} and the same options"
        )
    work = combine(one.statistics for one in done.values() if one.statistics is not None)
    return stacked(names, replace(scope, shortfalls=tuple(open_gaps(work.fits))), done)


def _read_part(folder: Path) -> _Part:
    if not (folder / RUN).is_file():
        raise FormatError(
            f"{folder} is not a part of a score table: there is no {RUN} in it. 'noisyor score "
            "--children' makes parts"
        )
    if not (folder / FOLDER).is_dir():
        return _Part(folder, {}, [])
    with folder_in_use(folder):
        checkpoint = Checkpoint(folder)
        children = checkpoint.finished()
        scopes = [(path, table.scope) for path, table in checkpoint.child_tables().items()]
    return _Part(folder, children, scopes)


def _one_scope(parts: Sequence[_Part]) -> TableScope:
    """Return the scope of all parts; refuse parts that differ, and say in what."""
    scopes = [one for part in parts for one in part.scopes]
    if not scopes:
        raise MismatchError(
            f"no child is finished in {', '.join(str(part.folder) for part in parts)}"
        )
    (first_path, first), *others = scopes
    for path, scope in others:
        different = [
            what
            for what, one, other in (
                ("data", first.provenance.data, scope.provenance.data),
                ("version of noisyor", first.provenance.version, scope.provenance.version),
                ("Bayes factor", first.bayes_factor, scope.bayes_factor),
                ("score", first.score, scope.score),
                ("relations", first.relations, scope.relations),
                ("constraints", first.constraints, scope.constraints),
                ("prior", first.prior, scope.prior),
            )
            if one != other
        ]
        if different or scope != first:
            raise MismatchError(
                f"{path} and {first_path} do not belong together: they differ in "
                f"{' and '.join(different) or 'scope'}. Parts must be scored from the same data "
                "with the same options"
            )
    return first


def _one_of_each(parts: Sequence[_Part], names: Sequence[str]) -> dict[int, ChildScores]:
    """Return the children of all parts; one that is in several must be the same in each."""
    done: dict[int, ChildScores] = {}
    origin: dict[int, Path] = {}
    for part in parts:
        for child, scores in part.children.items():
            if child in done and not _agree(done[child], scores):
                raise MismatchError(
                    f"{origin[child]} and {part.folder} both have the families of "
                    f"{names[child]!r}, and not the same ones; one of them is damaged"
                )
            done.setdefault(child, scores)
            origin.setdefault(child, part.folder)
    return done


def _agree(one: ChildScores, other: ChildScores) -> bool:
    """Return whether two results for a child are the same, to the last bit."""
    return one.columns == other.columns
