"""Displayed text has no effect on the terminal."""

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core.visible import visible, visible_json, visible_lines

DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = {"\u061c", "\u200e", "\u200f"}


def controls(letter: str) -> bool:
    """Return whether a character may control a terminal, by the tables of Unicode."""
    return (
        unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(letter) in DIRECTIONS
        or letter in MARKS
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31m \x7f", r"\x9b31m \x7f"),
        ("a\u202eb\u2066c\u200f", r"a\u202eb\u2066c\u200f"),
        ("two\nlines\tand\r", r"two\nlines\tand\r"),
        ("half \udcff", r"half \udcff"),
        ("naïve 变量 [red] \\ 🙂 می‌خواهم", "naïve 变量 [red] \\ 🙂 می‌خواهم"),
    ],
)
def test_control_characters_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_exactly_the_control_characters_are_escaped() -> None:
    kept = "".join(chr(code) for code in range(0x110000) if not controls(chr(code)))
    others = "".join(chr(code) for code in range(0x110000) if controls(chr(code)))
    assert not any(controls(letter) for letter in visible(others))
    deprecated = {chr(code) for code in range(0x206A, 0x2070)}
    assert "".join(one for one in kept if visible(one) != one) == "".join(sorted(deprecated))


def test_lines_stay_lines() -> None:
    assert visible_lines("a,b\n\x1b,\t\n") == "a,b\n\\x1b,\\t\n"


@given(st.dictionaries(st.text(), st.text()))
def test_json_means_the_same_and_controls_nothing(said: dict[str, str]) -> None:
    text = visible_json(json.dumps(said, indent=2, ensure_ascii=False))
    assert json.loads(text) == said
    assert not any(controls(letter) for letter in text if letter != "\n")


def test_json_may_have_halves_of_characters() -> None:
    text = visible_json(json.dumps("a\udcff", ensure_ascii=False))
    assert text.encode()
    assert json.loads(text) == "a\udcff"
