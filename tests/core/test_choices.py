"""Options that are one of a few names."""

from enum import Enum, StrEnum

import pytest

from noisyor.core import SettingsError
from noisyor.core.choices import choice_of


class Colour(StrEnum):
    """An enum of strings."""

    RED = "red"
    BLUE = "blue"


class Size(Enum):
    """An enum without strings."""

    SMALL = "small"


def test_a_choice_is_found_by_its_name_and_by_itself() -> None:
    assert choice_of(Colour, "blue", "colour") is Colour.BLUE
    assert choice_of(Colour, Colour.RED, "colour") is Colour.RED
    assert choice_of(Size, "small", "size") is Size.SMALL


@pytest.mark.parametrize("wrong", ["green", "RED", "", 1, None])
def test_any_other_name_is_refused_and_the_allowed_ones_are_listed(wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"^colour is .*; it must be one of: red, blue$"):
        choice_of(Colour, wrong, "colour")
