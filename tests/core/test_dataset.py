"""A table of records checks itself once and is an immutable value."""

import dataclasses

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import DataError, Dataset, Variable
from noisyor.core.request import Request
from noisyor.core.variable import MAX_STATES, variables_of
from noisyor.core.variable_sets import from_words, to_words, word_count


def dataset_of(
    rows: list[int], weights: list[int] | None = None, names: tuple[str, ...] = ("a", "b", "c")
) -> Dataset:
    chosen = [1] * len(rows) if weights is None else weights
    return Dataset.from_bits(
        names, to_words(rows, word_count(len(names))), np.array(chosen, dtype=np.int64)
    )


def test_the_properties_of_a_table() -> None:
    dataset = dataset_of([0b001, 0b011, 0b101], [2, 3, 5])
    assert dataset.variable_count == 3
    assert dataset.record_count == 10
    assert dataset.column(1).tolist() == [0, 1, 0]
    assert dataset.present(1).tolist() == [False, True, False]
    assert [dataset.state_counts(v).tolist() for v in range(3)] == [[0, 10], [7, 3], [5, 5]]
    assert dataset.is_binary
    assert dataset.constant_columns() == ("a",)
    assert dataset.states == (("0", "1"),) * 3
    assert repr(dataset) == "Dataset(3 variables, 10 records, 3 distinct)"


def test_variables_are_found_by_name() -> None:
    assert dataset_of([0]).index("c") == 2
    with pytest.raises(DataError, match="there is no variable 'd'; the table has: a, b, c"):
        dataset_of([0]).index("d")


def test_columns_beyond_the_first_word() -> None:
    names = tuple(f"v{i}" for i in range(130))
    dataset = dataset_of([1, 1 << 64, (1 << 129) | 1], [1, 2, 4], names)
    assert dataset.present(0).tolist() == [True, False, True]
    assert dataset.present(64).tolist() == [False, True, False]
    assert [dataset.state_counts(v)[1] for v in (0, 64, 129)] == [5, 2, 4]


def test_arrays_cannot_be_changed() -> None:
    rows, weights = to_words([1, 2], 1), np.array([1, 1], dtype=np.int64)
    dataset = Dataset.from_bits(("a", "b"), rows, weights)
    rows[0, 0], weights[0] = 0, 50
    assert dataset.bits.tolist() == [[1], [2]]
    assert dataset.record_count == 2
    for array in (dataset.bits, dataset.codes, dataset.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_it_is_frozen_and_slotted() -> None:
    dataset = dataset_of([0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.variables = ()  # type: ignore[misc]
    assert not hasattr(dataset, "__dict__")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "the table has no columns"),
        (("a", " ", "c"), "column 2 has an empty name"),
        (("a", "b", "a"), "columns 1 and 3 are both named 'a'"),
        (tuple(f"v{i}" for i in range(1025)), "1025 columns; at most 1024 are supported"),
    ],
)
def test_bad_names_are_refused(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Dataset.from_bits(names, np.zeros((1, 1), np.uint64), np.ones(1, np.int64))


def test_records_of_a_large_network_have_no_bits() -> None:
    codes = np.zeros((2, 1300), dtype=np.uint8)
    codes[1, 1299] = 1
    names = [f"v{number}" for number in range(1300)]
    wide = Dataset(variables_of(names), codes, np.ones(2, np.int64))
    assert wide.state_counts(1299).tolist() == [1, 1]
    other = Dataset(variables_of(names), codes, np.array([1, 2]))
    assert wide.fingerprint() != other.fingerprint()
    with pytest.raises(ValueError, match="1300 variables; at most 1024"):
        wide.bits  # noqa: B018
    with pytest.raises(ValueError, match="rows must be distinct and ascend"):
        Dataset(variables_of(names), codes[::-1], np.ones(2, np.int64))
    many = variables_of([f"v{number}" for number in range(65_537)])
    with pytest.raises(DataError, match="65537 columns; at most 65536"):
        Dataset(many, np.zeros((1, 65_537), np.uint8), np.ones(1, np.int64))


def test_no_records_are_refused() -> None:
    with pytest.raises(DataError, match="the table has no records"):
        dataset_of([])


def test_equal_state_labels_are_refused() -> None:
    with pytest.raises(DataError, match="both states of 'b' are labelled 'x'"):
        Dataset.from_bits(
            ("a", "b"), to_words([0], 1), np.ones(1, np.int64), (("0", "1"), ("x", "x"))
        )


def test_as_many_state_labels_as_variables() -> None:
    with pytest.raises(ValueError, match="1 lists of states for 2 variables"):
        Dataset.from_bits(("a", "b"), to_words([0], 1), np.ones(1, np.int64), (("0", "1"),))


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
    with pytest.raises(ValueError, match=r"rows have shape \(1, 2\); 1 variables need 1"):
        Dataset.from_bits(("a",), np.zeros((1, 2), np.uint64), np.ones(1, np.int64))
    with pytest.raises(ValueError, match=r"1 variables need \(1, 1\)"):
        Dataset.from_bits(("a",), np.zeros((2, 1), np.uint64), np.ones(1, np.int64))
    with pytest.raises(ValueError, match=r"codes have shape \(1, 2\)"):
        Dataset(variables_of(("a",)), np.zeros((1, 2), np.uint8), np.ones(1, np.int64))


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
        Dataset.from_bits(
            ("a", "b", "c"), to_words([1, 2], 1), np.array([3, 4]), (("no", "yes"),) * 3
        ),
    ],
)
def test_other_content_is_another_value(other: Dataset) -> None:
    one = dataset_of([1, 2], [3, 4])
    assert one != other
    assert one.fingerprint() != other.fingerprint()


