"""Names that fit into a node of a picture."""

import unicodedata

ROOM = 14.0
"""The greatest width of a label, in letters of average width."""

_ELLIPSIS = "…"
_NARROW, _BROAD = set("fijlrtI.,:;'|!()[]{}/ "), set("mwMW@%<>")
_JOINER = "\N{ZERO WIDTH JOINER}"


def short_label(name: str, room: float = ROOM) -> str:
    """Return a name, on one line, cut with an ellipsis where it would be too wide for a node.

    The width is an estimate, since it depends on the browser's font. Characters that are drawn as
    one sign, for example a letter with its accents, are kept or cut together.
    """
    signs = _signs(" ".join(name.split()))
    if sum(_width(sign) for sign in signs) <= room:
        return "".join(signs)
    kept, left = "", room - _width(_ELLIPSIS)
    for sign in signs:
        left -= _width(sign)
        if left < 0:
            break
        kept += sign
    return kept.rstrip() + _ELLIPSIS


def _signs(text: str) -> list[str]:
    """Return the characters, each with the combining ones that follow it."""
    signs: list[str] = []
    for character in text:
        joined = bool(signs) and (
            signs[-1].endswith(_JOINER)
            or character == _JOINER
            or unicodedata.category(character) in {"Mn", "Me", "Sk"}
        )
        if joined:
            signs[-1] += character
        else:
            signs.append(character)
    return signs


def _width(sign: str) -> float:
    first = sign[0]
    if unicodedata.east_asian_width(first) in {"W", "F"}:
        return 2.0
    if first in _NARROW:
        return 0.6
    if first in _BROAD:
        return 1.6
    return 1.25 if first.isupper() else 1.0
