"""A table of binary records checks itself once and is a value from then on."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import BinaryDataset, DataError
from noisyor.core.variable_sets import to_words, word_count


def dataset_of(
    rows: list[int], weights: list[int] | None = None, names: tuple[str, ...] = ("a", "b", "c")
) -> BinaryDataset:
    chosen = [1] * len(rows) if weights is None else weights
    return BinaryDataset(
        names, to_words(rows, word_count(len(names))), np.array(chosen, dtype=np.int64)
    )


def test_what_a_table_says_about_itself() -> None:
    dataset = dataset_of([0b001, 0b011, 0b101], [2, 3, 5])
    assert dataset.variable_count == 3
    assert dataset.record_count == 10
    assert dataset.penalty_weight == pytest.approx(math.log(10) / 2)
    assert dataset.column(1).tolist() == [False, True, False]
    assert dataset.ones().tolist() == [10, 3, 5]
    assert dataset.constant_columns() == ("a",)
    assert dataset.states == (("0", "1"),) * 3
    assert repr(dataset) == "BinaryDataset(3 variables, 10 records, 3 distinct)"


def test_variables_are_found_by_name() -> None:
    assert dataset_of([0]).index("c") == 2
    with pytest.raises(DataError, match="there is no variable 'd'; the table has: a, b, c"):
        dataset_of([0]).index("d")


def test_columns_beyond_the_first_word() -> None:
    names = tuple(f"v{i}" for i in range(130))
    dataset = dataset_of([1, 1 << 64, (1 << 129) | 1], [1, 2, 4], names)
    assert dataset.column(0).tolist() == [True, False, True]
    assert dataset.column(64).tolist() == [False, True, False]
    assert dataset.ones()[[0, 64, 129]].tolist() == [5, 2, 4]


def test_arrays_cannot_be_changed() -> None:
    rows, weights = to_words([1, 2], 1), np.array([1, 1], dtype=np.int64)
    dataset = BinaryDataset(("a", "b"), rows, weights)
    rows[0, 0], weights[0] = 0, 50
    assert dataset.rows.tolist() == [[1], [2]]
    assert dataset.record_count == 2
    for array in (dataset.rows, dataset.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_it_is_frozen_and_slotted() -> None:
    dataset = dataset_of([0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.names = ("x",)  # type: ignore[misc]
    assert not hasattr(dataset, "__dict__")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "the table has no columns"),
        (("a", " ", "c"), "column 2 has an empty name"),
        (("a", "b", "a"), "columns 1 and 3 are both named 'a'"),
        (tuple(f"v{i}" for i in range(257)), "257 columns; at most 256 are supported"),
    ],
)
def test_bad_names_are_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        BinaryDataset(names, np.zeros((1, 1), np.uint64), np.ones(1, np.int64))


def test_no_records_are_refused() -> None:
    with pytest.raises(DataError, match="the table has no records"):
        dataset_of([])


def test_equal_state_labels_are_refused() -> None:
    with pytest.raises(DataError, match="both states of 'b' are labelled 'x'"):
        BinaryDataset(("a", "b"), to_words([0], 1), np.ones(1, np.int64), (("0", "1"), ("x", "x")))


def test_as_many_state_labels_as_variables() -> None:
    with pytest.raises(ValueError, match="1 pairs of state labels for 2 variables"):
        BinaryDataset(("a", "b"), to_words([0], 1), np.ones(1, np.int64), (("0", "1"),))


@pytest.mark.parametrize("weights", [[0], [-1], [2**53 + 1], [2**62 + 2**61]])
def test_weights_that_count_nothing_are_refused(weights: list[int]) -> None:
    with pytest.raises(DataError, match=r"each at least 1, together at most 2\*\*53"):
        dataset_of([0], weights)


def test_weights_whose_sum_overflows_are_refused() -> None:
    with pytest.raises(DataError, match=r"together at most 2\*\*53"):
        dataset_of([0, 1, 2, 3], [2**62, 2**62, 2**62, 2**62])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([2, 1], "distinct and ascend"),
        ([1, 1], "distinct and ascend"),
        ([8], "a bit beyond the 3 variables"),
    ],
)
def test_rows_are_distinct_ascending_and_within_the_variables(
    rows: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        dataset_of(rows)


def test_order_is_numeric_over_several_words() -> None:
    names = tuple(f"v{i}" for i in range(65))
    assert dataset_of([5, (1 << 64) | 1], names=names).record_count == 2
    with pytest.raises(ValueError, match="ascend"):
        dataset_of([(1 << 64) | 1, 5], names=names)


def test_shapes_must_match() -> None:
    with pytest.raises(ValueError, match="rows have shape"):
        BinaryDataset(("a",), np.zeros((2, 1), np.uint64), np.ones(1, np.int64))


def test_equal_content_is_equal_value() -> None:
    one, same = dataset_of([1, 2], [3, 4]), dataset_of([1, 2], [3, 4])
    assert one == same
    assert hash(one) == hash(same)
    assert one.fingerprint() == same.fingerprint()


@pytest.mark.parametrize(
    "other",
    [
        dataset_of([1, 2], [3, 5]),
        dataset_of([1, 3], [3, 4]),
        dataset_of([1, 2], [3, 4], ("a", "b", "x")),
        BinaryDataset(("a", "b", "c"), to_words([1, 2], 1), np.array([3, 4]), (("no", "yes"),) * 3),
    ],
)
def test_other_content_is_another_value(other: BinaryDataset) -> None:
    one = dataset_of([1, 2], [3, 4])
    assert one != other
    assert one.fingerprint() != other.fingerprint()


def test_a_table_is_no_other_thing() -> None:
    assert dataset_of([1]) != "table"


def test_names_do_not_run_into_each_other_in_the_fingerprint() -> None:
    one = dataset_of([0], names=("ab", "c", "d"))
    other = dataset_of([0], names=("a", "bc", "d"))
    assert one.fingerprint() != other.fingerprint()


@given(st.lists(st.integers(0, 7), min_size=1, max_size=20))
def test_ones_count_the_records(records: list[int]) -> None:
    rows = sorted(set(records))
    dataset = dataset_of(rows, [records.count(row) for row in rows])
    expected = [sum(record >> v & 1 for record in records) for v in range(3)]
    assert dataset.ones().tolist() == expected
