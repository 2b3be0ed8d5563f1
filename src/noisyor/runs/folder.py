"""The folder of a run: its files, and the check that they belong together.

| file | contents |
|---|---|
| `.lock` | held while a run uses the folder (see `files.lock`) |
| `run.json` | the data and settings of the run; written first |
| `checkpoint/` | the finished parts, while the run goes on (see `checkpoint`) |
| `summary.json` | the result and how it was found, as `noisyor learn --json` prints it |
| `scores.parquet` | the families that were searched |
| `members.parquet` | the credible networks |
| `credible.json` | everything else about the credible set |
| `best.json`, `best.xdsl`, `best.bif` | the best network with its parameters |
| `networks.json` | the credible networks with parameters, all or a sample by weight |
| `arcs.csv` | how strongly the set supports each arc |
| `em.json` | the steps of structural EM, if cells were missing (see `incomplete.trail`) |
| `bootstrap.json` | arc strengths from resampled tables, if asked for; `bootstrap/` has these |
| `bins.json` | the bins of the columns of numbers, if there are any (see `data.binning`) |
| `report.html`, `report.json` | the report, and its contents |

The records themselves are not kept.
"""

import csv
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from noisyor.core.bootstrap import Bootstrap, BootstrapArc
from noisyor.core.errors import errors_at
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning
from noisyor.data.binning import Binning
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
from noisyor.formats.bootstrap_json import bootstrap_json, parse_bootstrap_json
from noisyor.formats.credible_json import credible_json, parse_credible_json
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.network_set_json import network_set_json, parse_network_set_json
from noisyor.formats.xdsl import xdsl_text
from noisyor.networks.arcs import arc_strength

Parsed = TypeVar("Parsed")

MOST_MEMBERS = 1_000_000
"""The most networks that are written to the file of members."""

RUN = "run.json"
SUMMARY = "summary.json"
SCORES = "scores.parquet"
REPORT = "report.json"
MEMBERS = "members.parquet"
BINS = "bins.json"
EM = "em.json"
BOOTSTRAP = "bootstrap.json"
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
_NAMES = (RUN, SUMMARY, SCORES, MEMBERS, BINS, EM, BOOTSTRAP, *_TEXTS)
_KIND = "noisyor run"


@dataclass(frozen=True, slots=True, eq=False)
class RunFiles:
    """The contents of a folder besides the credible set and its families."""

    summary: Mapping[str, object]
    best: Network
    networks: NetworkSet
    report: Mapping[str, object]
    page: str
    binning: Binning = field(default_factory=Binning)
    bootstrap: Bootstrap | None = None


@contextmanager
def used_alone(folder: Path) -> Iterator[None]:
    """Make a folder if there is none, and hold its lock against other runs."""
    try:
        make_folder(folder)
    except OSError as error:
        raise SettingsError(f"cannot use the folder {folder}: {error}") from error
    with folder_in_use(folder):
        yield


def open_run(folder: Path, identity: Mapping[str, object]) -> bool:
    """Claim a folder for a run with this identity, or check it; return whether it was claimed.

    The identity is written before anything else, so every folder with results has one. The caller
    holds the folder lock: files that killed runs left partly written are removed.
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
        # A run that was killed while writing its first file may have left part of it.
        if not all(one.name == FOLDER_LOCK or name_to_be(one) == RUN for one in folder.iterdir()):
            raise SettingsError(
                f"{folder} is not empty and is not the folder of a run; name a new or empty folder"
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
            f"{folder} is the folder of a run that differs in: {', '.join(other)}; name another "
            "folder, or remove this one"
        )
    remove_leftovers(folder / name for name in _NAMES)
    return True


def open_saved(folder: Path) -> None:
    """Claim a folder for a saved result, or check it, so that no other files are replaced."""
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
    """Write all of a result but its summary; return what the summary says about the files.

    `write_summary` comes last and marks the result as complete. Members are written until the time
    `until` on the clock of time.monotonic(), but always a few.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
    remove_files([folder / SUMMARY, folder / BINS, folder / BOOTSTRAP])
    written = write_members(credible, folder / MEMBERS, most, until)
    if table is not None:
        write_scores(table, folder / SCORES)
    said: dict[str, object] = {"members_written": written}
    texts = {
        "credible.json": credible_json(credible),
        "best.json": network_json(files.best),
        "networks.json": network_set_json(files.networks),
        "arcs.csv": _arcs_csv(credible, files.bootstrap),
        REPORT: document_text(dict(files.report)),
        "report.html": files.page,
    }
    if files.binning != Binning():
        texts[BINS] = files.binning.to_json()
    if files.bootstrap is not None:
        texts[BOOTSTRAP] = bootstrap_json(files.bootstrap)
    not_written = {}
    for name, written_as in (("best.xdsl", xdsl_text), ("best.bif", bif_text)):
        try:
            with warnings.catch_warnings():
                # best.json keeps all relations as they are.
                warnings.simplefilter("ignore", ConversionWarning)
                texts[name] = written_as(files.best)
        except TableSizeError as error:
            not_written[name] = str(error)
    if not_written:
        said["not_written"] = not_written
    write_whole({folder / name: text.encode() for name, text in texts.items()})
    return said


