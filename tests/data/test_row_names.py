"""Columns that name the records are left out only where that is safe."""

import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import noisyor
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut
from noisyor.data.row_names import RowNames, UnnamedColumnError

ROWS = [(number % 2, number % 3 == 0) for number in range(70)]  # more than a column has states


def written(folder: Path, header: str, name_of: Callable[[int], object], sign: str = ",") -> Path:
    """Write a table with a column before the data."""
    path = folder / "table.csv"
    lines = [
        sign.join([str(name_of(number)), str(flu), str(int(cough))])
        for number, (flu, cough) in enumerate(ROWS)
    ]
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("header", "name", "sign"),
    [
        (",flu,cough", "", ","),  # pandas
        ('"","flu","cough"', "", ","),  # R's write.csv
        ('"flu" "cough"', "", " "),  # R's write.table: row names have no header
        ("Unnamed: 0,flu,cough", "Unnamed: 0", ","),  # pandas, read and written again
        ("rownames;flu;cough", "rownames", ";"),
    ],
)
@pytest.mark.parametrize("name_of", [int, '"{}"'.format], ids=["bare", "quoted"])
def test_row_names_are_left_out_with_a_warning(
    tmp_path: Path, header: str, name: str, sign: str, name_of: Callable[[int], object]
) -> None:
    path = written(tmp_path, header, name_of, sign)
    with pytest.warns(noisyor.DataWarning, match="holds row names, no two of them equal"):
        data = noisyor.read(path)
    assert data.names == ("flu", "cough")
    assert data.columns_left_out == (LeftOutColumn(name, WhyLeftOut.ROW_NAMES),)
    assert data.record_count == len(ROWS)


def test_a_column_that_repeats_is_a_variable_if_it_has_a_name(tmp_path: Path) -> None:
    path = written(tmp_path, "rownames,flu,cough", lambda number: f"ward{number % 4}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = noisyor.read(path)
    assert data.names == ("rownames", "flu", "cough")
    assert data.columns_left_out == ()


@pytest.mark.parametrize(
    ("name_of", "said"),
    [
        (lambda number: number % 69, "has the value '0' again in row 70"),
        (lambda number: "" if number == 4 else number, "lacks a value in row 5"),
    ],
)
def test_an_unnamed_column_that_is_none_is_refused(
    tmp_path: Path, name_of: Callable[[int], object], said: str
) -> None:
    path = written(tmp_path, ",flu,cough", name_of)
    with pytest.raises(noisyor.DataError, match=said) as caught:
        noisyor.read(path)
    assert "drop=['']" in str(caught.value)
    assert noisyor.read(path, drop=[""]).names == ("flu", "cough")


def test_an_unnamed_column_elsewhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("flu,,cough\n0,1,1\n1,2,0\n", encoding="utf-8")
    with pytest.raises(noisyor.DataError, match="column 2 has an empty name"):
        noisyor.read(path)


def test_a_column_that_is_spoken_of_is_no_row_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("rownames,flu\nann,1\nbob,0\n", encoding="utf-8")
    spoken_of = noisyor.read(path, present={"rownames": "ann"})
    assert spoken_of.names == ("rownames", "flu")
    network = noisyor.learn(spoken_of, quiet=True).best
    assert noisyor.read(path, order=network).names == ("rownames", "flu")


def test_numbers_beside_row_names_are_binned(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = [f"{number},{number % 2},{number % 31 / 2}" for number in range(70)]
    path.write_text("\n".join([",flu,age", *rows]) + "\n", encoding="utf-8")
    with pytest.warns(noisyor.DataWarning) as caught:
        data = noisyor.read(path)
    assert data.names == ("flu", "age")
    assert data.columns_left_out == (LeftOutColumn("", WhyLeftOut.ROW_NAMES),)
    assert len([one for one in caught if "row names" in str(one.message)]) == 1


@pytest.mark.parametrize("kind", ["pandas", "polars", "lazy", "arrow"])
def test_frames_have_row_names_too(kind: str) -> None:
    frame = pl.DataFrame({"Unnamed: 0": range(70), "flu": [one for one, _ in ROWS]})
    table = {
        "pandas": pd.DataFrame(frame.to_dict(as_series=False)),
        "polars": frame,
        "lazy": frame.lazy(),
        "arrow": frame.to_arrow(),
    }[kind]
    with pytest.warns(noisyor.DataWarning, match="the column 'Unnamed: 0' holds row names"):
        assert noisyor.read(table).names == ("flu",)


def test_raw_tables_and_binarize_leave_them_out(tmp_path: Path) -> None:
    path = written(tmp_path, ",flu,cough", int)
    with pytest.warns(noisyor.DataWarning, match="row names"):
        assert noisyor.read_raw(path).columns == ["flu", "cough"]
    with pytest.warns(noisyor.DataWarning, match="row names"):
        binary, rules = noisyor.binarize(path)
    assert binary.columns == ["flu", "cough"]
    with pytest.warns(noisyor.DataWarning, match="row names"):
        assert rules.apply(path).equals(binary)


def test_imputed_tables_keep_them(tmp_path: Path) -> None:
    path = written(tmp_path, ",flu,cough", lambda number: f"p{number}")
    with pytest.warns(noisyor.DataWarning, match="row names"):
        learned = noisyor.learn(path, quiet=True)
    path.write_text(",flu,cough\np1,1,\np2,,0\n", encoding="utf-8")
    with pytest.warns(noisyor.DataWarning, match="stay as they are"):
        (filled,) = noisyor.impute(path, learned)
    assert filled.columns == ["", "flu", "cough"]
    assert filled[""].to_list() == ["p1", "p2"]


@pytest.mark.parametrize("again", ["0", "4", "9", ""])
def test_names_are_compared_over_all_batches(again: str) -> None:
    """Whichever batch has the value first: they are not compared after each one."""
    names = RowNames("")
    for number in range(10):
        names.add(pl.Series([str(number)]))
    what = f"has the value '{again}' again" if again else "lacks a value"
    with pytest.raises(UnnamedColumnError, match=f"{what} in row 11"):  # noqa: PT012
        names.add(pl.Series([again]))
        names.finish()


LATE = pl.DataFrame({"rownames": ["a", "b", "c", "d", "e", "a"], "x": [0, 1, 0, 1, 0, 1]})


@pytest.mark.parametrize("kind", ["frame", "file", "quoted file"])
def test_names_that_repeat_late_make_a_variable(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (
        "frames._BATCH_CELLS",
        "delimited._BATCH_CELLS",
        "delimited._CAREFUL_BATCH_CELLS",
    ):
        monkeypatch.setattr(f"noisyor.data.{place}", 2)  # a record in each batch
    path = tmp_path / "table.csv"
    LATE.write_csv(path, quote_style="always" if kind == "quoted file" else "necessary")
    assert noisyor.read(LATE if kind == "frame" else path).names == ("rownames", "x")
