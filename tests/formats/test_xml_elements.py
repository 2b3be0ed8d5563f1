"""Untrusted XML: elements with their lines; no entities, too many elements or deep nesting."""

import pytest

from noisyor.core import FormatError
from noisyor.formats import xml_elements
from noisyor.formats.xml_elements import parse_elements


def test_elements_know_their_text_and_their_line() -> None:
    root = parse_elements('<a x="1">\n  <b>one<!-- no --> &lt;</b>\n  <c/>\n  <b>two</b>\n</a>')
    assert (root.tag, root.attributes, root.line) == ("a", {"x": "1"}, 1)
    assert [(child.tag, child.line) for child in root.children] == [("b", 2), ("c", 3), ("b", 4)]
    assert [child.text for child in root.all("b")] == ["one <", "two"]
    found = root.only("c")
    assert found is not None
    assert found.text == ""
    assert root.only("d") is None
    with pytest.raises(FormatError, match="line 4: a second <b> in the same <a>"):
        root.only("b")


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["UTF-8", "ISO-8859-1", "windows-1250"])
def test_the_declared_encoding_of_decoded_text_is_no_matter(start: str, encoding: str) -> None:
    text = f'{start}<?xml version="1.0" encoding="{encoding}"?><a>éł🫁</a>'
    assert parse_elements(text).text == "éł🫁"


LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(30))


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l30;</a>',
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>',
        '<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>',
        "<!DOCTYPE a [<!ENTITY % p '<!ENTITY e \"x\">'> %p;]><a/>",
        "<!DOCTYPE a><a/>",
    ],
)
def test_a_document_type_is_refused_before_it_can_do_anything(text: str) -> None:
    with pytest.raises(FormatError, match=r"line 2: it has a document type \(<!DOCTYPE\)"):
        parse_elements(f"\n{text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no element found: line 1"),
        ("yes no", "syntax error: line 1"),
        ("<a>\n<b>\n", "no element found: line 3"),
        ("<a>\n<b></a>", "mismatched tag: line 2"),
        ("<a/><a/>", "junk after document element"),
        ("<a>&e;</a>", "undefined entity"),
        ("<a>\0</a>", "not well-formed"),
        ("<a>\ud800</a>", "surrogates not allowed"),
        ('<a x="1" x="2"/>', "duplicate attribute"),
    ],
)
def test_what_is_not_xml_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"it is not well-formed XML: .*{message}"):
        parse_elements(text)


def test_a_tower_of_elements_is_refused() -> None:
    deepest = "<a>" * 100 + "</a>" * 100
    assert parse_elements(deepest).children[0].tag == "a"
    with pytest.raises(FormatError, match="line 1: its elements are nested more than 100 deep"):
        parse_elements("<a>" * 100_000)


def test_a_flood_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xml_elements, "MAX_ELEMENTS", 3)
    assert len(parse_elements("<a><b/><b/></a>").children) == 2
    with pytest.raises(FormatError, match="line 1: it has more than 3 elements"):
        parse_elements("<a><b/><b/><b/></a>")
    monkeypatch.setattr(xml_elements, "MAX_CHARACTERS", 10)
    assert parse_elements("<a>abc</a>").text == "abc"
    with pytest.raises(FormatError, match="it has 11 characters; at most 10 are read"):
        parse_elements("<a>abcd</a>")
