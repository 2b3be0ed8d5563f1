"""GOBNILP's local scores: what is written, what is read, what is refused."""

from pathlib import Path

import pytest

from noisyor.core import Family, FormatError
from noisyor.formats import read_scores, write_scores
from noisyor.formats.jkl import jkl_bytes, read_jkl
from noisyor.formats.score_files import sidecar_of
from tests.formats.tables import Row, clinic, foreign_scope, table_of

CLINIC = b"""\
3
flu 1
-60.5 0
cold 2
-50.25 0
-50.5 1 flu
cough 3
-40 2 flu cold
-45.125000007450581 1 flu
-69.5 0
"""


def test_the_better_relation_of_each_parent_set_is_written() -> None:
    assert jkl_bytes(clinic()) == CLINIC


def test_a_foreign_file_is_all_full_tables() -> None:
    table = read_jkl(CLINIC, Path("clinic.jkl"))
    names = ("flu", "cold", "cough")
    expected: list[Row] = [
        (0, 0, 0, 60.5, 0.0, []),
        (1, 0, 0, 50.25, 0.0, []),
        (1, 1, 0, 50.5, 0.0, []),
        (2, 3, 0, 40.0, 0.0, []),
        (2, 1, 0, 45.125000007450581, 0.0, []),
        (2, 0, 0, 69.5, 0.0, []),
    ]
    assert table == table_of(expected, foreign_scope(names))
    assert table.scope.bayes_factor is None
    assert table.scope.relations is None


def test_files_in_the_wild() -> None:
    data = (
        b"\xef\xbb\xbf# made by hand\r\nMETA whatever it says\r\n\r\n  3\r\n"
        b"2 2\r\n-3.5 1 0\r\n\t-1e1  2\t1 0 \r\n# a comment\r\n"
        b"0 1\r\n+.5 0\r\n1 1\r\n0 1 2"
    )
    table = read_jkl(data, Path("wild.jkl"))
    assert table.names == ("2", "0", "1")
    assert list(table.families()) == [
        (Family(0, 0b010), 3.5),
        (Family(0, 0b110), 10.0),
        (Family(1, 0), -0.5),
        (Family(2, 0b001), 0.0),
    ]


def test_names_that_the_format_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "odd.jkl"
    names = ("a b", "50%\t#", "\u00e9\u2003x")
    write_scores(clinic(names), path)
    text = path.read_text(encoding="utf-8")
    assert "\na%20b 1\n" in text
    assert "\n50%25%09%23 2\n" in text
    assert "\n\u00e9%E2%80%83x 3\n-40 2 a%20b 50%25%09%23\n" in text
    assert read_scores(path).names == names
    sidecar_of(path).unlink()
    assert read_scores(path).names == ("a%20b", "50%25%09%23", "\u00e9%E2%80%83x")


def test_costs_keep_every_bit() -> None:
    costs = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -2.5e-308, 123456789.12345679]
    names = tuple("abcdef")
    table = table_of([(v, 0, 0, c, 0, []) for v, c in enumerate(costs)], foreign_scope(names))
    assert b"\n-0.10000000000000001 0\n" in jkl_bytes(table)
    assert read_jkl(jkl_bytes(table), Path("x.jkl")) == table


