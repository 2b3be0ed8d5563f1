"""Numbers as the page writes them."""

import pytest

from noisyor.reporting.words import count_words, counted, error_words, share_words, value_words


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0, "0%"),
        (1e-9, "< 1%"),
        (0.01, "1%"),
        (0.254, "25%"),
        (0.9999, "> 99%"),
        (1.0, "100%"),
    ],
)
def test_only_all_is_called_all_and_only_nothing_nothing(share: float, words: str) -> None:
    assert share_words(share) == words


def test_counts_however_large() -> None:
    assert count_words(1234567) == "1,234,567"
    assert count_words(123 * 10**40) == "1.23 \N{MULTIPLICATION SIGN} 10^42"
    assert counted(1, "arc") == "1 arc"
    assert counted(2, "family", "families") == "2 families"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "not known"),
        (True, "yes"),
        (-3, "-3"),
        (20.0, "20"),
        (0.123456, "0.1235"),
        (26157.42, "26,157.4"),
        (1.5e300, "1.5e+300"),
        (["cpt", "noisy-or"], "cpt, noisy-or"),
        ([], "none"),
        (["a"] * 1020, "a, " * 20 + "and 1,000 more"),
        ("<b>", "<b>"),
    ],
)
def test_values_of_json_in_words(value: object, words: str) -> None:
    assert value_words(value) == words


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (None, ""),
        (0.0, " ± < 0.1%"),
        (0.0004, " ± < 0.1%"),
        (0.0006, " ± 0.1%"),
        (0.123, " ± 12.3%"),
    ],
)
def test_standard_errors_in_words(error: float | None, words: str) -> None:
    assert error_words(error) == words
