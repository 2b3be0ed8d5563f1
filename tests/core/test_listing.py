"""Long lists of names."""

import pytest

from noisyor.core.listing import expected_names, listed


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, ""),
        (1, "a"),
        (3, "a, b, c"),
        (11, "a, b, c, d, e, f, g, h, i, j, k"),
        (12, "a, b, c, d, e, f, g, h, i, j and 2 more"),
        (26, "a, b, c, d, e, f, g, h, i, j and 16 more"),
    ],
)
def test_the_first_ten_are_named_and_the_rest_counted(count: int, expected: str) -> None:
    assert listed("abcdefghijklmnopqrstuvwxyz"[:count]) == expected


def test_of_many_names_those_most_like_a_wrong_one_are_shown() -> None:
    names = [f"V{place}" for place in range(40)] + ["Fever", "Cough"]
    assert expected_names("fever", names, "the network") == (
        "most like it, of the 42 in the network: Fever"
    )
    assert expected_names("xyz", names, "the table").startswith("the table has: V0, V1, V2")
    assert expected_names("xyz", names, "the table").endswith("V9 and 32 more")
    assert expected_names("fever", names[-2:], "the network") == "the network has: Fever, Cough"


def test_an_empty_name_is_seen() -> None:
    assert listed(["", "one"]) == "'', one"
    assert listed(["", *"abcdefghijk"]) == "'', a, b, c, d, e, f, g, h, i and 2 more"
