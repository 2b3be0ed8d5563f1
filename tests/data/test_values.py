import pytest

from noisyor.core.state_words import PAIRS
from noisyor.data.values import key_of, label_of, partner_label, plain_number


@pytest.mark.parametrize(("absent", "present"), PAIRS)
def test_case_and_blanks_do_not_matter_for_accepted_words(absent: str, present: str) -> None:
    for word in (absent, present):
        assert {key_of(w) for w in (word, word.upper(), f" {word.title()}\t")} == {word}


@pytest.mark.parametrize("text", ["", "  ", "NA", "n/a", "N/A", "NaN", "NULL", "null", "?", " ? "])
def test_words_for_missing(text: str) -> None:
    assert key_of(text) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", "1"),
        ("01", "1"),
        ("+1", "1"),
        ("1.0", "1"),
        ("1.", "1"),
        ("-0.0", "0"),
        ("0.50", "0.5"),
        (".5", "0.5"),
        ("-07", "-7"),
        (".", None),
        ("", None),
        ("1e3", None),
        ("1_0", None),
        ("x1", None),
        ("\N{ARABIC-INDIC DIGIT ONE}", None),
    ],
)
def test_numbers_in_their_plain_form(text: str, number: str | None) -> None:
    assert plain_number(text) == number


def test_other_words_keep_their_case() -> None:
    assert key_of(" Current ") == "Current" != key_of("current")


@pytest.mark.parametrize(
    ("label", "partner"),
    [
        ("yes", "no"),
        ("No", "Yes"),
        ("TRUE", "FALSE"),
        ("t", "f"),
        ("Y", "N"),
        ("0", "1"),
        ("current", None),
    ],
)
def test_the_other_word_of_a_pair(label: str, partner: str | None) -> None:
    assert partner_label(label) == partner


def test_a_label_is_what_the_table_writes_unless_that_differs() -> None:
    assert label_of("yes", {"Yes"}) == "Yes"
    assert label_of("yes", {"Yes", "YES"}) == "yes"
    assert label_of("1", {"1.0"}) == "1"
    assert label_of("true", {"True"}) == "true"  # as in a frame
