"""The folder of a run: what is in it, and that all of it belongs together.

| file | what |
|---|---|
| `.lock` | while a run uses the folder (see `output_lock`) |
| `run.json` | of which data and settings the folder is; written first |
| `checkpoint/` | what is finished, while the run goes on (see `checkpoint`) |
| `summary.json` | the result and how it was found, as `noisyor learn --json` prints it |
| `scores.parquet` | the families that were searched |
| `members.parquet` | the credible networks |
| `credible.json` | what is known of the credible set besides |
| `best.json`, `best.xdsl`, `best.bif` | the best network with its parameters |
| `networks.json` | the credible networks with parameters, all or a sample by weight |
| `arcs.csv` | how strongly the set supports each arc |
| `report.html`, `report.json` | the report, and what it is made from |

The records themselves are not there.
"""

import csv
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from noisyor.core import (
    CredibleSet,
    FormatError,
    MismatchError,
    Network,
    NetworkSet,
    NoisyorError,
    ScoreTable,
    SettingsError,
    TableSizeError,
)
from noisyor.core.errors import errors_at
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning
from noisyor.files.lock import FOLDER_LOCK, folder_in_use
from noisyor.files.whole import (
    make_folder,
    name_to_be,
    refuse_links,
    remove_files,
    remove_leftovers,
    write_whole,
)
from noisyor.formats import read_members, write_members, write_scores
from noisyor.formats.bif import bif_text
from noisyor.formats.credible_json import credible_json, parse_credible_json
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.network_set_json import network_set_json, parse_network_set_json
from noisyor.formats.xdsl import xdsl_text
from noisyor.networks.arcs import arc_strength

Parsed = TypeVar("Parsed")

MOST_MEMBERS = 1_000_000
"""Networks that are written to the file of members at most."""

RUN = "run.json"
SUMMARY = "summary.json"
SCORES = "scores.parquet"
REPORT = "report.json"
MEMBERS = "members.parquet"
_TEXTS = (
    "credible.json",
    "best.json",
    "best.xdsl",
    "best.bif",
    "networks.json",
    "arcs.csv",
    REPORT,
    "report.html",
)
_NAMES = (RUN, SUMMARY, SCORES, MEMBERS, *_TEXTS)
_KIND = "noisyor run"


@dataclass(frozen=True, slots=True, eq=False)
class RunFiles:
    """What a folder holds besides the credible set and its families."""

    summary: Mapping[str, object]
    best: Network
    networks: NetworkSet
    report: Mapping[str, object]
    page: str


@contextmanager
def used_alone(folder: Path) -> Iterator[None]:
    """Make a folder if there is none, and keep other runs out of it meanwhile."""
    try:
        make_folder(folder)
    except OSError as error:
        raise SettingsError(f"cannot use the folder {folder}: {error}") from error
    with folder_in_use(folder):
        yield


def open_run(folder: Path, identity: Mapping[str, object]) -> bool:
    """Make the folder that of a run with this identity, or see that it is; return if it was.

    The identity is written before anything else, so that a folder never belongs to nobody. For
    who uses the folder alone: what killed runs left half-written is removed.
    """
    said = {"format": _KIND, "version": 1, "noisyor": VERSION, **identity}
    path = folder / RUN
    refuse_links(folder / name for name in _NAMES)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot use the folder {folder}: {error}") from error
    if before is None:
        # A run that was killed while it wrote its first file may have left part of that.
        if not all(one.name == FOLDER_LOCK or name_to_be(one) == RUN for one in folder.iterdir()):
            raise SettingsError(
                f"{folder} is not empty and not the folder of a run; name a new or empty one"
            )
        remove_leftovers([path])
        write_whole({path: document_text(said).encode()})
        return False
    try:
        found = read_document(before).value
    except NoisyorError as error:
        raise FormatError(
            f"{path} is damaged: {error}. Remove the folder {folder} to start anew, or name another"
        ) from error
    other = [key for key in said if not isinstance(found, dict) or found.get(key) != said[key]]
    if other:
        raise MismatchError(
            f"{folder} is the folder of a run with other {', '.join(other)}; name another folder, "
            "or remove this one"
        )
    remove_leftovers(folder / name for name in _NAMES)
    return True


