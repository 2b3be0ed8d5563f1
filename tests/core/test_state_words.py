"""Which of two words means present."""

import pytest

from noisyor.core.state_words import PAIRS, means_present, pair_of, place_of_present


@pytest.mark.parametrize("pair", PAIRS)
def test_accepted_pairs_in_both_orders(pair: tuple[str, str]) -> None:
    absent, present = pair
    assert place_of_present((absent, present)) == 1
    assert place_of_present((present.upper(), f" {absent} ")) == 0
    assert pair_of(pair) == pair
    assert means_present(present)
    assert not means_present(absent)  # in no other pair either


def test_a_word_alone_belongs_to_the_first_pair_that_has_it() -> None:
    assert pair_of(["no"]) == ("no", "yes")
    assert pair_of(["ja"]) == ("nein", "ja")
    assert pair_of([]) is None


@pytest.mark.parametrize(
    "labels", [("low", "high"), ("yes", "false"), ("yes", "YES"), ("si", "sì"), ("", "1")]
)
def test_other_words_decide_nothing(labels: tuple[str, str]) -> None:
    assert place_of_present(labels) is None
