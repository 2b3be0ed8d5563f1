"""Tables that lack values: left out, as a state, or kept as gaps."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from noisyor import (
    DataError,
    Dataset,
    DataWarning,
    MismatchError,
    SettingsError,
    learn,
    read,
    read_incomplete,
)
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.variable import Variable
from noisyor.data.for_network import read_for
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import ReadOptions

SHEET = pl.DataFrame(
    {
        "flu": ["no", "yes", None, "no", "yes"],
        "dose": [1, None, 3, 2, None],
        "cough": [1, 1, 1, 0, 1],
    }
)


def test_dropping_says_how_many_records() -> None:
    with pytest.warns(DataWarning, match="2 of 5 records lack a value and are left out"):
        data = read(SHEET, missing="drop", drop=["flu"])
    assert (data.record_count, data.left_out) == (3, 2)


def test_dropping_one_record_is_said_of_one() -> None:
    with pytest.warns(DataWarning, match="1 of 5 records lacks a value and is left out"):
        read(SHEET, missing="drop", drop=["dose"])


def test_records_for_a_network_are_not_told_to_learn_with_the_gaps() -> None:
    variables = read(SHEET.drop("dose"), missing="state").variables
    with pytest.raises(DataError, match=r'missing="state" .* if the network has it') as caught:
        read_for(variables, {}, SHEET, ReadOptions())
    assert 'missing="em"' not in str(caught.value)


def test_each_way_to_read_names_the_choices_that_it_has() -> None:
    for frame in (SHEET, pl.DataFrame({"x": [None, *range(20)]})):  # few values, and bins
        with pytest.raises(DataError, match=r'missing="state" makes absence a state$'):
            read(frame)
        with pytest.raises(DataError, match=r'and missing="em" learns with the gaps$'):
            learn(frame, quiet=True)
    lacking = pl.DataFrame({"a": [0, None], "b": [None, 1]})
    with pytest.raises(DataError, match=r'or use missing="state"$'):
        read(lacking, missing="drop")
    with pytest.raises(DataError, match=r'or use missing="state" or missing="em"$'):
        learn(lacking, missing="drop", quiet=True)


def test_absence_is_a_last_state_without_order() -> None:
    data = read(SHEET, missing="state")
    assert isinstance(data, Dataset)
    assert data.states == (("no", "yes", "missing"), ("1", "2", "3", "missing"), ("0", "1"))
    assert [one.has_order for one in data.variables] == [False, False, True]
    assert data.state_counts(0).tolist() == [2, 2, 1]
    assert data.state_counts(1).tolist() == [1, 1, 1, 2]


def test_a_state_of_that_name_is_not_taken_twice() -> None:
    sheet = pl.DataFrame({"a": ["missing", None, "there"], "b": [0, 1, 1]})
    assert read(sheet, missing="state").states[0] == ("missing", "there", "(missing)")


def test_a_network_learned_with_the_state_reads_new_gaps_as_it() -> None:
    data = read(SHEET, missing="state")
    again = read_for(data.variables, {}, SHEET, ReadOptions(missing=MissingPolicy.STATE))
    assert again == data
    binary = read_incomplete(SHEET).variables
    with pytest.raises(MismatchError, match="has the value 'missing', which is no state"):
        read_for(binary, {}, SHEET, ReadOptions(missing=MissingPolicy.STATE))


def test_gaps_are_kept() -> None:
    data = read_incomplete(SHEET)
    assert data.gaps_by_column() == (1, 2, 0)
    assert (data.incomplete_count, data.missing_cells, data.record_count) == (3, 3, 5)
    known = data.codes[data.codes[:, 2] == 0]
    assert known.tolist() == [[0, 1, 0]]


def test_the_same_table_from_text_and_from_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    SHEET.write_csv(path, null_value="?")
    assert read_incomplete(path) == read_incomplete(SHEET)
    assert read(path, missing="state") == read(SHEET, missing="state")


def test_a_table_without_complete_records_has_gaps_and_states() -> None:
    sheet = pl.DataFrame({"a": [0, 1, None, None], "b": [None, None, 0, 1]})
    data = read_incomplete(sheet)
    assert data.never_together() == [("a", "b")]
    assert read(sheet, missing="state").record_count == 4
    with pytest.raises(DataError, match="no record has both 'a' and 'b'"):
        data.complete_records()


def test_a_column_without_values_is_named() -> None:
    sheet = pl.DataFrame({"a": [0, 1], "b": pl.Series([None, None], dtype=pl.Int64)})
    for policy in ("drop", "state"):
        with pytest.raises(DataError, match="every cell of column 'b' is missing"):
            read(sheet, missing=policy)
    with pytest.raises(DataError, match="every cell of column 'b' is missing"):
        read_incomplete(sheet)


def test_complete_records_cannot_be_read_with_gaps() -> None:
    with pytest.raises(SettingsError, match='missing="em" is for learning and imputing'):
        read(SHEET, missing="em")


def test_bins_are_chosen_by_the_values_that_are_there() -> None:
    numbers = [one + 0.5 for one in range(40)]
    sheet = pl.DataFrame({"x": [*numbers, *[None] * 40], "y": [None, *[0, 1] * 39, 1]})
    data = read_incomplete(sheet, bins=2)
    assert data.variables[0].states == ("<= 20", "> 20")
    counts = [int(data.weights[data.codes[:, 0] == code].sum()) for code in (0, 1, GAP)]
    assert counts == [20, 20, 40]


def test_rows_are_put_together() -> None:
    variables = (Variable("a"), Variable("b"))
    codes = np.array([[1, GAP], [0, 1], [1, GAP]], dtype=np.uint8)
    data = IncompleteDataset(variables, codes, np.array([2, 1, 3]))
    assert data.weights.tolist() == [1, 5]
    assert data.complete_records().left_out == 5
    with pytest.raises(ValueError, match="beyond its states"):
        IncompleteDataset(variables, codes + np.uint8(1), np.array([2, 1, 3]))
