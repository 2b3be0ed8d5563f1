"""Error messages for every table that cannot be read."""

import gzip
import io
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from noisyor.core import DataError, SettingsError
from noisyor.data import read, read_raw
from tests.data.tables import tally, written

REFUSED: dict[str, tuple[str | bytes, str]] = {
    "texts that all differ": (
        "name,b\n" + "".join(f"p{n},{n % 2}\n" for n in range(70)),
        (
            "column 'name' has a different text in each record (70), as an identifier has. A "
            "column may have at most 64 states: group the values, take the month or the year of "
            "dates, or leave it out: drop=['name']"
        ),
    ),
    "numbers with commas": (
        "weight;b\n" + "".join(f"{n % 9 + 1},{n + 100};{n % 2}\n" for n in range(70)),
        (
            "column 'weight' has 70 different numbers with commas, which are read as texts (write "
            "decimal points, and no commas between thousands). A column may have at most 64 "
            "states: group the values, take the month or the year of dates, or leave it out: "
            "drop=['weight']"
        ),
    ),
    "too many texts": (
        "city,b\n" + "".join(f"c{n},{n % 2}\n" for n in range(65)) * 2,
        (
            "column 'city' has 65 different texts. A column may have at most 64 states: group the "
            "values, take the month or the year of dates, or leave it out: drop=['city']"
        ),
    ),
    "values that differ by case": (
        "colour,b\nred,0\nRed,1\nblue,0\n",
        (
            "column 'colour' has the values 'Red' and 'red', which differ only by case or blanks; "
            "write them alike, or list all states if they are different ones: order={'colour': "
            "['Red', 'blue', 'red']}"
        ),
    ),
    "two values that differ by blanks": (
        "risk,b\nhigh risk,0\nhigh  risk,1\n",
        "column 'risk' has the values 'high  risk' and 'high risk', which differ only by case",
    ),
    "numbers that differ by notation": (
        "dose,b\n1000,0\n1e3,1\n2000,0\n",
        "column 'dose' has the values '1000' and '1e3', which differ only by notation",
    ),
    "missing values": (
        "a,b,c\n0,,1\nNA,?,0\n1,1,0\n0,0,nan\n",
        (
            "values are missing in 3 of 4 records, by column: 'a' 1, 'b' 2, 'c' 1. Fill them in, "
            'or choose what to do about them: missing="drop" leaves those records out'
        ),
    ),
    "missing values in the last column": (
        "a,b\n0,1\n1,\n0,N/A\n",
        "values are missing in 2 of 3 records, by column: 'b' 2",
    ),
    "a repeated name": (
        "a,b,a\n0,1,0\n1,0,1\n",
        "columns 1 and 3 are both named 'a'; names must differ",
    ),
    "an empty name": ("a,,c\n0,1,0\n1,0,1\n", "column 2 has an empty name"),
    "a short row": (
        "a,b\n0,1\n1\n0,0\n",
        "row 2 (line 3) has 1 cells; each row needs 2, one for each column",
    ),
    "a long row": ("a,b\n0,1\n0,1,0\n0,0\n", "row 2 (line 3) has 3 cells; each row needs 2"),
    "a short row and missing values": (
        "a,b,c\n0,1,\n1,0\n0,0,1\n",
        "row 2 (line 3) has 2 cells; each row needs 3",
    ),
    "too many states before a short row": (
        "a,b\n" + "".join(f"n{n},0\n" for n in range(65)) + "1\n",
        "column 'a' has 65 different values in its first 65 records",
    ),
    "a blank line inside": (
        "a,b\n0,1\n\n1,0\n",
        "line 3 is blank; blank lines are allowed only at the end of the file",
    ),
    "a blank line first": ("\na,b\n0,1\n1,0\n", "line 1 is blank"),
    "an empty file": ("", "the file is empty; a table with at least one record is needed"),
    "blank lines only": ("\n\n \n", "the file has only blank lines"),
    "empty quotes only": ('""\n', "the first lines hold nothing but blanks and empty quotes"),
    "a quote that is open from the start": (
        '"a,b\n' + "0,1\n" * 50_000,
        'the quotes (") around a cell are malformed after line 0',
    ),
    "a header only": ("a,b\n", "the table has no records; at least one is needed"),
    "a header and blank lines": ("a,b\n\n\n", "the table has no records"),
    "bytes that are not UTF-8": (
        b"a,b\n0,1\nyes\xe9,0\n",
        "the byte 0xe9 at offset 11 (line 3) is not UTF-8 text; save the file as UTF-8",
    ),
    "UTF-16": ("a,b\n0,1\n".encode("utf-16"), "the file is UTF-16"),
    "a NUL byte": (b"a,b\n0,1\n\0,0\n", "line 3 has a NUL byte"),
    "too many columns": (
        ",".join("0" * 1025) + "\n" + ",".join("1" * 1025) + "\n",
        "the table has 1025 columns; at most 1024 are supported",
    ),
    "an open quote": ('a,b\n0,1\n"1,0\n0,0\n', 'the quotes (") around a cell are malformed'),
    "text after a quote": (
        'a,b\n0,1\n"0"1,0\n0,0\n',
        'the quotes (") around a cell are malformed after line 2',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_said_about_a_file(tmp_path: Path, case: str) -> None:
    content, message = REFUSED[case]
    path = written(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_what_is_said_about_too_many_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, "age,b\n" + "".join(f"{n}.5,{n % 2}\n" for n in range(80)) * 2)
    with pytest.raises(DataError) as caught:
        read(path, bins="none")
    assert str(caught.value) == (
        f"{path}: column 'age' has 80 different numbers in its first 160 records; a column may "
        "have at most 64 states. Put the numbers into bins, bins=3, or leave the column out, "
        "drop=['age']"
    )


@pytest.mark.parametrize("case", ["a short row", "a long row", "a blank line inside"])
@pytest.mark.parametrize("policy", ["error", "drop"])
def test_ragged_rows_are_not_missing_values(tmp_path: Path, case: str, policy: str) -> None:
    content, message = REFUSED[case]
    with pytest.raises(DataError, match=re.escape(message)):
        read(written(tmp_path, content), missing=policy)


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("1", "row 10000 (line 10001) has 1 cells"),
        ("1,1,1", "row 10000 (line 10001) has 3 cells"),
        ("1,", "values are missing in 1 of 10000 records, by column: 'b' 1"),
        ('1,"0', 'the quotes (") around a cell are malformed'),
        ("\n1,1", "line 10001 is blank"),
    ],
)
@pytest.mark.parametrize("words", [("0", "1"), ("no", "yes")])
def test_trouble_far_from_the_first_lines(
    tmp_path: Path, last: str, message: str, words: tuple[str, str]
) -> None:
    rows = "{0},{1}\n{1},{0}\n{1},{1}\n".format(*words) * 3_333
    for old, new in zip("01", words, strict=True):
        last = re.sub(rf"\b{old}\b", new, last)
    with pytest.raises(DataError, match=re.escape(message)):
        read(written(tmp_path, f"a,b\n{rows}{last}\n"))


