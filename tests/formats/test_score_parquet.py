"""noisyor's own format: every bit round-trips, and malformed files are refused."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from noisyor.core import FormatError
from noisyor.formats.score_parquet import METADATA_KEY, parquet_bytes, read_parquet
from tests.formats.tables import clinic, clinic_scope, foreign_scope, table_of

PATH = Path("x.parquet")


def parts() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the columns and the metadata of the small table's file."""
    file = io.BytesIO(parquet_bytes(clinic()))
    document = json.loads(pl.read_parquet_metadata(file)[METADATA_KEY])
    return pl.read_parquet(file), document


def rewritten(frame: pl.DataFrame, document: object) -> bytes:
    """Return a Parquet file of these columns and metadata."""
    file = io.BytesIO()
    text = document if isinstance(document, str) else json.dumps(document)
    frame.write_parquet(file, metadata={METADATA_KEY: text})
    return file.getvalue()


def test_columns_are_plain() -> None:
    frame, document = parts()
    assert frame["child"].to_list() == [0, 1, 1, 2, 2, 2, 2, 2, 2]
    assert frame["parents"].to_list()[3] == [0b011]
    assert frame["relation"].to_list() == [0, 0, 0, 1, 2, 0, 1, 0, 0]
    assert frame["q"].to_list()[3:7] == [[0.25, 0.5], [0.25, 0.5, 0.875], [], [1.0]]
    assert document["version"] == 1
    assert document["names"] == ["flu", "cold", "cough"]
    assert document["scope"]["bayes_factor"] == 20
    assert document["scope"]["constraints"]["allowed"] == ["0x6", "0x5", "0x3"]
    assert read_parquet(rewritten(frame, document), PATH).table == clinic()


def test_no_families_and_the_sign_of_zero() -> None:
    assert read_parquet(parquet_bytes(table_of([], clinic_scope())), PATH).table == table_of(
        [], clinic_scope()
    )
    zeros = table_of([(0, 0, 0, -0.0, 0, []), (1, 0, 0, 0.0, 0, [])], foreign_scope(("a", "b")))
    back = read_parquet(parquet_bytes(zeros), PATH).table
    assert np.signbit(back.costs).tolist() == [True, False]


def test_names_of_every_kind() -> None:
    names = ("a\n\"b'", "\u0000 \u2028", "\U0001f927 %20#")
    assert read_parquet(parquet_bytes(clinic(names)), PATH).table.names == names


def test_the_digest_of_the_text_is_kept() -> None:
    assert read_parquet(parquet_bytes(clinic()), PATH).text_digest is None
    assert read_parquet(parquet_bytes(clinic(), "abc"), PATH).text_digest == "abc"


def test_bytes_do_not_depend_on_the_number_of_threads() -> None:
    script = (
        "import hashlib, numpy as np\n"
        "from noisyor.formats.score_parquet import parquet_bytes\n"
        "from tests.formats.tables import foreign_scope, table_of\n"
        "names = tuple(f'v{i}' for i in range(20))\n"
        "rows = [(0, 2 * p, 1 if p else 0, float(p * 7919 % 10007), 0.0,\n"
        "         [0.5] * p.bit_count()) for p in range(9000)]\n"
        "print(hashlib.sha256(parquet_bytes(table_of(rows, foreign_scope(names)))).hexdigest())\n"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ
            | {"POLARS_MAX_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for threads in ("1", "4")
    ]
    assert len(digests[0]) == 65
    assert digests[0] == digests[1]


@pytest.mark.parametrize("data", [b"", b"PAR1", b"a,b\n1,2\n", parquet_bytes(clinic())[:-20]])
def test_what_is_not_parquet_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"x\.parquet is not a readable Parquet file"):
        read_parquet(data, PATH)