def write_summary(folder: Path, summary: Mapping[str, object]) -> None:
    """Write the summary of a run after all its other files."""
    write_whole({folder / SUMMARY: document_text(dict(summary)).encode()})


def read_run(folder: Path) -> tuple[RunFiles, CredibleSet]:
    """Return the result that a finished run has written."""
    if folder.is_file():
        raise FormatError(
            f"{folder} is a file; the folder of a run is needed. A single network is read by "
            f"noisyor.read_network({str(folder)!r})"
        )
    if not is_finished(folder):
        raise FormatError(
            f"{folder} does not hold a finished run: there is no {SUMMARY}. 'noisyor learn' with "
            "the same data, settings and folder resumes it"
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
        raise MismatchError(f"the files in {folder} do not come from one run")
    bins = folder / BINS
    binning = Binning.load(bins) if bins.exists() else Binning()
    resampled = (folder / BOOTSTRAP).exists()
    bootstrap = parsed(BOOTSTRAP, parse_bootstrap_json) if resampled else None
    if bootstrap is not None and bootstrap.names != credible.names:
        raise MismatchError(f"the files in {folder} do not come from one run")
    page = text_of("report.html")
    return RunFiles(summary, best, networks, report, page, binning, bootstrap), credible


def read_report(folder: Path) -> dict[str, object]:
    """Return the contents of a run's report."""
    path = folder / REPORT
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a NUL character
        raise FormatError(
            f"cannot read {path}: {error}; a folder made by 'noisyor learn -o' is needed"
        ) from error
    with errors_at(path, raised=FormatError):
        return _object_in(text)


def _object_in(text: str) -> dict[str, object]:
    document = read_document(text)
    document.by_name()  # refuses anything but an object
    content: dict[str, object] = json.loads(text)
    return content


def _arcs_csv(credible: CredibleSet, bootstrap: Bootstrap | None) -> str:
    """Return the arcs as a table, with the column names of R's bnlearn where it has them.

    The weights of a sampled set have a column of standard errors. A bootstrap has columns of its
    own, and arcs that only resamples have are listed, too.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    sampled = credible.sampling is not None
    columns = ["from", "to", "strength", "direction", "weight", "fraction"]
    rows.writerow([*columns, *(["standard_error"] if sampled else []), *_resampled(bootstrap)])
    arcs = arc_strength(credible)
    resampled = {} if bootstrap is None else bootstrap.by_arc()
    for arc in arcs:
        shares = [arc.strength, arc.direction, arc.weight, arc.fraction]
        own = [*shares, *([arc.standard_error] if sampled else [])]
        found = _resampled_cells(bootstrap, resampled.pop((arc.parent, arc.child), None))
        rows.writerow([arc.parent, arc.child, *own, *found])
    for other in resampled.values():
        none = [0.0] * (4 + sampled)
        rows.writerow([other.parent, other.child, *none, *_resampled_cells(bootstrap, other)])
    return text.getvalue()


def _resampled(bootstrap: Bootstrap | None) -> list[str]:
    """Return the columns of a bootstrap; there are none without a resample."""
    if bootstrap is None or not bootstrap.resamples:
        return []
    weights = ["bagged_weight", "bagged_error"] if bootstrap.has_weights else []
    return ["bootstrap", "bootstrap_error", *weights]


def _resampled_cells(bootstrap: Bootstrap | None, arc: BootstrapArc | None) -> list[float | None]:
    """Return the cells of an arc; None is an arc that no resample has."""
    if bootstrap is None:
        return []
    if arc is None:
        arc = bootstrap.unseen_arc()
    cells = [arc.share, arc.standard_error, arc.weight, arc.weight_error]
    return cells[: len(_resampled(bootstrap))]
