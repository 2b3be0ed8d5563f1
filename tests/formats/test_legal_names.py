"""Replaced names are legal and different, and escaped ones come back."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import FormatError
from noisyor.formats.legal_names import (
    different_names,
    escaped,
    identifier_of,
    is_identifier,
    unescaped,
    word_of,
)
from tests.formats.networks import texts


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("flu", "flu"),
        ("body temperature > 38.5", "body_temperature_38_5"),
        ("Fièvre", "Fievre"),
        ("ﬁt", "fit"),
        ("Größe", "Grosse"),
        ("Sjælland, Łódź, Øst", "Sjaelland_Lodz_Ost"),
        ("_x_", "x"),
        ("🫁", "x"),
        ("", "x"),
    ],
)
def test_a_word_resembles_its_text(text: str, word: str) -> None:
    assert word_of(text) == word


@pytest.mark.parametrize(
    ("text", "identifier"),
    [("_x1", "_x1"), ("1a", "x_1a"), ("node", "x_node"), ("a b", "a_b"), ("é", "e")],
)
def test_an_identifier_starts_with_no_digit_and_is_not_reserved(text: str, identifier: str) -> None:
    assert identifier_of(text, {"node"}) == identifier


@pytest.mark.parametrize(
    ("originals", "names"),
    [
        (["a b", "a_b", "a-b"], ("a_b_2", "a_b", "a_b_3")),
        (["A", "a"], ("A", "a_2")),
        (["?", "!", "x", "x_2"], ("x_3", "x_4", "x", "x_2")),
    ],
)
def test_names_that_would_collide_are_numbered_and_legal_ones_stay(
    originals: list[str], names: tuple[str, ...]
) -> None:
    assert different_names(originals, identifier_of) == names


@given(st.lists(texts, max_size=12, unique=True))
def test_all_names_are_identifiers_and_differ_even_in_lower_case(originals: list[str]) -> None:
    names = different_names(originals, identifier_of)
    assert len({name.lower() for name in names}) == len(originals)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) for name in names)
    assert all(map(is_identifier, names))


def test_escapes_are_the_bytes_of_utf_8() -> None:
    assert escaped("a b~é.") == "a~20b~7E~C3~A9."


@given(texts | st.text(st.characters()))
def test_escaped_texts_come_back_and_hold_nothing_special(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert re.fullmatch(r"[A-Za-z0-9_.~-]*", escaped(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a~2", "has '~2'; an escaped byte is ~ and two digits"),
        ("a~", "has '~'"),
        ("~zz", "has '~zz'"),
        ("~+1", r"has '~\+1'"),
        ("~FF", "is not an escaped text in UTF-8"),
    ],
)
def test_other_escapes_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        unescaped(text)
