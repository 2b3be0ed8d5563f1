"""Rows off from 1: refused, or forgiven with one warning."""

import numpy as np
import pytest

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning
from noisyor.formats.row_sums import RowSums

OFF = np.array([[0.5, 0.5], [0.5, 0.498]])


def place_of(row: int) -> str:
    return f"line {row + 7}"


def test_rounding_to_a_few_digits_is_accepted_and_normalised() -> None:
    table = RowSums(forgiving=False).checked(np.array([0.33333, 0.66666]), "a", place_of)
    assert table.sum() == pytest.approx(1, abs=1e-15)


def test_the_error_names_the_row_and_the_way_out() -> None:
    with pytest.raises(FormatError, match=r"^line 8: .* 'a' sum to 0.998; .*forgiving=True, "):
        RowSums(forgiving=False).checked(OFF, "a", place_of)


def test_no_way_out_is_named_where_there_is_none() -> None:
    for forgiving in (False, True):
        with pytest.raises(
            FormatError, match=r"^line 7: .* sum to 0.9; .* within 0.0001, as ever$"
        ):
            RowSums(forgiving=forgiving).checked(np.array([0.5, 0.4]), "a", place_of, ", as ever")


def test_one_warning_tells_the_worst_row_of_all(recwarn: pytest.WarningsRecorder) -> None:
    rows = RowSums(forgiving=True)
    first = rows.checked(OFF, "a", place_of)
    rows.checked(np.array([0.25, 0.741]), "worse", place_of)
    rows.checked(np.array([0.25, 0.75]), "exact", place_of)
    assert first.tolist() == [[0.5, 0.5], [0.5 / 0.998, 0.498 / 0.998]]
    assert not recwarn.list
    with pytest.warns(ConversionWarning) as caught:
        rows.warn()
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "line 7: the probabilities of 'worse' sum to 0.991" in str(caught[0].message)
    assert "rows of 1 other" in str(caught[0].message)


def test_the_limit_is_inclusive_in_decimals() -> None:
    rows = RowSums(forgiving=True)
    for row in ([0.5, 0.49], [0.5, 0.51]):
        assert rows.checked(np.array(row), "a", place_of).sum() == pytest.approx(1, abs=1e-15)
    with pytest.raises(FormatError, match=r"sum to 1\.0101"):
        rows.checked(np.array([0.5, 0.5101]), "a", place_of)


def test_without_such_rows_there_is_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    rows = RowSums(forgiving=True)
    rows.checked(np.array([0.25, 0.75]), "exact", place_of)
    rows.warn()
    assert not recwarn.list


@pytest.mark.parametrize("value", [-0.001, 1.02, float("nan"), float("inf")])
def test_what_is_no_probability_is_refused_with_its_row(value: float) -> None:
    table = np.array([[0.5, 0.5], [value, 1 - value]])
    for forgiving in (False, True):
        with pytest.raises(FormatError, match="line 8: the table of 'a' has the entry"):
            RowSums(forgiving=forgiving).checked(table, "a", place_of)


def test_rows_of_zeros_are_filled_in_on_request() -> None:
    empty = np.array([[[0.25, 0.5, 0.25], [0.0, 0.0, 0.0]]])
    for any_sum in (False, True):
        with pytest.raises(
            FormatError, match="line 8: a row of 'a' has only zeros; with forgiving"
        ):
            RowSums(forgiving=False, any_sum=any_sum).checked(empty, "a", place_of)
        rows = RowSums(forgiving=True, any_sum=any_sum)
        filled = rows.checked(empty, "a", place_of)
        rows.checked(np.zeros(2), "b", place_of)
        assert filled.tolist() == [[[0.25, 0.5, 0.25], [1 / 3, 1 / 3, 1 / 3]]]
        with pytest.warns(ConversionWarning) as caught:
            rows.warn()
        assert [str(one.message) for one in caught] == [
            (
                "line 8: a row of 'a' has only zeros, and so have rows of 1 other variable. Their "
                "states are taken to be equally likely"
            )
        ]
