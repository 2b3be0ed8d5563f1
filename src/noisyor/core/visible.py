r"""Text from files and arguments, made safe to show.

A column may be named by anything: sequences that colour, clear or rename the terminal, that make
it answer, or that reverse the order in which text is read. What is shown to people has such
characters spelled out, `\x1b` for the escape character, so that they are seen and do nothing.
"""

import re

# Control characters (C0, delete, C1), marks and overrides of the direction of text, separators of
# lines and paragraphs, and halves of characters, which no encoding has.
_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]"
)
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_ONE_BYTE = 0x100


def visible(text: str) -> str:
    """Return a text in which each character that controls a terminal is spelled out."""
    return _CONTROLS.sub(_spelled_out, text)


def visible_lines(text: str) -> str:
    """Do the same for a text of several lines, which stay lines."""
    return "\n".join(visible(line) for line in text.split("\n"))


def visible_json(text: str) -> str:
    """Return the same JSON with each such character as JSON's own escape.

    JSON has them in strings only, so it means the same. Lines and indentation stay: in strings,
    JSON escapes what controls lines by itself.
    """
    return _CONTROLS.sub(
        lambda found: found[0] if found[0] in "\n\t\r" else f"\\u{ord(found[0]):04x}", text
    )


def _spelled_out(found: re.Match[str]) -> str:
    letter = found[0]
    code = ord(letter)
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < _ONE_BYTE else f"\\u{code:04x}")