TWO = b"2\na 2\n-1 0\n-2 1 b\nb 1\n-3 0\n"
MANY = b"1025\n" + b"".join(b"v%d 1\n-1 0\n" % v for v in range(1025))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x\.jkl is empty; a \.jkl file begins with the number of variables"),
        (b"\n \n# only a comment\n", r"x\.jkl is empty"),
        (b"\xff", r"x\.jkl, line 1: not UTF-8 text"),
        (TWO.replace(b"b 1", b"b\xc3( 1"), r"x\.jkl, line 5: not UTF-8 text"),
        (b"a 2\n-1 0\n", "line 1: a .jkl file begins with the number of variables, alone"),
        (b"-2\n", "line 1: a .jkl file begins with the number of variables, alone"),
        (b"2.0\n", "line 1: a .jkl file begins with the number of variables, alone"),
        (b"9" * 5000 + b"\n", "line 1: a .jkl file begins with the number of variables, alone"),
        (b"0\n", "line 1: 0 variables; allowed: 1 to 1024"),
        (MANY, "line 1: 1025 variables; allowed: 1 to 1024"),
        (b"2\n", "line 1: the file ends after 0 of 2 variables; it is cut short"),
        (TWO.replace(b"2\na", b"3\na"), "line 6: the file ends after 2 of 3 variables"),
        (
            TWO.replace(b"2\na", b"1\na"),
            "line 5: comes after the last of 1 variables, 'a' with 2 parent sets; the file must",
        ),
        (TWO + b"junk\n", "line 7: comes after the last of 2 variables"),
        (TWO[:-5], "line 5: the file ends after 0 of the 1 parent sets that line 5 announces"),
        (TWO.replace(b"b 1\n", b"b 2\n"), "line 6: the file ends after 1 of the 2 parent sets"),
        (TWO.replace(b"b 1\n", b"b 999999999999999999\n"), "after 1 of the 999999999999999999"),
        (TWO.replace(b"a 2", b"a 1"), r"line 4: expected variable 2 of 2: .*too small\?"),
        (
            TWO.replace(b"a 2", b"a 3"),
            "line 5: expected a score, .*: one of the parent sets that line 2 announces for 'a'",
        ),
        (TWO.replace(b"a 2", b"a x"), "line 2: expected variable 1 of 2: its name and the number"),
        (TWO.replace(b"a 2", b"a"), "line 2: expected variable 1 of 2"),
        (b"2\na 1\n-1 0\nb 0\n", "line 4: variable 'b' has no parent set; each needs at least one"),
        (TWO.replace(b"b 1", b"a 1").replace(b"1 b", b"1 a"), "'a' comes again after line 2"),
        (TWO.replace(b"-2 1 b", b"-2 1"), "line 4: expected a score, the number of parents"),
        (TWO.replace(b"-2 1 b", b"-2 0 b"), "line 4: expected a score, the number of parents"),
        (TWO.replace(b"-2 1 b", b"-2 x b"), "line 4: expected a score, the number of parents"),
        (TWO.replace(b"-2 1 b", b"-2"), "line 4: expected a score, the number of parents"),
        (TWO.replace(b"1 b", b"1 c"), "line 4: the parent 'c' is not a variable of this file"),
        (TWO.replace(b"1 b", b"1 a"), "line 4: 'a' is its own parent"),
        (TWO.replace(b"1 b", b"2 b b"), "line 4: the parent 'b' is listed twice"),
        (
            b"2\na 2\n-1 1 b\n\n-2 1 b\nb 1\n-3 0\n",
            "line 5: the parent set of 'a' in line 3 comes again; allowed: once",
        ),
        (TWO.replace(b"-1 0", b"x 0"), "line 3: the score is 'x'; it must be a finite number"),
        (TWO.replace(b"-1 0", b"nan 0"), "line 3: the score is 'nan'"),
        (TWO.replace(b"-1 0", b"-inf 0"), "line 3: the score is '-inf'"),
        (TWO.replace(b"-1 0", b"-1e999 0"), "line 3: the score is '-1e999'"),
        (TWO.replace(b"-1 0", b"-1_0 0"), "line 3: the score is '-1_0'"),
        (TWO.replace(b"-1 0", b"-1e 0"), "line 3: the score is '-1e'"),
        (TWO.replace(b"-1 0", "\u0661 0".encode()), "line 3: the score is '\u0661'"),
    ],
)
def test_malformed_files_are_refused(data: bytes, message: str) -> None:
    assert read_jkl(TWO, Path("x.jkl")).names == ("a", "b")
    with pytest.raises(FormatError, match=message):
        read_jkl(data, Path("x.jkl"))