def test_a_table_differs_from_objects_of_other_types() -> None:
    assert dataset_of([1]) != "table"


def test_names_do_not_run_into_each_other_in_the_fingerprint() -> None:
    one = dataset_of([0], names=("ab", "c", "d"))
    other = dataset_of([0], names=("a", "bc", "d"))
    assert one.fingerprint() != other.fingerprint()


@given(st.lists(st.integers(0, 7), min_size=1, max_size=20))
def test_states_are_counted_over_the_records(records: list[int]) -> None:
    rows = sorted(set(records))
    dataset = dataset_of(rows, [records.count(row) for row in rows])
    expected = [sum(record >> v & 1 for record in records) for v in range(3)]
    assert [dataset.state_counts(v)[1] for v in range(3)] == expected


WEATHER = (Variable("sky", ("clear", "cloudy", "rain")), Variable("wet"), Variable("one", ("x",)))
CODES = [[0, 0, 0], [2, 0, 0], [1, 1, 0], [2, 1, 0]]


def weather(
    codes: list[list[int]] = CODES,
    weights: tuple[int, ...] = (4, 1, 2, 3),
    variables: tuple[Variable, ...] = WEATHER,
) -> Dataset:
    return Dataset(variables, np.array(codes, dtype=np.uint8), np.array(weights))


def test_variables_may_have_any_number_of_states() -> None:
    dataset = weather()
    assert dataset.column(0).tolist() == [0, 2, 1, 2]
    assert dataset.state_counts(0).tolist() == [4, 2, 4]
    assert dataset.state_counts(2).tolist() == [10]
    assert dataset.states == (("clear", "cloudy", "rain"), ("0", "1"), ("x",))
    assert dataset.constant_columns() == ("one",)
    assert dataset.record_count == 10
    assert not dataset.is_binary


def test_a_state_that_no_record_has_is_counted_as_zero() -> None:
    assert weather([[0, 0, 0]], (5,)).state_counts(0).tolist() == [5, 0, 0]


