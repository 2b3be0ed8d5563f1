"""Every reader of noisyor, as a function of one file."""

import io
import json
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

import noisyor
from noisyor.cli.score_parts import merged
from noisyor.core import Family, NoisyorError, Structure
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.relations import full_table
from noisyor.data.binarize import read_mapping
from noisyor.data.binarized_files import read_binarization
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import ReadOptions, read_with_gaps
from noisyor.files.content import text_in
from noisyor.formats import read_members, read_scores
from noisyor.formats.credible_json import parse_credible_json
from noisyor.formats.member_files import METADATA_KEY as MEMBERS_KEY
from noisyor.formats.score_parquet import METADATA_KEY as SCORES_KEY
from noisyor.incomplete.starts import StartKind
from noisyor.incomplete.trail import read_trails
from noisyor.reporting import report_html
from noisyor.runs.checkpoint import FOLDER, Checkpoint
from noisyor.runs.folder import open_run, read_report
from noisyor.runs.sealed import sealed
from tests.fuzz.corpus import AS_WRITTEN, inputs_for

RUN_FILES = (
    "run.json",
    "summary.json",
    "scores.parquet",
    "members.parquet",
    "credible.json",
    "best.json",
    "networks.json",
    "report.json",
    "report.html",
)
"""The files of a run that are read again."""

PART_FILES = ("child-0.json", "child-0.parquet", "child-1.json", "child-1.parquet")
"""The files of a part of a score table, of two variables."""

OFFER_FILES = ("offer-000000.json", "offer-000000.parquet")
"""The files of a run by price that is not finished."""

LAYER_FILES = (
    "climbed-000000.json",
    "climbed-000000.parquet",
    "layer-1.json",
    "layer-1.parquet",
)
"""The files of a run in layers that is not finished."""

_CSV_OPTIONS = tuple(
    product(
        (None, ",", ";", "\t", "|", " "),  # delimiter
        (None, True, False),  # header
        (None, '"', "'", ""),  # quote
        ("error", "drop"),  # missing
    )
)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: what its files are called, and what is done with one."""

    name: str
    file_name: str
    read: Callable[[Path], object]


def outcome(reader: Reader, content: bytes) -> str:
    """Return "read" or "refused"; anything else that a reader does is a finding."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder) / reader.file_name
        path.write_bytes(content)
        try:
            reader.read(path)
        except NoisyorError:
            return "refused"
        return "read"


def _delimited(path: Path) -> object:
    """Read with detected options, then with others, which the bytes choose."""
    delimiter, header, quote, missing = _CSV_OPTIONS[
        zlib.crc32(path.read_bytes()) % len(_CSV_OPTIONS)
    ]
    return _last_of(
        lambda: noisyor.read(path),
        lambda: noisyor.read(
            path, delimiter=delimiter, header=header, quote=quote, missing=missing
        ),
        lambda: noisyor.read_raw(path, delimiter=delimiter, header=header, quote=quote),
    )


def _table(path: Path) -> object:
    return _last_of(
        lambda: noisyor.read(path),
        lambda: noisyor.read(path, missing="drop"),
        lambda: noisyor.read_raw(path),
    )


def _network(path: Path) -> object:
    return _last_of(
        lambda: noisyor.read_network(path, forgiving=True),
        lambda: noisyor.read_network(path),
    )


def _xdsl(path: Path) -> object:
    """Read, change a number, write it into the same file, and read that."""
    network = noisyor.read_network(path)
    sizes = network.distributions[0].parent_states
    own = network.distributions[0].child_states
    table = full_table(np.full((*sizes, own), 1 / own))
    first = Family(0, network.structure.families[0].parents, table.relation)
    changed = replace(
        network,
        structure=Structure(network.names, (first, *network.structure.families[1:])),
        distributions=(table, *network.distributions[1:]),
    )
    noisyor.write_network(changed, path)
    again = noisyor.read_network(path)
    assert again.variables == network.variables
    return again


def _knowledge(path: Path) -> object:
    return noisyor.read_knowledge(path).constraints(("flu", "cold", "cough"))


def _mapping(path: Path) -> object:
    return read_mapping(text_in(path), str(path))


def _credible(path: Path) -> object:
    members = path.with_name("members.parquet")
    members.write_bytes(_written("members"))
    return parse_credible_json(text_in(path), read_members(members))


def _members_metadata(path: Path) -> object:
    _replace_metadata(path, _written("members"), MEMBERS_KEY)
    return read_members(path)


def _scores_metadata(path: Path) -> object:
    _replace_metadata(path, _written("scores"), SCORES_KEY)
    return read_scores(path)


def _replace_metadata(path: Path, table: bytes, key: str) -> None:
    """Make a text the metadata of a table: random changes of a whole file rarely reach them."""
    text = path.read_bytes().decode(errors="replace")
    pl.read_parquet(io.BytesIO(table)).write_parquet(path, metadata={key: text})


def _run_file(path: Path) -> object:
    """Load a run in which one file is replaced by the input."""
    for name in RUN_FILES:
        if name != path.name:
            path.with_name(name).write_bytes(_written(f"run-{name}"))
    return _last_of(
        lambda: read_report(path.parent),
        lambda: noisyor.load(path.parent),
    )


def _report(path: Path) -> object:
    return report_html(read_report(path.parent))


def _part_file(path: Path) -> object:
    """Merge a table from a part in which one file is replaced by the input."""
    return _as_it_is_and_resealed(path, "part", PART_FILES, lambda folder: merged([folder]))


