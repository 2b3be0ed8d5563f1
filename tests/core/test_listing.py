"""Long lists of names."""

import pytest

from noisyor.core.listing import listed


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