def test_bytes_that_are_not_utf8_far_from_the_first_lines(tmp_path: Path) -> None:
    rows = b"0,1\n1,0\n" * 10_000
    path = written(tmp_path, b"a,b\n" + rows + b"\xc3\x28,0\n")
    with pytest.raises(DataError, match=rf"byte 0xc3 at offset {4 + len(rows)} \(line 20002\)"):
        read(path)


def test_all_records_dropped(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="each of the 2 records lacks a value; none is left"):
        read(written(tmp_path, "a,b\n0,\n,1\n"), missing="drop")


def test_present_that_does_not_fit(tmp_path: Path) -> None:
    path = written(tmp_path, "smoker,b\ncurrent,0\nnever,1\n")
    with pytest.raises(DataError, match=r"present names the column 'smokes', .* it has: smoker, b"):
        read(path, present={"smokes": "current"})
    with pytest.raises(
        DataError,
        match="column 'smoker' never has the value 'now', which should mean present; it has "
        "'current' and 'never'",
    ):
        read(path, present={"smoker": "now"})
    with pytest.raises(DataError, match="never has the value 'NA'"):
        read(path, present={"smoker": "NA"})


def test_an_unknown_policy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="missing is 'guess'; it must be one of: error, drop"):
        read(written(tmp_path, "0,1\n1,0\n"), missing="guess")


def test_a_spreadsheet_is_to_be_saved_as_csv() -> None:
    with pytest.raises(DataError, match=r"spreadsheets \(\.xlsx\) are not read; save .* as CSV"):
        read("Patients.XLSX")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.csv: there is no such file"):
        read(tmp_path / "none.csv")
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with pytest.raises(DataError, match=r"folder\.csv: this is a folder; a file is needed"):
        read(folder)
    with pytest.raises(DataError, match=r"does not know the suffix '\.sav'.*csv.*give the format"):
        read(tmp_path / "table.sav")
    with pytest.raises(DataError, match=r"has no suffix.*allowed: csv"):
        read(tmp_path / "table")
    with pytest.raises(SettingsError, match="no format 'xlsx'; allowed"):
        read(tmp_path / "table.csv", format="xlsx")