def test_any_other_parquet_file_is_refused() -> None:
    file = io.BytesIO()
    pl.DataFrame({"a": [1]}).write_parquet(file)
    with pytest.raises(FormatError, match=r"x\.parquet is not a score table .*'noisyor_scores'"):
        read_parquet(file.getvalue(), PATH)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop("gap"), "its columns are child, parents, relation, cost, q; expected"),
        (lambda f: f.with_columns(extra=1), "q, extra; expected: child, parents, relation"),
        (lambda f: f.cast({"cost": pl.Float32}), "column 'cost' holds Float32, not Float64"),
        (lambda f: f.cast({"q": pl.List(pl.Float32)}), "column 'q' holds List"),
        (lambda f: f.cast({"parents": pl.List(pl.UInt64)}), "column 'parents' holds List"),
        (
            lambda f: f.with_columns(pl.concat_arr("parents", "parents").alias("parents")),
            "column 'parents' holds Array",
        ),
        (
            lambda f: f.with_columns(cost=pl.when(pl.col("cost") > 50).then("cost")),
            "column 'cost' has empty cells",
        ),
        (
            lambda f: f.with_columns(q=pl.when(pl.col("cost") > 50).then("q")),
            "column 'q' has empty cells",
        ),
        (
            lambda f: f.with_columns(q=pl.lit([None], dtype=pl.List(pl.Float64))),
            "column 'q' has empty cells",
        ),
        (lambda f: f.reverse(), "families must ascend by child"),
        (lambda f: f.with_columns(cost=pl.lit(float("nan"))), "costs must be finite"),
        (lambda f: f.with_columns(child=pl.lit(5, pl.Int32)), "child is not a variable"),
        (lambda f: f.with_columns(relation=pl.lit(9, pl.UInt8)), "unknown relation"),
        (lambda f: f.with_columns(gap=pl.lit(0.5)), "is damaged: its columns do not match"),
        (lambda f: f.head(8), "is damaged: its columns do not match their digest"),
    ],
)
def test_odd_columns_are_refused(
    change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    frame, document = parts()
    with pytest.raises(FormatError, match=rf"x\.parquet .*{message}"):
        read_parquet(rewritten(change(frame), document), PATH)


def test_a_table_that_does_not_say_its_score_is_refused() -> None:
    frame, document = parts()
    assert document["scope"].pop("score") == "bic"
    message = r"x\.parquet .*lack 'score', the score that its costs are of; score the"
    with pytest.raises(FormatError, match=message):
        read_parquet(rewritten(frame, document), PATH)


def changed(document: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return the metadata with one field, given as a dotted path, replaced."""
    key, _, rest = path.partition(".")
    return document | {key: changed(document[key], rest, value) if rest else value}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("version", 2, "written in version 2 of the format; this noisyor reads 1"),
        ("version", "1", "'version' in its metadata is '1'; expected: int"),
        ("version", True, "'version' in its metadata is True; expected: int"),
        ("names", [], "it has 0 variables; allowed: 1 to 1024"),
        ("names", [str(v) for v in range(1025)], "it has 1025 variables; allowed: 1 to 1024"),
        ("names", ["a", "b", 3], "'names' in its metadata must be a list of strings"),
        ("names", ["a", "b", "b"], "names must differ"),
        ("names", ["a", "b"], "one set of allowed and one of required parents per variable"),
        ("scope", [], "'scope' in its metadata is .*expected: dict"),
        ("scope", {}, "its metadata lack 'bayes_factor'"),
        ("scope.bayes_factor", 0.5, "the Bayes factor is 0.5"),
        ("scope.bayes_factor", "20", "'bayes_factor' in its metadata is '20'"),
        ("scope.bayes_factor", float("nan"), "NaN is not a number of JSON"),
        ("scope.relations", ["cpt", "and"], "there is no relation 'and'; allowed: cpt, noisy-or"),
        ("scope.score", "mdl", "there is no score 'mdl'; allowed: bic, aic"),
        ("scope.score", 1, "'score' in its metadata is 1; expected: str or NoneType"),
        ("scope.relations", "cpt", "'relations' in its metadata is 'cpt'; expected: list"),
        ("scope.constraints.allowed", ["0x6", "5", "z"], "must be hexadecimal sets"),
        ("scope.constraints.allowed", ["0x6", "0x5", "0x4"], "impossible parents for variable 2"),
        ("scope.constraints.required", ["0x6", "0x1", "0x0"], "required edges form a cycle"),
        ("scope.constraints.max_parents", -1, "max_parents is -1"),
        ("scope.provenance.records", 1.5, "'records' in its metadata is 1.5; expected: int"),
        ("scope.provenance.settings", [["a"]], "must be pairs of a name and a value"),
        ("scope.shortfalls", [1], "'shortfalls' in its metadata must be a list of strings"),
        ("columns_sha256", "0", "is damaged: its columns do not match their digest"),
        ("columns_sha256", None, "'columns_sha256' in its metadata is None; expected: str"),
        ("text_sha256", 5, "'text_sha256' in its metadata is 5"),
    ],
)
def test_odd_metadata_are_refused(path: str, value: object, message: str) -> None:
    frame, document = parts()
    with pytest.raises(FormatError, match=rf"x\.parquet .*{message}"):
        read_parquet(rewritten(frame, changed(document, path, value)), PATH)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "its metadata are not JSON"),
        ("[" * 100_000, "its metadata are not JSON"),
        ("[]", "its metadata lack 'version'"),
        ("7", "its metadata lack 'version'"),
    ],
)
def test_metadata_that_are_no_object_are_refused(text: str, message: str) -> None:
    frame, _ = parts()
    with pytest.raises(FormatError, match=rf"x\.parquet .*{message}"):
        read_parquet(rewritten(frame, text), PATH)


def test_a_panic_of_the_parquet_reader_is_a_complaint_about_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def panic(*_: object, **__: object) -> pl.DataFrame:
        raise pl.exceptions.PanicException("index out of range")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(FormatError, match=r"x\.parquet is not a readable .*index out of range"):
        read_parquet(parquet_bytes(clinic()), PATH)
