"""Files in the encodings that programs write."""

import pytest

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning
from noisyor.formats.text_encoding import decoded, encoded


def declared(encoding: str) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>\r\n<smile id="Pünktchen"/>\r\n'


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("UTF-8", "utf-8-sig"),
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("UTF-16", "utf-16"),
        ("utf-16", "utf-16-le"),
        ("utf-16", "utf-16-be"),
    ],
)
def test_xml_is_read_and_written_in_its_own_encoding(name: str, codec: str) -> None:
    text = declared(name)
    assert decoded(text.encode(codec)) == text
    again = encoded(text)
    assert decoded(again) == text
    if not codec.endswith(("sig", "le", "be")):  # a mark of the byte order may come or go
        assert again == text.encode(codec)


def test_a_mark_of_the_byte_order_says_it_without_a_declaration() -> None:
    assert decoded("network w { } // é".encode("utf-16")) == "network w { } // é"
    assert decoded(b"\xfe\xff" + "é".encode("utf-16-be")) == "é"


def test_wide_characters_that_are_declared_but_not_there() -> None:
    text = declared("utf-16")
    assert decoded(text.encode()) == text


def test_what_an_encoding_lacks_is_a_reference() -> None:
    text = declared("ISO-8859-1").replace("ü", "Ж")
    assert b'id="P&#1046;nktchen"' in encoded(text)


def test_text_without_a_declaration_is_utf_8() -> None:
    assert decoded("é".encode()) == "é"
    assert encoded("é") == "é".encode()
    with pytest.raises(FormatError, match="a name cannot be written as text"):
        encoded("\ud800")


def test_what_should_be_utf_8_may_be_forgiven() -> None:
    for text in ("variable é", declared("UTF-8")):
        content = text.encode("latin-1")
        with pytest.raises(FormatError, match=r"it is not text in utf-8: .*with forgiving=True"):
            decoded(content)
        with pytest.warns(ConversionWarning, match="not text in utf-8; taken for iso-8859-1"):
            assert decoded(content, forgiving=True) == text


def test_other_encodings_are_not_forgiven() -> None:
    with pytest.raises(FormatError, match="it is not text in ascii"):
        decoded(declared("ascii").encode("latin-1"), forgiving=True)
    with pytest.raises(FormatError, match="it is not text in utf-16"):
        decoded(b"\xff\xfe\x00", forgiving=True)


@pytest.mark.parametrize("encoding", ["klingon", "punycode", "latin-99"])
def test_unknown_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(FormatError, match=f"it declares the encoding '{encoding}', which is unk"):
        decoded(declared(encoding).encode())
    with pytest.raises(FormatError, match=f"it declares the encoding '{encoding}', which is unk"):
        encoded(declared(encoding))