def open_saved(folder: Path) -> None:
    """Make the folder that of a saved result, or see that it is: no other's files are replaced."""
    open_run(folder, {"result": "saved"})


def is_finished(folder: Path) -> bool:
    """Return whether the run of a folder has written its result."""
    return (folder / SUMMARY).exists()


def write_run(  # noqa: PLR0913  (what a run has found)
    folder: Path,
    files: RunFiles,
    credible: CredibleSet,
    table: ScoreTable | None,
    *,
    most: int,
    until: float | None = None,
) -> dict[str, object]:
    """Write all of a result but its summary, and return what the summary is to say of that.

    `write_summary` comes last and tells that all is there. Members are written until a time, by
    time.monotonic(), but a first few in any case.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
    remove_files([folder / SUMMARY])
    written = write_members(credible, folder / MEMBERS, most, until)
    if table is not None:
        write_scores(table, folder / SCORES)
    said: dict[str, object] = {"members_written": written}
    texts = {
        "credible.json": credible_json(credible),
        "best.json": network_json(files.best),
        "networks.json": network_set_json(files.networks),
        "arcs.csv": _arcs_csv(credible),
        REPORT: document_text(dict(files.report)),
        "report.html": files.page,
    }
    not_written = {}
    for name, written_as in (("best.xdsl", xdsl_text), ("best.bif", bif_text)):
        try:
            with warnings.catch_warnings():
                # The JSON beside it keeps all relations as they are.
                warnings.simplefilter("ignore", ConversionWarning)
                texts[name] = written_as(files.best)
        except TableSizeError as error:
            not_written[name] = str(error)
    if not_written:
        said["not_written"] = not_written
    write_whole({folder / name: text.encode() for name, text in texts.items()})
    return said


def write_summary(folder: Path, summary: Mapping[str, object]) -> None:
    """Write the summary of a run whose other files are there."""
    write_whole({folder / SUMMARY: document_text(dict(summary)).encode()})


def read_run(folder: Path) -> tuple[RunFiles, CredibleSet]:
    """Return what a finished run has written."""
    if not is_finished(folder):
        raise FormatError(
            f"{folder} does not hold a finished run: there is no {SUMMARY}. 'noisyor learn' with "
            "the same data, settings and folder goes on with it"
        )

    def text_of(name: str) -> str:
        try:
            return (folder / name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(f"cannot read {folder / name}: {error}") from error

    def parsed(name: str, parse: Callable[[str], Parsed]) -> Parsed:
        text = text_of(name)
        with errors_at(folder / name, raised=FormatError):
            return parse(text)

    members = read_members(folder / MEMBERS)
    credible = parsed("credible.json", lambda text: parse_credible_json(text, members))
    best = parsed("best.json", parse_network_json)
    networks = parsed("networks.json", parse_network_set_json)
    summary = parsed(SUMMARY, _object_in)
    report = parsed(REPORT, _object_in)
    if best.structure != credible.best or networks.names != credible.names:
        raise MismatchError(f"the files in {folder} are not of one run")
    return RunFiles(summary, best, networks, report, text_of("report.html")), credible


def read_report(folder: Path) -> dict[str, object]:
    """Return what the report of a run shows."""
    path = folder / REPORT
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a NUL character
        raise FormatError(
            f"cannot read {path}: {error}; a folder that 'noisyor learn -o' has made is needed"
        ) from error
    with errors_at(path, raised=FormatError):
        return _object_in(text)


def _object_in(text: str) -> dict[str, object]:
    document = read_document(text)
    document.by_name()  # refuses what is no object
    content: dict[str, object] = json.loads(text)
    return content


def _arcs_csv(credible: CredibleSet) -> str:
    """Return the arcs as a table, the columns named as in R's bnlearn where it has them."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["from", "to", "strength", "direction", "weight", "fraction"])
    for arc in arc_strength(credible):
        rows.writerow(
            [arc.parent, arc.child, arc.strength, arc.direction, arc.weight, arc.fraction]
        )
    return text.getvalue()
