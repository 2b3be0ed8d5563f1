"""Write into the corpus what noisyor itself writes, one input per reader.

    python -m tests.fuzz.seeds

Run it when a format has changed; inputs with other titles stay as they are.
"""

import gzip
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import noisyor
from noisyor.core.family_source import Price
from noisyor.core.layers import Layer
from noisyor.core.request import Request
from noisyor.data.binarization import Binarization, Grouped, Kept, Split
from noisyor.data.binning import Binning, Bins
from noisyor.formats import write_scores
from noisyor.formats.member_files import METADATA_KEY as MEMBERS_KEY
from noisyor.formats.score_parquet import METADATA_KEY as SCORES_KEY
from noisyor.interop.network_files import format_of
from noisyor.runs.checkpoint import FOLDER, Checkpoint, KeptLayer, KeptSource
from noisyor.scoring import RecordSource, score
from tests.formats.small_networks import clinic
from tests.fuzz.corpus import AS_WRITTEN, keep
from tests.fuzz.readers import LAYER_FILES, OFFER_FILES, PART_FILES, RUN_FILES

_RECORDS = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [1, 0, 0]] * 4)
_NAMES = ["flu", "cold", "cough"]
_PAGE = b"<!doctype html><title>a report is not looked into</title>"

_ARFF = """% as Weka writes it; noisyor writes no ARFF
@relation clinic
@attribute flu {no,yes}
@attribute 'bed rest' {no,yes}
@attribute cough numeric
@data
no,yes,0
yes,no,1
"""
_DAT = """flu cold cough
2 2 2
0 1 1
1 0 1
0 0 0
"""
_PRIOR = """from,to,probability
flu,cough,0.9
cough,flu,0.01
"""
_GAPS = "flu,cold,cough\n" + "yes,no,yes\nno,,yes\nno,no,no\n,yes,yes\nyes,yes,\nno,no,no\n" * 4
_TOML = """max_parents = 2
roots = ["flu"]
sinks = ["cough"]
required = ["flu -> cough", ["cold", "cough"]]
forbidden = ["cough -> flu"]
tiers = [["flu", "cold"], ["cough"]]
"""
_YAML = """max_parents: 2
roots: [flu]
sinks:
  - cough
required: ["flu -> cough", [cold, cough]]
forbidden:
  - cough -> flu
tiers: [[flu, cold], [cough]]
"""
_DSL = """net clinic
{
 HEADER = { ID = clinic; NAME = "as GeNIe wrote it; noisyor writes no DSL"; };
 node flu
  {
   TYPE = CPT;
   HEADER = { ID = flu; NAME = "Flu"; };
   SCREEN = { POSITION = { CENTER_X = 10; CENTER_Y = 20; WIDTH = 76; HEIGHT = 36; }; COLOR = 255; };
   PARENTS = ();
   DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.25, 0.75); };
  };
 submodel symptoms
  {
   node fever
    {
     TYPE = NOISY_MAX;
     HEADER = { ID = fever; };
     PARENTS = (flu);
     DEFINITION =
      {
       NAMESTATES = (high, mild, none);
       STRENGTHS = (0, 1);
       PROBABILITIES = (0.5, 0.25, 0.25, 0, 0, 1, 0.125, 0.125, 0.75);
      };
    };
  };
 node bed
  {
   TYPE = TRUTHTABLE;
   PARENTS = (fever);
   DEFINITION = { NAMESTATES = (rest, up); RESULTINGSTATES = (rest, rest, up); };
  };
};
"""
_MAPPING = """{"columns": {"colour": {"present": ["red", "orange"]}, "age": {"threshold": 50},
 "zone": {"one_against_rest": true}, "id": {"drop": true}}}
"""


def main() -> None:
    """Write all seeds."""
    frame = pl.DataFrame(_RECORDS, schema=_NAMES)
    _keep("csv", frame.write_csv().encode())
    _keep("tsv", frame.write_csv(separator="\t").encode())
    _keep("csv-gz", gzip.compress(frame.write_csv().encode(), mtime=0))
    for reader, text in {
        "arff": _ARFF,
        "dsl": _DSL,
        "dat": _DAT,
        "knowledge-toml": _TOML,
        "knowledge-yaml": _YAML,
        "mapping": _MAPPING,
    }.items():
        _keep(reader, text.encode())
    file = io.BytesIO()
    frame.write_parquet(file)
    _keep("parquet", file.getvalue())
    file = io.BytesIO()
    frame.write_ipc(file)
    _keep("arrow", file.getvalue())
    _keep("binarization", _binarization().to_json().encode())
    _keep("binning", _binning().to_json().encode())
    for name in ("xdsl", "bif", "xmlbif", "net", "dne", "uai", "jgum", "json"):
        content = format_of(Path(f"network.{name}")).bytes_of(clinic())
        _keep("network-json" if name == "json" else name, content)
        if name == "bif":
            _keep("bif-gz", gzip.compress(content, mtime=0))
    _keep_run()
    _keep_checkpoint()
    _keep_layers()
    _keep_gaps()
    _keep("prior", _PRIOR.encode())


