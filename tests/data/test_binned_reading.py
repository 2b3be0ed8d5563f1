"""Tables whose columns of many numbers become bins while they are read."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisyor
from noisyor import Binning, Dataset, Variable
from noisyor.core import DataError, FormatError, SettingsError
from noisyor.data.binned_tables import asked_bins
from noisyor.data.reading import ReadOptions, read_with_bins
from noisyor.data.warning import DataWarning
from noisyor.data.wishes import Wishes
from tests.data.tables import written
from tests.support.effort import scaled

SHEET = pl.DataFrame(
    {
        "age": [3 * i + 0.5 for i in range(30)],
        "children": [i % 9 for i in range(30)],
        "fever": [36.0 + i / 10 for i in range(30)],
        "ill": ["no"] * 20 + ["yes"] * 10,
    }
)
THREE = ("<= 30", "30 to 60", "> 60")
BY_DEFAULT = r"^binned 2 columns into 3 states each by quantiles: age, fever; bins=4 makes"


def tally(dataset: Dataset, name: str) -> dict[str, int]:
    """Return the number of records of each state of a variable."""
    variable = dataset.index(name)
    counts = dataset.state_counts(variable).tolist()
    return dict(zip(dataset.variables[variable].states, counts, strict=True))


def same_in_all_sources(tmp_path: Path) -> list[object]:
    """Return the sheet as files and frames of all kinds."""
    text = SHEET.write_csv()
    parquet, arrow = tmp_path / "s.parquet", tmp_path / "s.arrow"
    SHEET.write_parquet(parquet)
    SHEET.write_ipc(arrow)
    return [
        SHEET,
        SHEET.lazy(),
        SHEET.to_arrow(),
        pd.DataFrame(SHEET.to_dict(as_series=False)),
        written(tmp_path, text, "s.csv"),
        written(tmp_path, text.replace(",", "\t").replace("\n", "\r\n"), "s.tsv"),
        written(tmp_path, gzip.compress(text.encode()), "s.csv.gz"),
        parquet,
        arrow,
    ]


def test_columns_of_many_numbers_are_binned_with_a_warning(tmp_path: Path) -> None:
    for source in same_in_all_sources(tmp_path):
        with pytest.warns(DataWarning, match=BY_DEFAULT) as caught:
            dataset = noisyor.read(source)
        assert len(caught) == 1
        assert dataset.names == ("age", "children", "fever", "ill")
        assert dataset.variables[0] == Variable("age", THREE, ordered=True)
        assert dataset.variables[1].states == tuple("012345678")
        assert dataset.variables[3].states == ("no", "yes")
        assert tally(dataset, "age") == dict.fromkeys(THREE, 10)


def test_all_sources_give_the_same_dataset(tmp_path: Path) -> None:
    datasets = {
        noisyor.read(source, bins=["width:4", "children=2,5"])
        for source in same_in_all_sources(tmp_path)
    }
    assert len(datasets) == 1
    assert tally(datasets.pop(), "children") == {"<= 2": 12, "2 to 5": 9, "> 5": 9}


def test_an_array_of_floats() -> None:
    array = np.column_stack([np.arange(40) / 2, np.arange(40) % 2])
    with pytest.warns(DataWarning, match="binned 1 column into 3 states by quantiles: X1;"):
        dataset = noisyor.read(array)
    assert dataset.states == (("<= 6", "6 to 13", "> 13"), ("0", "1"))


def test_more_than_64_numbers_are_binned_too() -> None:
    with pytest.warns(DataWarning, match="binned 1 column"):
        dataset = noisyor.read(pl.DataFrame({"x": np.linspace(0, 1, 1000), "y": [0, 1] * 500}))
    assert sorted(tally(dataset, "x").values()) == [333, 333, 334]


def test_a_table_of_few_values_is_read_as_before() -> None:
    table = pl.DataFrame({"month": [1 + i % 12 for i in range(48)], "ill": [0, 1] * 24})
    assert noisyor.read(table) == noisyor.read(table, bins="none")
    assert noisyor.read(table) == noisyor.read(table, bins=3)
    assert read_with_bins(table, ReadOptions())[1] == Binning()


def test_no_bins_keep_every_number() -> None:
    dataset = noisyor.read(SHEET, bins="none")
    assert dataset.variables[0].state_count == 30
    assert dataset.variables[0].ordered
    dataset = noisyor.read(SHEET, bins=["age=none", "fever=37.5"])
    assert [variable.state_count for variable in dataset.variables] == [30, 9, 2, 2]


def test_no_bins_of_too_many_numbers_say_what_to_do() -> None:
    table = pl.DataFrame({"x": range(100), "y": [0, 1] * 50})
    with pytest.raises(DataError, match=r"'x' has 100 different numbers.*bins=3"):
        noisyor.read(table, bins="none")


def test_texts_of_too_many_values_are_not_binned() -> None:
    table = pl.DataFrame({"who": [f"p{i}" for i in range(100)], "y": [0, 1] * 50})
    with pytest.raises(DataError, match=r"'who' has a different text in each record \(100\)"):
        noisyor.read(table)
    with pytest.raises(DataError, match=r"'who' has a different text in each record \(100\)"):
        noisyor.read(table.with_columns(x=pl.Series(np.arange(100) / 2)))


def test_two_bins_are_absent_and_present() -> None:
    dataset = noisyor.read(SHEET, bins=["2", "children=4"])
    assert dataset.is_binary
    assert dataset.states == (
        ("<= 44", "> 44"),
        ("<= 4", "> 4"),
        ("<= 37.4", "> 37.4"),
        ("no", "yes"),
    )
    assert dataset.present(0).any()


def test_categories_that_look_like_numbers_are_not_binned(tmp_path: Path) -> None:
    codes = [str(i % 20) for i in range(40)]
    enum = pl.Enum([str(i) for i in range(20)])
    for column in (
        pl.Series(codes, dtype=enum),
        pl.Series(codes, dtype=pl.Categorical()),
    ):
        table = pl.DataFrame({"code": column, "y": [0, 1] * 20})
        assert noisyor.read(table).variables[0].state_count == 20
    frame = pd.DataFrame({"code": pd.Categorical(codes), "y": [0, 1] * 20})
    assert noisyor.read(frame).variables[0].state_count == 20
    values = ",".join(sorted(set(codes)))
    rows = "".join(f"{code},{i % 2}\n" for i, code in enumerate(codes))
    arff = f"@relation r\n@attribute code {{{values}}}\n@attribute y {{0,1}}\n@data\n{rows}"
    assert noisyor.read(written(tmp_path, arff, "t.arff")).variables[0].state_count == 20
    dat = "code y\n20 2\n" + rows.replace(",", " ")
    assert noisyor.read(written(tmp_path, dat, "t.dat")).variables[0].state_count == 20


def test_a_numeric_column_of_arff_is_binned(tmp_path: Path) -> None:
    rows = "".join(f"{i / 2},{'low' if i % 3 else 'high'}\n" for i in range(30))
    arff = f"@relation r\n@attribute x numeric\n@attribute y {{low,high}}\n@data\n{rows}"
    path = written(tmp_path, arff, "t.arff")
    with pytest.warns(DataWarning, match="binned 1 column into 3 states by quantiles: x;"):
        dataset = noisyor.read(path)
    assert [variable.state_count for variable in dataset.variables] == [3, 2]
    assert dataset.states[1] == noisyor.read(path, bins="none").states[1]


def test_orders_of_other_columns_stay() -> None:
    severity = pl.Series(["mild", "severe", "none"] * 10, dtype=pl.Enum(["none", "mild", "severe"]))
    dataset = noisyor.read(SHEET.with_columns(severity=severity), bins=3)
    assert dataset.variables[4] == Variable("severity", ("none", "mild", "severe"), ordered=True)


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_missing_values_follow_the_policy() -> None:
    table = SHEET.with_columns(age=pl.Series([None, *(i / 2 for i in range(1, 30))]))
    for bins in (None, 3, "age=15"):
        with pytest.raises(DataError, match=r"missing in 1 of 30 records, by column: 'age' 1"):
            noisyor.read(table, bins=bins)
    dataset, binning = read_with_bins(
        table, ReadOptions(missing=noisyor.data.MissingPolicy.DROP, bins=asked_bins(3))
    )
    assert dataset.record_count == binning.records == 29
    assert noisyor.read(table, bins=binning, missing="drop") == dataset
    with pytest.raises(DataError, match="missing in 1 of 30"):
        noisyor.read(table, bins=binning)


def test_mdl_leaves_out_what_says_nothing() -> None:
    table = SHEET.with_columns(noise=pl.Series([i * 7 % 30 / 4 for i in range(30)]))
    with pytest.warns(DataWarning, match="in noise; left out"):
        dataset, binning = read_with_bins(table, ReadOptions(bins=asked_bins("mdl:ill")))
    assert dataset.names == ("age", "children", "fever", "ill")
    assert binning.ignored == ("noise",)
    assert noisyor.read(table, bins=binning) == dataset


@pytest.mark.filterwarnings("ignore:.*columns never change")
def test_new_data_are_read_in_the_old_bins(tmp_path: Path) -> None:
    old, binning = read_with_bins(SHEET, ReadOptions(bins=asked_bins(3)))
    binning.save(tmp_path / "bins.json")
    new = SHEET.head(3)
    (tmp_path / "a=b").mkdir()
    binning.save(tmp_path / "a=b" / "bins.json")
    path = tmp_path / "bins.json"
    for bins in (binning, path, str(path), [str(path)], f"{tmp_path}/a=b/bins.json"):
        dataset = noisyor.read(new, bins=bins)
        assert dataset.variables[0] == old.variables[0]
        assert tally(dataset, "age") == {"<= 30": 3, "30 to 60": 0, "> 60": 0}
    assert noisyor.read(SHEET, bins=binning) == old


def test_new_data_with_more_values_stay_as_they_are() -> None:
    """A column that had few values must not be binned later on: the model knows its states."""
    _, binning = read_with_bins(SHEET, ReadOptions(bins=asked_bins(3)))
    more = SHEET.with_columns(children=pl.Series(range(30)))
    assert noisyor.read(more, bins=binning).variables[1].state_count == 30


def test_new_data_that_are_no_numbers(tmp_path: Path) -> None:
    _, binning = read_with_bins(SHEET.select("age"), ReadOptions(bins=asked_bins(3)))
    path = written(tmp_path, "age,x\n3,0\nold,1\n")
    with pytest.raises(DataError, match=r"table.csv: column 'age' has the value 'old' in row 2; "):
        noisyor.read(path, bins=binning)
    with pytest.raises(DataError, match=r"table.csv: the table has no column 'age', for which"):
        noisyor.read(written(tmp_path, "a,x\n3,0\n4,1\n"), bins=binning)


def test_a_column_with_a_present_value_is_not_binned_by_default() -> None:
    table = pl.DataFrame({"x": range(30), "y": [0, 1] * 15})
    with pytest.raises(DataError, match="'x' has 30 states"):
        noisyor.read(table, present={"x": "3"})
    assert noisyor.read(table, present={"x": "<= 9"}, bins="x=9").states[0] == ("> 9", "<= 9")


def test_a_column_with_an_order_is_not_binned_by_default() -> None:
    table = pl.DataFrame({"x": range(30), "y": [0, 1] * 15})
    falling = [str(number) for number in range(29, -1, -1)]
    assert noisyor.read(table, order={"x": falling}).states[0] == tuple(falling)


def test_bins_that_states_show_leave_other_columns_their_own() -> None:
    old_bins = ("<= 25", "> 25")
    with pytest.warns(DataWarning, match=r"^binned 1 column into 3 states by quantiles: fever;"):
        by_default = noisyor.read(SHEET, order={"age": old_bins})
    chosen = noisyor.read(SHEET, order={"age": old_bins}, bins="width:4")
    for data, count in ((by_default, 3), (chosen, 4)):
        states = dict(zip(data.names, data.states, strict=True))
        assert states["age"] == old_bins
        assert len(states["fever"]) == count


def test_numbers_that_are_states_of_a_network_are_not_binned() -> None:
    numbers = pl.DataFrame({"age": range(40), "sick": [0, 1] * 20})
    network = noisyor.learn(noisyor.read(numbers, bins="none"), quiet=True).best
    more = numbers.with_columns(pl.Series("weight", [70 + 0.5 * one for one in range(40)]))
    data = noisyor.read(more, order=network, bins=4)
    assert [len(states) for states in data.states] == [40, 2, 4]


def test_columns_to_drop_may_be_an_array() -> None:
    left_out = np.array(["age", "fever"])
    assert noisyor.read(SHEET, drop=left_out).names == ("children", "ill")  # type: ignore[arg-type]


def test_an_identifier_is_left_out(tmp_path: Path) -> None:
    table = SHEET.with_columns(id=pl.Series(range(30)))
    with pytest.warns(DataWarning, match=r"'id' has a different whole number.*drop=\['id'\]"):
        assert noisyor.read(table, bins=3).names[-1] == "id"
    path = written(tmp_path, table.write_csv())
    for source in (table, path):
        assert noisyor.read(source, bins=3, drop=["id"]) == noisyor.read(SHEET, bins=3)
        with pytest.warns(DataWarning, match=BY_DEFAULT):
            assert noisyor.read(source, drop=["id"]) == noisyor.read(SHEET, bins=3)
        wishes = Wishes.of(None, None, ["id", "id"])
        dataset, binning = read_with_bins(source, ReadOptions(wishes, bins=asked_bins(3)))
        assert binning.ignored == ("id",)
        assert noisyor.read(source, bins=binning) == dataset
        assert noisyor.read(SHEET, bins=binning) == dataset
        with pytest.raises(SettingsError, match="bins: there is no column 'id'"):
            noisyor.read(source, bins="id=3", drop=["id"])


def test_a_target_may_be_named_like_a_file() -> None:
    table = SHEET.rename({"ill": "ill.json"})
    for bins in ("mdl:ill.json", "age=mdl:ill.json"):
        dataset = noisyor.read(table, bins=bins)
        assert dataset.states[0] == ("<= 60", "> 60")


@pytest.mark.parametrize(
    ("bins", "error", "message"),
    [
        ("median", SettingsError, "bins are 'median'; allowed are"),
        ("aeg=3", SettingsError, "bins: there is no column 'aeg'"),
        ("ill=3", DataError, "column 'ill' has the value 'no'; bins need numbers"),
        (["3", "bins.json"], SettingsError, "a file holds all rules, so give nothing else"),
        ("gone.json", FormatError, "cannot read gone.json"),
        (["2", "4"], SettingsError, "give one for all columns"),
    ],
)
def test_wrong_bins(bins: str | list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        noisyor.read(SHEET, bins=bins)


def test_a_damaged_file_keeps_its_own_error(tmp_path: Path) -> None:
    numbers = "\n".join(f"{i},{i % 2}" for i in range(100))
    path = written(tmp_path, f"x,y\n{numbers}\n5\n")
    with pytest.raises(DataError, match=r"row 101 \(line 102\) has 1 cells|different numbers"):
        noisyor.read(path)


@pytest.mark.filterwarnings("ignore:.*columns never change")
@settings(max_examples=scaled(100))
@given(
    st.lists(st.tuples(st.integers(-50, 50), st.booleans()), min_size=2, max_size=80),
    st.integers(2, 5),
)
def test_bins_of_records_are_bins_of_the_column(records: list[tuple[int, bool]], bins: int) -> None:
    numbers = [number for number, _ in records]
    if len(set(numbers)) == 1:
        numbers[0] += 1
    table = pl.DataFrame({"x": numbers, "y": [own for _, own in records]})
    dataset, binning = read_with_bins(table, ReadOptions(bins=asked_bins(f"x=quantiles:{bins}")))
    states = binning.rules[0].states
    assert dataset.states[0] == states
    labels = binning.apply(table)["x"].to_list()
    expected = Counter(zip(labels, table["y"].to_list(), strict=True))
    found = Counter(
        {
            (states[x], bool(y)): weight
            for (x, y), weight in zip(dataset.codes.tolist(), dataset.weights.tolist(), strict=True)
        }
    )
    if len(set(table["y"])) == 2:  # else its only value may be either state
        assert found == expected
    assert dataset.record_count == len(records)
