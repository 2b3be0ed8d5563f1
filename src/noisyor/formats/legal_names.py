"""Names for formats that allow few characters: legal, distinct, and traceable to the original.

A writer replaces a name that its format cannot hold, and keeps the original next to it, escaped.
Replacements also differ in more than case, since some programs ignore case.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from noisyor.core import FormatError

ESCAPE = "~"
"""Starts an escaped byte. Unlike a percent sign or a backslash, it is special in no format."""

# Letters of European languages that are not a Latin letter with an accent.
_STROKES = str.maketrans("øØłŁđĐðÐ", "oOlLdDdD")
_LIGATURES = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "þ": "th", "Þ": "Th"}
)
_NOT_A_WORD = re.compile(r"[^A-Za-z0-9_]+")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")
_HEXADECIMAL = re.compile(r"[0-9A-F]{2}")


def is_identifier(text: str) -> bool:
    """Return whether a text is a C identifier: ASCII letters, digits, _, no digit first."""
    return _IDENTIFIER.fullmatch(text) is not None


def word_of(text: str) -> str:
    """Return ASCII letters, digits and underscores that resemble a text; never an empty text."""
    return _NOT_A_WORD.sub("_", without_accents(text)).strip("_") or "x"


def without_accents(text: str) -> str:
    """Return a text with plain letters in place of those with accents, and `ss` for a German ß."""
    spelled_out = text.translate(_STROKES).translate(_LIGATURES)
    return "".join(
        character
        for character in unicodedata.normalize("NFKD", spelled_out)
        if not unicodedata.combining(character)
    )


def identifier_of(text: str, reserved: AbstractSet[str] = frozenset()) -> str:
    """Return an identifier that is not reserved: the text itself, if it is one."""
    word = text if is_identifier(text) else word_of(text)
    return word if is_identifier(word) and word not in reserved else f"x_{word}"


def different_names(originals: Sequence[str], legal: Callable[[str], str]) -> tuple[str, ...]:
    """Return a legal name for each original, distinct even in lower case.

    `legal` returns a legal name, which must stay legal with an underscore and digits after it. An
    original that is already legal is kept, unless an earlier one differs only in case.
    """
    proposed = [legal(original) for original in originals]
    taken: set[str] = set()
    chosen: dict[int, str] = {}
    for place, (original, name) in enumerate(zip(originals, proposed, strict=True)):
        if original == name and name.casefold() not in taken:
            chosen[place] = name
            taken.add(name.casefold())
    next_number: dict[str, int] = {}
    for place, name in enumerate(proposed):
        if place in chosen:
            continue
        free = name
        while free.casefold() in taken:
            next_number[name] = next_number.get(name, 1) + 1
            free = f"{name}_{next_number[name]}"
        chosen[place] = free
        taken.add(free.casefold())
    return tuple(chosen[place] for place in range(len(originals)))


def escaped(text: str) -> str:
    """Return a text in ASCII letters, digits, `_.-`, and bytes of UTF-8 as ~ and two digits."""
    return "".join(
        chr(byte) if byte in _PLAIN else f"{ESCAPE}{byte:02X}"
        for byte in text.encode("utf-8", "surrogatepass")
    )


def unescaped(text: str) -> str:
    """Undo `escaped`; a FormatError says what it cannot have written."""
    first, *others = text.split(ESCAPE)
    parts = [first.encode("utf-8", "surrogatepass")]
    for other in others:
        if not _HEXADECIMAL.fullmatch(other[:2]):
            raise FormatError(
                f"{text!r:.80} has {ESCAPE + other[:2]!r}; an escaped byte is {ESCAPE} and two "
                "digits of 0-9 and A-F"
            )
        parts.append(bytes.fromhex(other[:2]) + other[2:].encode("utf-8", "surrogatepass"))
    try:
        return b"".join(parts).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise FormatError(f"{text!r:.80} is not an escaped text in UTF-8: {error}") from error