def test_a_file_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "0,1\n1,0\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="the file cannot be opened: Permission denied"):
        read(path)


@pytest.mark.parametrize("cut", [5, 30, -6])
def test_broken_gzip(tmp_path: Path, cut: int) -> None:
    packed = gzip.compress(b"a,b\n" + b"0,1\n1,0\n" * 1000)
    with pytest.raises(DataError, match="the gzip compression is broken"):
        read(written(tmp_path, packed[:cut], "table.csv.gz"))
    with pytest.raises(DataError, match="the gzip compression is broken"):
        read(written(tmp_path, "a,b\n0,1\n", "table.csv.gz"))


@pytest.mark.parametrize(
    ("name", "title"), [("t.parquet", "Parquet"), ("t.arrow", "Arrow"), ("t.feather", "Arrow")]
)
@pytest.mark.parametrize("damage", ["junk", "cut", "end"])
def test_broken_columnar_files(tmp_path: Path, name: str, title: str, damage: str) -> None:
    buffer = io.BytesIO()
    frame = pl.DataFrame({"a": [0, 1] * 1000, "b": ["yes", "no"] * 1000})
    if title == "Parquet":
        frame.write_parquet(buffer)
    else:
        frame.write_ipc(buffer)
    whole = buffer.getvalue()
    content = {"junk": b"a,b\n0,1\n", "cut": whole[: len(whole) // 2], "end": whole[:-9]}[damage]
    with pytest.raises(DataError, match=rf"cannot be read as {title} .*write or download it again"):
        read(written(tmp_path, content, name))


def test_standard_input_needs_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"standard input has no suffix.*give the format"):
        read("-")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"a,b\n0,1\n2\n1,0\n")))
    with pytest.raises(DataError, match=r"standard input: row 2 \(line 3\) has 1 cells"):
        read("-", format="csv")


@pytest.mark.parametrize("option", [{"delimiter": ","}, {"header": True}, {"quote": '"'}])
def test_options_of_text_are_refused_elsewhere(tmp_path: Path, option: dict[str, object]) -> None:
    frame = pl.DataFrame({"a": [0, 1]})
    frame.write_parquet(tmp_path / "t.parquet")
    for reader in (read, read_raw):
        with pytest.raises(SettingsError, match="for delimited text, not for Parquet files"):
            reader(tmp_path / "t.parquet", **option)  # type: ignore[arg-type]
        with pytest.raises(SettingsError, match="are for files, not for frames"):
            reader(frame, **option)  # type: ignore[arg-type]
        with pytest.raises(SettingsError, match="names are given only for numpy arrays"):
            reader(frame, names=["a"])


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_frames_with_gaps() -> None:
    gaps = "values are missing in 1 of 3 records, by column: 'a' 1"
    tables = [
        pd.DataFrame({"a": [True, np.nan, False], "b": [0, 1, 1]}),
        pd.DataFrame({"a": [0.0, np.nan, 1.0], "b": [0, 1, 1]}),
        pd.DataFrame({"a": pd.array([0, None, 1], dtype="Int64"), "b": [0, 1, 1]}),
        pd.DataFrame({"a": ["yes", None, "no"], "b": [0, 1, 1]}),
        pl.DataFrame({"a": [True, None, False], "b": [0, 1, 1]}),
        pl.DataFrame({"a": [0.0, float("nan"), 1.0], "b": [0, 1, 1]}),
        pa.table({"a": [True, None, False], "b": [0, 1, 1]}),
    ]
    for table in tables:
        with pytest.raises(DataError, match=gaps):
            read(table)
        assert sum(tally(read(table, missing="drop")).values()) == 2
    array = np.array([[0, 0], [np.nan, 1], [1, 1]])
    for values in (array, array.astype(np.float16), array.astype(object)):
        with pytest.raises(DataError, match="missing in 1 of 3 records, by column: 'X1' 1"):
            read(values)
    masked = np.ma.MaskedArray([[0, 0], [0, 1], [1, 1]], np.array([[0, 0], [1, 0], [0, 0]]) > 0)
    with pytest.raises(DataError, match="missing in 1 of 3 records, by column: 'X1' 1"):
        read(masked)


