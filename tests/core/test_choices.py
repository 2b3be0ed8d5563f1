"""Options that are one of a few names."""

from enum import Enum, StrEnum

import pytest

from noisyor.core import SettingsError
from noisyor.core.choices import choice_of


class Colour(StrEnum):
    """A choice that is a text."""

    RED = "red"
    BLUE = "blue"


class Size(Enum):
    """A choice that is none."""

    SMALL = "small"


def test_a_choice_is_found_by_its_name_and_by_itself() -> None:
    assert choice_of(Colour, "blue", "colour") is Colour.BLUE
    assert choice_of(Colour, Colour.RED, "colour") is Colour.RED
    assert choice_of(Size, "small", "size") is Size.SMALL


@pytest.mark.parametrize("wrong", ["green", "RED", "", 1, None])
def test_any_other_name_is_refused_with_those_that_there_are(wrong: str) -> None:
    with pytest.raises(SettingsError, match=r"^colour is .*; it must be one of: red, blue$"):
        choice_of(Colour, wrong, "colour")
