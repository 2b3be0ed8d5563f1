"""URLearning's parent set scores: what is written, what is read, what is refused."""

from pathlib import Path

import pytest

from noisyor.core import Family, FormatError
from noisyor.formats import read_scores, write_scores
from noisyor.formats.pss import pss_bytes, read_pss
from noisyor.formats.score_files import sidecar_of
from tests.formats.tables import Row, clinic, foreign_scope, table_of

CLINIC = b"""\
META pss_version = 0.1
META num_records=100
META parent_limit=2
META score_type=bic

VAR flu
META arity=2
-60.5

VAR cold
META arity=2
-50.25
-50.5 flu

VAR cough
META arity=2
-40 flu cold
-45.125000007450581 flu
-69.5
"""


def test_the_better_relation_of_each_parent_set_is_written() -> None:
    assert pss_bytes(clinic()) == CLINIC


def test_a_foreign_file_is_all_full_tables() -> None:
    expected: list[Row] = [
        (0, 0, 0, 60.5, 0.0, []),
        (1, 0, 0, 50.25, 0.0, []),
        (1, 1, 0, 50.5, 0.0, []),
        (2, 3, 0, 40.0, 0.0, []),
        (2, 1, 0, 45.125000007450581, 0.0, []),
        (2, 0, 0, 69.5, 0.0, []),
    ]
    names = ("flu", "cold", "cough")
    assert read_pss(CLINIC, Path("x.pss")) == table_of(expected, foreign_scope(names))


def test_a_file_as_urlearning_writes_it() -> None:
    data = (
        b"META pss_version = 0.1\nMETA input_file=iris.csv\nMETA num_records=150\n"
        b"META parent_limit=3\nMETA score_type=BIC\nMETA ess=1\n\n"
        b"VAR Variable_0\nMETA arity=3\nMETA values=a b c \n"
        b"-112.500000 Variable_1 Variable_2 \n-140.250000 \n\n"
        b"VAR Variable_1\nMETA arity=2\nMETA values=x y \n-9.000000 \n\n"
        b"# a comment\nvar Variable_2\nmeta arity=2\n-8.000000 Variable_0 \n\n"
    )
    table = read_pss(data, Path("iris.pss"))
    assert table.names == ("Variable_0", "Variable_1", "Variable_2")
    assert list(table.families()) == [
        (Family(0, 0b110), 112.5),
        (Family(0, 0), 140.25),
        (Family(1, 0), 9.0),
        (Family(2, 0b001), 8.0),
    ]


def test_a_foreign_table_claims_neither_score_nor_arity() -> None:
    table = read_pss(b"VAR a\n-1\n", Path("x.pss"))
    assert pss_bytes(table) == b"META pss_version = 0.1\n\nVAR a\n-1\n"


def test_names_that_urlearning_would_misread(tmp_path: Path) -> None:
    path = tmp_path / "odd.pss"
    names = ("Metabolism", "LVar", "var x")
    write_scores(clinic(names), path)
    text = path.read_text(encoding="utf-8")
    assert "\n-40 %4Detabolism LVa%72\n" in text
    assert "\nVAR var%20x\n" in text
    families = [line for line in text.splitlines() if line.startswith("-")]
    assert len(families) == 6
    assert not any("meta" in line.lower() or "var " in line.lower() for line in families)
    headers = [line for line in text.splitlines() if line.startswith("VAR ")]
    assert not any("meta" in line.lower() for line in headers)
    assert read_scores(path).names == names
    sidecar_of(path).unlink()
    assert read_scores(path).names == ("%4Detabolism", "LVa%72", "var%20x")


TWO = b"META pss_version = 0.1\n\nVAR a\nMETA arity=2\n-1\n-2 b\nVAR b\n-3\n"
MANY = b"".join(b"VAR v%d\n-1\n" % v for v in range(1025))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x\.pss is empty; a \.pss file has META lines, VAR lines and scores"),
        (b"# nothing\n\n", r"x\.pss is empty"),
        (b"META a=b\n", r"x\.pss has no VAR line"),
        (TWO + b"\xff\n", r"x\.pss, line 9: not UTF-8 text"),
        (TWO.replace(b"= 0.1", b"= 7"), "line 1: pss_version is '7'; noisyor reads 0.1"),
        (TWO.replace(b"arity=2", b"arity"), "line 4: expected META key=value"),
        (TWO.replace(b"META arity=2", b"META"), "line 4: expected META key=value"),
        (b"-1\n" + TWO, "line 1: expected a line META key=value or VAR name before the first"),
        (b"varied\n" + TWO, "line 1: expected a line META key=value or VAR name"),
        (TWO.replace(b"VAR b", b"VAR b c"), "line 7: expected VAR and one name without white"),
        (TWO.replace(b"VAR b", b"VAR"), "line 7: expected VAR and one name"),
        (TWO.replace(b"VAR b\n", b"VAR a\n"), "line 7: variable 'a' comes again after line 3"),
        (TWO[:-3], "line 7: variable 'b' has no parent set"),
        (MANY, "line 2049: variable 1025; at most 1024 are supported"),
        (TWO.replace(b"-2 b", b"-2 c"), "line 6: the parent 'c' is not a variable of this file"),
        (TWO.replace(b"-2 b", b"-2 a"), "line 6: 'a' is its own parent"),
        (TWO.replace(b"-2 b", b"-2 b b"), "line 6: the parent 'b' is listed twice"),
        (TWO.replace(b"-2 b", b"-2"), "line 6: the parent set of 'a' in line 5 comes again"),
        (TWO.replace(b"-2 b", b"nan b"), "line 6: the score is 'nan'; it must be a finite number"),
        (TWO.replace(b"-2 b", b"1e400 b"), "line 6: the score is '1e400'"),
        (TWO + b"junk\n", r"line 9: the score is 'junk'; .*among the parent sets of 'b'"),
        (TWO + b"VARIABLE c\n", "line 9: the score is 'VARIABLE'"),
    ],
)
def test_malformed_files_are_refused(data: bytes, message: str) -> None:
    assert read_pss(TWO, Path("x.pss")).names == ("a", "b")
    with pytest.raises(FormatError, match=message):
        read_pss(data, Path("x.pss"))
