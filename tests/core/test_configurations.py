"""Configurations are numbered in mixed radix, the first parent fastest."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import TableSizeError
from noisyor.core.configurations import (
    MAX_CONFIGURATIONS,
    check_configurations,
    configuration_codes,
    configuration_count,
    configuration_index,
)

sizes = st.lists(st.integers(1, 5), max_size=5)


@given(sizes)
def test_numbers_count_the_configurations_with_the_first_parent_fastest(states: list[int]) -> None:
    # product() has its last factor fastest.
    every = [codes[::-1] for codes in itertools.product(*map(range, reversed(states)))]
    assert len(every) == configuration_count(states)
    assert [configuration_codes(number, states) for number in range(len(every))] == every
    columns = [
        np.array([codes[place] for codes in every], dtype=np.uint8) for place in range(len(states))
    ]
    index = configuration_index(columns, states, len(every))
    assert index.tolist() == list(range(len(every)))


def test_bit_t_is_the_t_th_binary_parent() -> None:
    columns = [np.array([0, 1, 0, 1], bool), np.array([0, 0, 1, 1], bool)]
    assert configuration_index(columns, (2, 2), 4).tolist() == [0, 1, 2, 3]


def test_without_parents_every_record_has_the_one_configuration() -> None:
    assert configuration_count(()) == 1
    assert configuration_index([], (), 3).tolist() == [0, 0, 0]
    assert configuration_codes(0, ()) == ()


def test_codes_of_a_byte_do_not_overflow() -> None:
    columns = [np.array([63], np.uint8)] * 3
    assert configuration_index(columns, (64, 64, 64), 1).tolist() == [64**3 - 1]


def test_as_many_columns_as_parents() -> None:
    with pytest.raises(ValueError, match="argument 2"):
        configuration_index([np.zeros(2, np.uint8)], (2, 2), 2)


def test_the_limit_of_rows_is_inclusive() -> None:
    check_configurations((2,) * 20, "a noisy-OR")
    check_configurations((64, 64, 64, 4), "a table")
    assert MAX_CONFIGURATIONS == 2**20
    with pytest.raises(
        TableSizeError,
        match=r"a noisy-OR with 21 parents has a table of 2097152 rows; at most 1048576 can be",
    ):
        check_configurations((2,) * 21, "a noisy-OR")
