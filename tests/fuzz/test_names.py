"""Names that are formulas, HTML or paths stay names: nothing runs, opens or writes them."""

import ast
import csv
import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import noisyor
from noisyor.core import FormatError
from noisyor.formats import read_scores, write_scores
from tests.fuzz.corpus import inputs_for

SOURCES = sorted(Path(noisyor.__file__).parent.rglob("*.py"))
FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)")
HOSTILE = ("=cmd|' /C calc'!A0", "<script>alert(1)</script>", "../../x")
RECORDS = np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 0]] * 8)
MODULES_THAT_RUN_INPUT = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}
XML_READERS = {"parse", "fromstring", "fromstringlist", "iterparse", "XML", "XMLParser"}
CALLS_THAT_RUN_INPUT = {"eval", "exec", "compile", "__import__"}
YAML_LOADERS = {"load", "load_all", "full_load", "unsafe_load", "full_load_all", "unsafe_load_all"}


def dangers_in(source: str) -> list[str]:
    """Return what in a source could execute an input."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                modules = [one.name for one in names]
            case ast.ImportFrom(module=str(module), names=names):
                modules = [module, *(f"{module}.{one.name}" for one in names)]
            case ast.Call(func=ast.Name(id=name)) if name in CALLS_THAT_RUN_INPUT:
                found.append(f"{name}()")
                continue
            case ast.Attribute(value=ast.Name(id="yaml"), attr=name) if name in YAML_LOADERS:
                found.append(f"yaml.{name}")
                continue
            case ast.Attribute(value=ast.Name(id="ElementTree"), attr=name) if name in XML_READERS:
                found.append(f"ElementTree.{name}")
                continue
            case ast.Attribute(attr="read_pickle" | "to_pickle" | "allow_pickle" as name):
                found.append(name)
                continue
            case ast.keyword(arg="allow_pickle" | "shell", value=ast.Constant(value=True)):
                found.append(f"{node.arg}=True")
                continue
            case _:
                continue
        found += [
            f"import {module}"
            for module in modules
            for danger in MODULES_THAT_RUN_INPUT
            if module == danger or module.startswith(f"{danger}.")
        ]
    return found


def test_the_search_for_dangers_finds_each_kind() -> None:
    source = """
import pickle
from xml.etree import ElementTree
from yaml import safe_load
import yaml
eval("1"); exec("1"); compile("1", "", "eval"); __import__("os")
ElementTree.parse("x"); ElementTree.Element("x"); yaml.load("1"); yaml.safe_load("1")
frame.to_pickle("x"); numpy.load("x", allow_pickle=True); run("x", shell=True)
re.compile("x"); model.eval()
"""
    assert sorted(dangers_in(source)) == [
        "ElementTree.parse",
        "__import__()",
        "allow_pickle=True",
        "compile()",
        "eval()",
        "exec()",
        "import pickle",
        "shell=True",
        "to_pickle",
        "yaml.load",
    ]


def test_nothing_in_the_package_could_run_its_input() -> None:
    assert len(SOURCES) > 100
    found = {path.name: dangers_in(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert {name: dangers for name, dangers in found.items() if dangers} == {}


@pytest.mark.parametrize(
    "title",
    [
        "billion laughs",
        "an external entity",
        "an external document type",
        "a parameter entity",
    ],
)
def test_an_xdsl_file_with_a_document_type_is_refused(title: str, tmp_path: Path) -> None:
    path = tmp_path / "network.xdsl"
    path.write_bytes(inputs_for("xdsl")[title])
    with pytest.raises(FormatError, match="it has a document type"):
        noisyor.read_network(path)


def test_an_entity_that_is_not_declared_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.xdsl"
    path.write_bytes(inputs_for("xdsl")["an undeclared entity"])
    with pytest.raises(FormatError, match="undefined entity"):
        noisyor.read_network(path)


def test_a_python_object_in_yaml_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "known.yaml"
    path.write_text(f"!!python/object/apply:pathlib.Path.touch [{tmp_path / 'made'}]")
    with pytest.raises(FormatError, match="noisyor reads no tags"):
        noisyor.read_knowledge(path)
    assert [one.name for one in tmp_path.iterdir()] == ["known.yaml"]


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_names_and_cells_that_are_formulas_are_kept_as_text(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"table.{suffix}"
    separator = {"csv": ",", "tsv": "\t"}[suffix]
    rows = [FORMULAS, ("=1+1", "no", "-no", "0"), ("=2", "yes", "-yes", "1")]
    path.write_text("".join(f"{separator.join(row)}\n" for row in rows))
    present = {"=1+1": "=2", "-1": "-yes"}
    data = noisyor.read(path, present=present)
    assert data.names == FORMULAS
    assert data.states == (("=1+1", "=2"), ("no", "yes"), ("-no", "-yes"), ("0", "1"))
    assert noisyor.read_raw(path).columns == list(FORMULAS)


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the only folder in a folder, that of a run with hostile names."""
    around = tmp_path_factory.mktemp("around") / "a" / "b"
    data = noisyor.read(RECORDS, names=list(HOSTILE))
    noisyor.learn(data, folder=around / "run", quiet=True, jobs=1)
    return around / "run"


def test_names_that_are_paths_make_no_files(hostile_run: Path) -> None:
    above = hostile_run.parents[2]
    folders = [path for path in above.rglob("*") if path.is_dir()]
    assert folders == [above / "a", above / "a" / "b", hostile_run]
    assert {path.parent for path in above.rglob("*") if path.is_file()} == {hostile_run}
    assert not {path.name for path in hostile_run.iterdir()} & {"x", *HOSTILE}


def test_names_in_arcs_are_written_as_they_are(hostile_run: Path) -> None:
    # As in all our tables: a prefix against spreadsheets would change the names.
    rows = list(csv.DictReader(io.StringIO((hostile_run / "arcs.csv").read_text())))
    names = {row["from"] for row in rows} | {row["to"] for row in rows}
    assert names
    assert names <= set(HOSTILE)
    assert HOSTILE[0] in names


def test_names_of_a_run_are_read_back(hostile_run: Path) -> None:
    learned = noisyor.load(hostile_run)
    assert learned.credible.names == HOSTILE
    assert noisyor.read_network(hostile_run / "best.xdsl").names == HOSTILE
    assert read_scores(hostile_run / "scores.parquet").names == HOSTILE


def test_html_in_a_name_is_no_element_of_the_report(hostile_run: Path) -> None:
    page = (hostile_run / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


def test_names_with_nul_are_refused_or_kept_but_never_paths(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a\0b": [0, 1, 1], "../../x": [1, 0, 1]}).write_parquet(path)
    data = noisyor.read(path)
    assert data.names == ("a\0b", "../../x")
    table = noisyor.learn(data, quiet=True, jobs=1, method="table").table
    assert table is not None
    write_scores(table, tmp_path / "scores.jkl")
    assert read_scores(tmp_path / "scores.jkl").names == ("a\0b", "../../x")
    (tmp_path / "scores.jkl.noisyor.parquet").unlink()
    assert "\0" not in (tmp_path / "scores.jkl").read_text()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["scores.jkl", "table.parquet"]