def test_codes_reach_the_last_of_the_most_states() -> None:
    wide = (Variable("wide", tuple(f"s{number}" for number in range(MAX_STATES))),)
    codes = [[number] for number in range(MAX_STATES)]
    dataset = weather(codes, (1,) * MAX_STATES, wide)
    assert dataset.state_counts(0).tolist() == [1] * MAX_STATES
    wider = (Variable("wide", tuple(f"s{number}" for number in range(MAX_STATES + 1))),)
    records = weather(codes, (1,) * MAX_STATES, wider)
    assert records.state_counts(0).tolist() == [1] * MAX_STATES + [0]
    with pytest.raises(DataError, match="'wide' has 65 states; in a table to learn from, at most"):
        Request.of(records)


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([[3, 0, 0]], "'sky' has the code 3, but only 3 states"),
        ([[0, 2, 0]], "'wet' has the code 2, but only 2 states"),
        ([[0, 0, 1]], "'one' has the code 1, but only 1 states"),
    ],
)
def test_codes_beyond_the_states_are_refused(codes: list[list[int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weather(codes, (1,))


@pytest.mark.parametrize(
    "codes", [[[1, 0, 0], [0, 0, 0]], [[0, 1, 0], [2, 0, 0]], [[1, 1, 0], [1, 1, 0]]]
)
def test_rows_of_codes_ascend_the_last_variable_leading(codes: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="distinct and ascend, the last variable leading"):
        weather(codes, (1, 1))


def test_bits_are_a_view_of_binary_records_alone() -> None:
    with pytest.raises(
        DataError, match=r"'sky' has 3 states \(clear, cloudy, rain\); only binary variables"
    ):
        _ = weather().bits


@given(st.sets(st.integers(0, 2**70 - 1), min_size=1, max_size=8), st.integers(64, 70))
def test_bits_and_codes_are_the_same_records(rows: set[int], variables: int) -> None:
    within = sorted({row % 2**variables for row in rows})
    names = tuple(f"v{number}" for number in range(variables))
    dataset = dataset_of(within, names=names)
    expected = [[row >> v & 1 for v in range(variables)] for row in within]
    assert dataset.codes.tolist() == expected
    assert from_words(dataset.bits) == within
    by_codes = Dataset(variables_of(names), np.array(expected, dtype=np.uint8), dataset.weights)
    assert by_codes == dataset
    assert from_words(by_codes.bits) == within


@pytest.mark.parametrize(
    "other",
    [
        weather(weights=(4, 1, 2, 4)),
        weather([[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]]),
        weather(variables=(Variable("sky", ("a", "b", "c")), *WEATHER[1:])),
        weather(variables=(Variable("sky", WEATHER[0].states, ordered=True), *WEATHER[1:])),
        weather(variables=(WEATHER[0], Variable("wet", ("0", "1", "2")), WEATHER[2])),
    ],
)
def test_the_fingerprint_knows_the_states_their_order_and_the_codes(other: Dataset) -> None:
    assert weather() == weather()
    assert weather().fingerprint() == weather().fingerprint()
    assert weather() != other
    assert weather().fingerprint() != other.fingerprint()


def test_states_do_not_run_into_each_other_in_the_fingerprint() -> None:
    first = (Variable("a", ("x", "y")), Variable("b", ("z", "w", "u")))
    second = (Variable("a", ("x", "y", "z")), Variable("b", ("w", "u")))
    codes = [[0, 0], [1, 1]]
    assert (
        weather(codes, (1, 1), first).fingerprint() != weather(codes, (1, 1), second).fingerprint()
    )


def test_the_fingerprint_of_binary_records_is_that_of_earlier_versions() -> None:
    digest = "7bf52a2f94961fed6bdb437652dd0af91d723f00056bad0037b61db4df839000"
    assert dataset_of([0b001, 0b011, 0b101], [2, 3, 5]).fingerprint() == digest


def test_an_even_sample_has_its_share_of_each_row_and_no_regard_for_the_order_of_records() -> None:
    rng = np.random.default_rng(5)
    records = (rng.random((4000, 6)) < 0.3).astype(np.uint8)
    data = dataset_of_records(records)
    sample = data.even_sample(1000)
    assert sample.record_count == 1000
    assert sample == dataset_of_records(records[::-1].copy()).even_sample(1000)
    whole = dict(zip(map(tuple, data.codes.tolist()), data.weights.tolist(), strict=True))
    for row, weight in zip(map(tuple, sample.codes.tolist()), sample.weights.tolist(), strict=True):
        assert abs(weight - whole[row] / 4) < 1 + 1e-9
    assert data.even_sample(4000) == data


def dataset_of_records(records: npt.NDArray[np.uint8]) -> Dataset:
    rows, weights = kernels.count_records(list(records.T.copy()), 1)
    return Dataset.from_bits(tuple("abcdef"), rows, weights)
