"""Which of two words means present."""

import pytest

from noisyor.core.state_words import VOCABULARIES, place_of_present, vocabulary_of


@pytest.mark.parametrize("pair", VOCABULARIES)
def test_accepted_pairs_in_both_orders(pair: tuple[str, str]) -> None:
    absent, present = pair
    assert place_of_present((absent, present)) == 1
    assert place_of_present((present.upper(), f" {absent} ")) == 0
    assert vocabulary_of(absent) == vocabulary_of(present) == pair


@pytest.mark.parametrize("labels", [("low", "high"), ("yes", "false"), ("yes", "YES"), ("", "1")])
def test_other_words_decide_nothing(labels: tuple[str, str]) -> None:
    assert place_of_present(labels) is None
