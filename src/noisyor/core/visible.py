r"""Text from files and arguments, made safe to display.

A column name may contain anything, also sequences that colour, clear or rename the terminal, make
it send input, or reverse the direction of text. Displayed text has such characters escaped, as in
`\x1b` for the escape character, so that they are visible and have no effect.
"""

import re

# Control characters (C0, delete, C1), marks and overrides of the direction of text, separators of
# lines and paragraphs, and lone surrogates, which cannot be encoded.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ONE_BYTE = 0x100


def visible(text: str) -> str:
    """Return the text with each character that controls a terminal escaped."""
    return _CONTROLS.sub(_escaped, text)


def visible_lines(text: str) -> str:
    """Return `visible` of each line of a text."""
    return "\n".join(visible(line) for line in text.split("\n"))


def visible_json(text: str) -> str:
    """Return the same JSON with each such character as a JSON escape.

    They occur in strings only, so the meaning is the same. Line breaks and indentation between
    values are kept; inside of strings, JSON has them escaped already.
    """
    return _CONTROLS.sub(
        lambda found: found[0] if found[0] in "\n\t\r" else f"\\u{ord(found[0]):04x}", text
    )


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    code = ord(letter)
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < _ONE_BYTE else f"\\u{code:04x}")
