"""Any value in a column of another library is read, or refused with a NoisyorError."""

import datetime as dt
import io
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from noisyor.core import DataError
from noisyor.data import read, read_raw
from tests.data.tables import tally, written

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")

DAY = dt.timedelta(days=1)
READERS = (read, read_raw)

REFUSED: dict[str, tuple[pa.Array, str]] = {
    "durations": (pa.array([0, DAY], pa.duration("s")), "has the type Duration"),
    "decimals of 50 digits": (pa.array([Decimal(0), Decimal(1)], pa.decimal256(50, 2)), "cannot"),
    "intervals": (pa.array([(0, 0, 0), (1, 2, 3)], pa.month_day_nano_interval()), "cannot"),
    "run lengths": (pa.RunEndEncodedArray.from_arrays([1, 2], [0, 1]), "cannot"),
    "lists": (pa.array([[0], [1]]), "has the type List"),
    "structures": (pa.array([{"x": 0}, {"x": 1}]), "has the type Struct"),
    "bytes": (pa.array([b"0", b"1"]), "has the type Binary"),
    "texts of JSON": (pa.array(["0", "1"], pa.json_()), "has the type Extension"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_columns_that_are_refused(tmp_path: Path, case: str) -> None:
    column, message = REFUSED[case]
    table = pa.table({"a": column, "b": [0, 1]})
    sources: list[object] = [table, written(tmp_path, arrow(table), "table.arrow")]
    if case not in {"intervals", "run lengths"}:  # which Parquet does not have
        sources.append(written(tmp_path, parquet(table), "table.parquet"))
    for source in sources:
        for reader in READERS:
            with pytest.raises(DataError, match=message):
                reader(source)


def arrow(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pyarrow.feather.write_feather(table, file, compression="uncompressed")
    return file.getvalue()


def parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


def test_a_frame_of_durations_is_refused() -> None:
    for reader in READERS:
        with pytest.raises(DataError, match="column 'a' has the type Duration"):
            reader(pl.DataFrame({"a": [DAY, 2 * DAY], "b": [0, 1]}))
        with pytest.raises(DataError, match="column 'a' has the type Duration"):
            reader(pl.LazyFrame({"a": [DAY, 2 * DAY], "b": [0, 1]}))


def test_a_date_out_of_range_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [0, 2**62]}).cast(pl.Datetime("ms"))
    frame.write_parquet(tmp_path / "table.parquet")
    for source in (frame, frame.lazy(), tmp_path / "table.parquet"):
        for reader in READERS:
            with pytest.raises(DataError, match=r"cannot be read.*out-of-range"):
                reader(source)


def test_a_cell_that_cannot_be_shown_is_refused() -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no text\nof it")

    for reader in READERS:
        with pytest.raises(DataError, match=r"^column 'a' cannot be read: no text$"):
            reader(pd.DataFrame({"a": [Odd(), Odd()]}))
        with pytest.raises(DataError, match=r"^column 'X1' cannot be read: no text$"):
            reader(np.array([[Odd()], [Odd()]]))


@pytest.mark.parametrize("dtype", [pl.Int128(), pl.UInt128(), pl.Float16(), pl.Decimal(38, 2)])
def test_numbers_that_numpy_does_not_have(tmp_path: Path, dtype: pl.DataType) -> None:
    frame = pl.DataFrame({"a": [0, 1, 1]}, schema={"a": dtype})
    frame.write_parquet(tmp_path / "table.parquet")
    for source in (frame, tmp_path / "table.parquet"):
        assert tally(read(source)) == {(0,): 1, (1,): 2}
        assert [float(one) for one in read_raw(source)["a"]] == [0, 1, 1]


def masked_matrix(bits: list[list[int]]) -> np.ndarray[Any, Any]:
    return np.ma.array(np.matrix(bits))


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize(
    "make",
    [
        np.matrix,
        masked_matrix,
        lambda bits: np.array(bits, dtype=np.longdouble),
        lambda bits: np.array(bits, dtype=">i4"),
        lambda bits: np.array(bits, dtype=">f8"),
        lambda bits: np.array([[str(bit) for bit in row] for row in bits], np.dtypes.StringDType()),
        lambda bits: pd.DataFrame(np.array(bits, dtype=np.longdouble), columns=["X1", "X2"]),
    ],
)
def test_arrays_of_unusual_kinds(make: Callable[[list[list[int]]], object]) -> None:
    bits = [[0, 1], [1, 1], [0, 0]]
    source = make(bits)
    assert tally(read(source)) == tally(read(np.array(bits)))
    assert len(read_raw(source)) == 3


def test_long_doubles_are_not_rounded() -> None:
    nearly_one = np.nextafter(np.longdouble(1), np.longdouble(2))
    if float(nearly_one) != 1:
        pytest.skip("long doubles are doubles here")
    dataset = read(np.array([[0], [1], [nearly_one]], dtype=np.longdouble))
    assert dataset.states == (("0", "1", str(nearly_one)),)


def test_gaps_of_pandas_in_an_array_are_missing() -> None:
    array = np.array([[0, pd.NA], [True, None], [1, pd.NaT], [0, 1]], dtype=object)
    assert read_raw(array)["X2"].null_count() == 3


def test_names_that_are_not_text() -> None:
    bits = np.array([[0, 1], [1, 0]])
    assert read(bits, names=[1, 2.5]).names == ("1", "2.5")  # type: ignore[list-item]
    assert read_raw(pd.DataFrame(bits, columns=[1, ("a", 2)])).columns == ["1", "('a', 2)"]
    for reader in READERS:
        with pytest.raises(DataError, match="named '1'"):
            reader(bits, names=[1, "1"])  # type: ignore[list-item]
        with pytest.raises(DataError, match="named '1'"):
            reader(pd.DataFrame(bits, columns=[1, "1"]))


def test_an_array_without_columns_is_refused() -> None:
    for reader in READERS:
        with pytest.raises(DataError, match="the table has no columns"):
            reader(np.empty((3, 0)))


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no /proc here")  # noqa: PTH110
def test_an_error_while_reading_is_one_of_the_file(tmp_path: Path) -> None:
    """The first byte of a process's memory exists as a file position, but cannot be read."""
    for name in ("table.csv", "table.parquet", "table.csv.gz"):
        (tmp_path / name).symlink_to("/proc/self/mem")
        for reader in READERS:
            with pytest.raises(DataError, match=f"{name}: the file cannot be read: Input/output"):
                reader(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("circle.csv", "Too many levels of symbolic links"),
        ("n" * 300 + ".csv", "File name too long"),
        ("file.csv/table.csv", "Not a directory|no such file"),
        ("a\0b.csv", "null"),
    ],
)
def test_paths_that_lead_nowhere(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    written(tmp_path, "a\n0\n1\n", "file.csv")
    for reader in READERS:
        with pytest.raises(DataError, match=message):
            reader(tmp_path / name)
