"""Sets of variables round-trip through words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core.variable_sets import from_words, set_of, to_words, variables_in, word_count

SIZES = ((1, 64), (2, 128), (4, 256), (16, 1024))


@pytest.mark.parametrize(
    ("variables", "words"),
    [(1, 1), (64, 1), (65, 2), (128, 2), (129, 4), (256, 4), (257, 16), (1024, 16)],
)
def test_words_by_number_of_variables(variables: int, words: int) -> None:
    assert word_count(variables) == words


def test_more_variables_than_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="1025 variables; at most 1024"):
        word_count(1025)


@given(st.sets(st.integers(0, 1023)))
def test_a_set_contains_the_variables_it_was_made_of(variables: set[int]) -> None:
    assert list(variables_in(set_of(variables))) == sorted(variables)


@given(st.sets(st.integers(0, 1023), max_size=3), st.integers(1, 1023))
def test_so_does_a_set_that_has_nearly_all(lacking: set[int], size: int) -> None:
    variables = set(range(size)) - lacking
    assert list(variables_in(set_of(variables))) == sorted(variables)


@given(st.data(), st.sampled_from(SIZES))
def test_words_round_trip(data: st.DataObject, size: tuple[int, int]) -> None:
    words, bits = size
    sets = data.draw(st.lists(st.integers(0, 2**bits - 1), max_size=8))
    rows = to_words(sets, words)
    assert rows.shape == (len(sets), words)
    assert rows.dtype == np.uint64
    assert from_words(rows) == sets


@given(st.integers(0, 1023))
def test_each_variable_has_its_own_bit(variable: int) -> None:
    rows = to_words([1 << variable], 16)
    expected = [0] * 16
    expected[variable // 64] = 2 ** (variable % 64)
    assert rows[0].tolist() == expected


def test_a_set_that_does_not_fit_is_refused() -> None:
    with pytest.raises(OverflowError):
        to_words([1 << 64], 1)