def _part_metadata(path: Path) -> object:
    table = path.with_name("child-1.parquet")
    path.rename(table)
    _replace_metadata(table, _written("part-child-1.parquet"), SCORES_KEY)
    return _part_file(table)


def _offer_file(path: Path) -> object:
    """Resume a run in which one file is replaced by the input."""
    return _as_it_is_and_resealed(
        path, "checkpoint", OFFER_FILES, lambda folder: Checkpoint(folder).offers()
    )


def _layer_file(path: Path) -> object:
    """Resume a run in layers in which one file is replaced by the input."""
    return _as_it_is_and_resealed(
        path,
        "layers",
        LAYER_FILES,
        lambda folder: (Checkpoint(folder).climbed(), Checkpoint(folder).layers()),
    )


def _em(path: Path) -> object:
    """Resume a run by EM of the table in the corpus."""
    table = path.with_name("gaps.csv")
    table.write_bytes(_written("gaps"))
    variables = _with_gaps(table).variables
    return read_trails(path.parent, list(StartKind)[1:], variables)


def _with_gaps(path: Path) -> IncompleteDataset:
    table, _ = read_with_gaps(path, ReadOptions(missing=MissingPolicy.EM))
    if not isinstance(table, IncompleteDataset):
        raise TypeError(f"a table with gaps is read as {type(table)}")
    return table


def _as_it_is_and_resealed(
    path: Path, kind: str, names: Sequence[str], read: Callable[[Path], object]
) -> object:
    """Read a folder with the file, then with its digest corrected: few changes pass the digest."""
    folder = path.parent / "folder"
    (folder / FOLDER).mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    for name in names:
        (folder / FOLDER / name).write_bytes(_written(f"{kind}-{name}"))
    changed = folder / FOLDER / path.name
    changed.write_bytes(path.read_bytes())
    if path.suffix != ".json":
        return read(folder)

    def resealed() -> object:
        changed.write_bytes(_resealed(path.read_bytes()))
        return read(folder)

    return _last_of(lambda: read(folder), resealed)


def _resealed(content: bytes) -> bytes:
    try:
        document = json.loads(content)
        document.pop("sha256")
        return sealed(document)
    except (ValueError, AttributeError, KeyError, TypeError, RecursionError, NoisyorError):
        return content  # there is nothing to seal


def _run_identity(path: Path) -> object:
    """Check whether a folder is that of the run in the corpus."""
    identity = json.loads(_written("run-run.json"))
    return open_run(path.parent, identity)


@cache
def _written(reader: str) -> bytes:
    return inputs_for(reader)[AS_WRITTEN]


def _last_of(*attempts: Callable[[], object]) -> object:
    """Try all, even if one refuses; then return or raise what the last one did."""
    for attempt in attempts[:-1]:
        try:
            attempt()
        except NoisyorError:
            continue
    return attempts[-1]()


READERS = {
    one.name: one
    for one in (
        Reader("csv", "table.csv", _delimited),
        Reader("tsv", "table.tsv", _delimited),
        Reader("csv-gz", "table.csv.gz", _table),
        Reader("dat", "table.dat", _table),
        Reader("arff", "table.arff", _table),
        Reader("parquet", "table.parquet", _table),
        Reader("arrow", "table.arrow", _table),
        Reader("binarization", "table.binarize.json", read_binarization),
        Reader("binning", "table.bins.json", noisyor.Binning.load),
        Reader("mapping", "groups.json", _mapping),
        Reader("jkl", "scores.jkl", read_scores),
        Reader("pss", "scores.pss", read_scores),
        Reader("scores", "scores.parquet", read_scores),
        Reader("scores-metadata", "scores.parquet", _scores_metadata),
        Reader("members", "members.parquet", read_members),
        Reader("members-metadata", "members.parquet", _members_metadata),
        Reader("xdsl", "network.xdsl", _xdsl),
        Reader("bif", "network.bif", _network),
        Reader("bif-gz", "network.bif.gz", _network),
        Reader("xmlbif", "network.xmlbif", _network),
        Reader("net", "network.net", _network),
        Reader("dne", "network.dne", _network),
        Reader("dsl", "network.dsl", _network),
        Reader("uai", "network.uai", _network),
        Reader("jgum", "network.jgum", _network),
        Reader("network-json", "network.json", noisyor.read_model),
        Reader("networks-json", "networks.json", noisyor.read_model),
        Reader("credible", "credible.json", _credible),
        Reader("prior", "arcs.csv", noisyor.read_prior),
        Reader("gaps", "gaps.csv", _with_gaps),
        Reader("em", "em.json", _em),
        Reader("knowledge-toml", "known.toml", _knowledge),
        Reader("knowledge-yaml", "known.yaml", _knowledge),
        Reader("run-run.json", "run.json", _run_identity),
        *(Reader(f"run-{name}", name, _run_file) for name in RUN_FILES if name != "run.json"),
        Reader("report", "report.json", _report),
        *(Reader(f"part-{name}", name, _part_file) for name in PART_FILES),
        Reader("part-metadata", "metadata.json", _part_metadata),
        *(Reader(f"checkpoint-{name}", name, _offer_file) for name in OFFER_FILES),
        *(Reader(f"layers-{name}", name, _layer_file) for name in LAYER_FILES),
    )
}
"""All readers by name, which is also the name of their file in the corpus."""
