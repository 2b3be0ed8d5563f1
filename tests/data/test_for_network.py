"""Columns find the variables of a network, and values their states."""

import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from noisyor.core import DataError, Dataset, MismatchError, Variable
from noisyor.data import DataWarning
from noisyor.data.for_network import match_columns, read_for
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import ReadOptions

PAIN = Variable("pain", ("none", "mild", "severe"), ordered=True)
FEVER = Variable("fever", ("no", "yes"))
VARIABLES = (FEVER, PAIN)


def records(data: Dataset) -> list[tuple[str, ...]]:
    """Return the records as labels, each as often as it occurs."""
    found = []
    for row, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
        labels = tuple(one.states[code] for one, code in zip(data.variables, row, strict=True))
        found += [labels] * weight
    return sorted(found)


def test_columns_are_found_by_name_in_any_order_and_values_by_label() -> None:
    frame = pl.DataFrame({"pain": ["mild", "none", "mild"], "fever": ["yes", "no", "yes"]})
    data = read_for(VARIABLES, {}, frame)
    assert data.variables == VARIABLES
    assert records(data) == [("no", "none"), ("yes", "mild"), ("yes", "mild")]


def test_a_file_is_read_in_the_states_of_the_network(tmp_path: Path) -> None:
    """States that never occur are kept, and a constant column is nothing to warn of."""
    path = tmp_path / "t.csv"
    path.write_text("pain,fever\nnone,YES\nmild,Yes\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = read_for(VARIABLES, {}, str(path))
    assert records(data) == [("yes", "mild"), ("yes", "none")]
    frame = pl.read_csv(path)
    frame.write_parquet(tmp_path / "t.parquet")
    assert read_for(VARIABLES, {}, tmp_path / "t.parquet") == data


def test_many_numbers_are_states_if_the_network_has_them() -> None:
    """Without the network's states, so many numbers would be put into bins."""
    dose = Variable("dose", tuple(str(number) for number in range(20)), ordered=True)
    frame = pl.DataFrame({"dose": list(range(1, 20))})
    assert records(read_for((dose,), {}, frame)) == sorted((str(one),) for one in range(1, 20))


def test_a_column_may_have_as_many_states_as_a_node() -> None:
    grade = Variable("grade", tuple(f"s{number}" for number in range(250)), ordered=True)
    labels = [f"s{number}" for number in range(250)]
    found = read_for((grade,), {}, pl.DataFrame({"grade": labels}))
    assert records(found) == sorted((label,) for label in labels)
    with pytest.raises(DataError, match=r"'grade' has 251 different values.* at most 250 states"):
        read_for((grade,), {}, pl.DataFrame({"grade": [*labels, "other"]}))


def test_titles_stand_for_names_where_no_column_has_the_name() -> None:
    titles = {"fever": "Body temperature", "pain": "Pain level"}
    columns = ["Pain level", "fever", "Body temperature"]
    match = match_columns(VARIABLES, titles, columns)
    assert match.columns == ("fever", "Pain level")
    assert match.ignored == ("Body temperature",)
    frame = pl.DataFrame({"Pain level": ["mild"], "Body temperature": ["no"]})
    assert records(read_for(VARIABLES, titles, frame)) == [("no", "mild")]


def test_the_title_of_two_variables_stands_for_neither() -> None:
    with pytest.raises(MismatchError, match="no column for fever, pain; every variable"):
        match_columns(VARIABLES, {"fever": "x", "pain": "x"}, ["x", "y"])


def test_a_name_is_not_taken_for_the_title_of_another() -> None:
    with pytest.raises(MismatchError, match="no column for fever"):
        match_columns(VARIABLES, {"fever": "pain"}, ["pain"])


def test_other_columns_are_ignored_with_one_warning() -> None:
    frame = pl.DataFrame({"id": [17], "fever": ["no"], "pain": ["mild"], "note": [None]})
    with pytest.warns(DataWarning, match="^columns that the network does not have are ignored: id"):
        data = read_for(VARIABLES, {}, frame)
    assert data.names == ("fever", "pain")


def test_a_value_that_is_no_state_is_refused() -> None:
    frame = pl.DataFrame({"fever": ["no", "maybe"], "pain": ["mild", "none"]})
    with pytest.raises(MismatchError, match=r"'maybe', which is no state .* it has: no, yes"):
        read_for(VARIABLES, {}, frame)
    known = Dataset((Variable("fever", ("no", "maybe")), PAIN), np.array([[1, 0]]), np.array([1]))
    with pytest.raises(MismatchError, match="'maybe', which is no state of 'fever'"):
        read_for(VARIABLES, {}, known)


def test_a_data_set_is_recoded_and_rows_that_become_equal_are_merged() -> None:
    other = Variable("pain", ("severe", "none"))
    data = Dataset(
        (other, Variable("id", ("a", "b")), Variable("fever", ("yes", "no"))),
        np.array([[0, 0, 0], [0, 1, 0], [1, 1, 1]]),
        np.array([2, 1, 4]),
    )
    with pytest.warns(DataWarning, match="ignored: id"):
        found = read_for(VARIABLES, {}, data)
    assert records(found) == [("no", "none")] * 4 + [("yes", "severe")] * 3
    assert found.weights.tolist() == [4, 3]


def test_a_variable_of_one_state_is_matched() -> None:
    alone = Variable("site", ("here",))
    frame = pl.DataFrame({"site": ["here", "here"]})
    assert records(read_for((alone,), {}, frame)) == [("here",), ("here",)]
    with pytest.raises(MismatchError, match="'there', which is no state of 'site'"):
        read_for((alone,), {}, pl.DataFrame({"site": ["there"]}))


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_missing_cells_are_refused_or_dropped() -> None:
    frame = pl.DataFrame({"fever": ["no", None], "pain": ["mild", "none"]})
    with pytest.raises(DataError, match="fever"):
        read_for(VARIABLES, {}, frame)
    kept = read_for(VARIABLES, {}, frame, ReadOptions(missing=MissingPolicy.DROP))
    assert records(kept) == [("no", "mild")]


AGE = Variable("age", ("<= 18", "18 to 65", "> 65", "missing"), ordered=True)


def test_numbers_are_put_into_the_bins_that_the_states_are(tmp_path: Path) -> None:
    numbers = pl.DataFrame(
        {"age": [4.0, 18, 18.5, 65, 66], "fever": ["no", "no", "yes", "no", "yes"]}
    )
    expected = [("<= 18", "no")] * 2 + [("18 to 65", "no"), ("18 to 65", "yes"), ("> 65", "yes")]
    numbers.write_csv(tmp_path / "t.csv")
    for source in (numbers, tmp_path / "t.csv", numbers.cast(pl.String)):
        assert records(read_for((AGE, FEVER), {}, source)) == sorted(expected)
    labels = pl.DataFrame({"age": ["<= 18", "> 65"], "fever": ["no", "yes"]})
    assert records(read_for((AGE, FEVER), {}, labels)) == [("<= 18", "no"), ("> 65", "yes")]
    mixed = pl.DataFrame({"age": ["<= 18", "70"], "fever": ["no", "yes"]})
    with pytest.raises(MismatchError, match="column 'age' has the value '70', which is no state"):
        read_for((AGE, FEVER), {}, mixed)


def test_gaps_among_numbers_are_judged_as_elsewhere() -> None:
    frame = pl.DataFrame({"age": [4, None, 70], "fever": ["no", "no", "yes"]})
    with pytest.raises(DataError, match="values are missing in 1 of 3 records, by column: 'age' 1"):
        read_for((AGE, FEVER), {}, frame)
    data = read_for((AGE, FEVER), {}, frame, ReadOptions(missing=MissingPolicy.STATE))
    assert records(data) == [("<= 18", "no"), ("> 65", "yes"), ("missing", "no")]


def test_many_numbers_need_no_file_of_bins() -> None:
    frame = pl.DataFrame({"age": [n / 7 for n in range(700)], "fever": ["no", "yes"] * 350})
    data = read_for((AGE, FEVER), {}, frame)
    assert data.state_counts(0).tolist() == [127, 329, 244, 0]