def _binarization() -> Binarization:
    states = ("no", "yes")
    return Binarization(
        (
            Kept("flu", "flu", states),
            Split("age", "age > 50", states, 50.0, inclusive=False, chosen_by="given"),
            Grouped("colour", "warm", states, ("red",), ("blue",)),
        ),
        ("id",),
        24,
    )


def _binning() -> Binning:
    rules = (Bins.at("age", (18, 40.5, 65), "given"), Bins.at("fever", (-1e-5, 37.2), "width"))
    return Binning(rules, ("id",), 24)


def _keep_run() -> None:
    """Keep the files of a run, and those of its parts that have separate readers."""
    data = noisyor.read(_RECORDS, names=_NAMES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learned = noisyor.learn(data, folder=folder / "run", quiet=True, jobs=1, method="table")
        contents = {one: (folder / "run" / one).read_bytes() for one in RUN_FILES}
        for suffix in ("jkl", "pss"):
            assert learned.table is not None  # learned by table
            write_scores(learned.table, folder / f"scores.{suffix}")
            _keep(suffix, (folder / f"scores.{suffix}").read_bytes())
    contents["report.html"] = _PAGE
    for one, content in contents.items():
        _keep(f"run-{one}", content)
    _keep("report", contents["report.json"])
    _keep_small_report()
    _keep("credible", contents["credible.json"])
    _keep("networks-json", contents["networks.json"])
    for reader, key in {"scores": SCORES_KEY, "members": MEMBERS_KEY}.items():
        content = contents[f"{reader}.parquet"]
        _keep(reader, content)
        _keep(f"{reader}-metadata", pl.read_parquet_metadata(io.BytesIO(content))[key].encode())


def _keep_small_report() -> None:
    """Keep a report that is short enough to be changed as a whole."""
    data = noisyor.read(_RECORDS[:, 1:], names=_NAMES[1:])
    content = noisyor.learn(data, 3, quiet=True, jobs=1, method="table").report_content()
    content["run"] = {"seconds": {"total": 1, "search": 0.5}, "families": {"kept": {"cpt": 2}}}
    text = json.dumps(content, separators=(",", ":"))
    keep("report", "a small one, without blanks", text.encode())


def _keep_checkpoint() -> None:
    """Keep the files of runs that are not finished."""
    data = noisyor.read(_RECORDS[:, 1:], names=_NAMES[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        checkpoint = Checkpoint(folder)
        score(data, 20, keep=checkpoint.keep_child)
        offering = KeptSource(RecordSource(Request.of(data)), checkpoint)
        offering.seed(lambda: False)
        offering.within([[Price(100.0)]] * 2, stop=lambda: False)
        contents = {path.name: path.read_bytes() for path in (folder / FOLDER).iterdir()}
    for one in PART_FILES:
        _keep(f"part-{one}", contents[one])
    for one in OFFER_FILES:
        _keep(f"checkpoint-{one}", contents[one])
    table = io.BytesIO(contents["child-1.parquet"])
    _keep("part-metadata", pl.read_parquet_metadata(table)[SCORES_KEY].encode())


def _keep_layers() -> None:
    """Keep the files of a run in layers that is not finished."""
    data = noisyor.read(_RECORDS[:, 1:], names=_NAMES[1:])
    table = score(data, 20).table
    best = np.flatnonzero(table.parent_counts() == 0)
    cost = float(table.costs[best].sum())
    with tempfile.TemporaryDirectory() as name:
        checkpoint = Checkpoint(Path(name))
        checkpoint.keep_climbed(table, best)
        checkpoint.keep_layer(KeptLayer(Layer(1, cost, cost), table, best))
        for one in LAYER_FILES:
            _keep(f"layers-{one}", (Path(name) / FOLDER / one).read_bytes())


def _keep_gaps() -> None:
    """Keep a table with gaps, and the steps of EM on it."""
    _keep("gaps", _GAPS.encode())
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "gaps.csv"
        table.write_text(_GAPS, encoding="utf-8")
        em = noisyor.Em(completions=2, starts=1, steps=2)
        noisyor.learn(table, missing="em", em=em, folder=Path(name) / "run", quiet=True, jobs=1)
        _keep("em", (Path(name) / "run" / "em.json").read_bytes())


def _keep(reader: str, content: bytes) -> None:
    keep(reader, AS_WRITTEN, content)


if __name__ == "__main__":
    main()