def test_frames_that_are_refused() -> None:
    many = [*range(65)]
    for column in (many, [n + 0.5 for n in many], [f"n{n}" for n in many]):
        for table in (pd.DataFrame({"a": column}), pl.DataFrame({"a": column})):
            with pytest.raises(DataError, match=r"column 'a' has 65 different (numbers|values)"):
                read(table, bins="none")
    with pytest.raises(DataError, match="columns 1 and 2 are both named 'a'"):
        read(pd.DataFrame([[0, 1]], columns=["a", "a"]))
    with pytest.raises(DataError, match="columns 1 and 2 are both named 'a'"):
        read(pa.Table.from_arrays([pa.array([0]), pa.array([1])], names=["a", "a"]))
    with pytest.raises(DataError, match="column 1 has an empty name"):
        read(pl.DataFrame({"": [0, 1]}))
    with pytest.raises(DataError, match=r"column 'a' has the type List.*reads booleans, numbers"):
        read(pl.DataFrame({"a": [[0], [1]]}))
    with pytest.raises(DataError, match="the table has no records"):
        read(pl.DataFrame({"a": []}, schema={"a": pl.Int8}))
    with pytest.raises(DataError, match="the table has no columns"):
        read(pl.DataFrame())
    with pytest.raises(DataError, match="the table has 1025 columns; at most 1024"):
        read(np.zeros((3, 1025), dtype=np.int8))
    with pytest.raises(DataError, match=r"shape \(3,\); two dimensions are needed"):
        read(np.zeros(3))
    with pytest.raises(DataError, match="3 names for the 2 columns of the array"):
        read(np.zeros((3, 2)), names=["a", "b", "c"])
    with pytest.raises(DataError, match="cannot be read from dict; allowed: a path, a frame"):
        read({"a": [0, 1]})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b\n", "begins with a line of names and a line of arities; this one ends earlier"),
        ("a b\n2\n0 1\n", "line 2 has 1 arities for 2 names"),
        ("a b\n2 x\n0 1\n", "the arity of column 'b' in line 2 is 'x'; it must be a whole number"),
        ("a b\n2 65\n0 1\n1 0\n", "column 'b' declares 65 states; at most 64 are supported"),
        ("a b\n2 2\n0 1\n0\n", r"row 2 \(line 4\) has 1 cells; each row needs 2"),
        ("a b\n2 2\n0 1\n1 2\n1 0\n", r"'b' has 3 different values \(0, 1, 2\), but declares 2"),
        ("a b\n2 2\n", "the table has no records"),
    ],
)
def test_what_is_said_about_gobnilp_files(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, content, "table.dat"))


HEAD = "@relation r\n@attribute a {no,yes}\n@attribute b numeric\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (HEAD, "the ARFF file has no @data line"),
        (HEAD + "@data\n", "the table has no records"),
        (HEAD + "no,1\n@data\n", "line 4 begins with 'no,1'; an ARFF file has @relation"),
        ("@attribute a relational\n@data\n", "line 1 declares no column that noisyor reads"),
        (HEAD + "@data\nno,1\n% remark\nyes\n", r"row 2 \(line 7\) has 1 cells"),
        (
            "@attribute a {x, 'x ', y}\n@data\nx\ny\n",
            "'a' declares 'x' and 'x', which are the same",
        ),
        (HEAD + "@data\nno,?\nyes,0\n", "missing in 1 of 2 records, by column: 'b' 1"),
        (HEAD + "@data\n{0 yes}\n{2 1}\n", r"row 2 \(line 6\) has '2 1'; a sparse record lists"),
        (HEAD + "@data\n{0 yes}\nno,1\n", r"row 2 \(line 6\) is not in braces"),
        (HEAD + "@data\n{0 yes, 0 no}\n", r"row 1 \(line 5\) lists column 0 twice"),
        (HEAD + "@data\n{0 yes,}\n", r"row 1 \(line 5\) has ''; a sparse record lists"),
        (HEAD + "@data\n{0 'yes}\n", r"""has "0 'yes"; a sparse record lists"""),
        (HEAD + "@data\nno,0\nYes,1\n", r"'Yes' in row 2 \(line 6\), which is not declared"),
        (HEAD + "@data\n{0 never}\n", "'never' in row 1 .* allowed: 'no', 'yes'"),
        (HEAD + "@data\nno,x\n", "column 'b' has the value 'x' in row 1 .* allowed: a number"),
        (HEAD + "@data\n'no'x,1\n", r"row 1 \(line 5\) has malformed quotes: \"'no'x,1\""),
        ("@attribute a {no,'yes}\n@data\n", "line 1 has malformed quotes"),
        ("@attribute s string\n@data\n{}\n", "has no value for 's', which has no default"),
        ("@data\n0\n", "the table has no columns"),
    ],
)
def test_what_is_said_about_arff_files(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, content, "table.arff"))
