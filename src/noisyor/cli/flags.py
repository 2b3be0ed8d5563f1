"""Messages of the library in the words of the command line.

The library speaks Python: `drop=['id']`, `present={'sex': 'female'}`. Here that becomes
`--drop id`, `--present sex=female`, to be copied into a shell.
"""

import ast
import csv
import io
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

_LITERAL_ENDS = {"[": "]", "{": "}", "'": "'", '"': '"'}
_NO_LITERAL = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)  # of literal_eval
_WORD = re.compile(r"-?\d+(\.\d+)?|True|False|inf")


def in_flags(message: str) -> str:
    """Return a message of the library with its options as flags.

    An option is a keyword with a literal of Python; anything else stays as it is.
    """
    message = _NAMING.sub(r"--\1", message)
    for words, flag in _WORDS.items():
        message = message.replace(words, flag)
    message = _CHOICE.sub(_choice, message)
    parts: list[str] = []
    done = 0
    for match in _OPTION.finditer(message):
        if match.start() < done:  # inside the value of another option
            continue
        end = _end_of_literal(message, match.end())
        if end is None:
            continue
        value = _value(message[match.end() : end])
        flags = _FLAGS[match[1]](value)
        if flags:
            parts += [message[done : match.start()], flags]
            done = end
    return "".join([*parts, message[done:]])


def _value(literal: str) -> object:
    return literal if literal == "inf" else ast.literal_eval(literal)


def _end_of_literal(text: str, start: int) -> int | None:
    """Return where the literal ends that starts here; None if none does."""
    word = _WORD.match(text, start)
    if word is not None:
        return word.end()
    closing = _LITERAL_ENDS.get(text[start : start + 1])
    if closing is None:
        return None
    at = text.find(closing, start + 1)
    while at >= 0:
        try:
            ast.literal_eval(text[start : at + 1])
        except _NO_LITERAL:
            at = text.find(closing, at + 1)
        else:
            return at + 1
    return None


def _each(flag: str) -> Callable[[object], str]:
    """Return what writes a value, or each of a list, after its flag."""

    def write(value: object) -> str:
        values = value if isinstance(value, list | tuple) else [value]
        return " ".join(f"--{flag} {shlex.quote(str(one))}" for one in values)

    return write


def _by_column(flag: str) -> Callable[[object], str]:
    """Return what writes values by column: COLUMN=VALUE, or COLUMN=VALUE,VALUE for a list."""

    def write(value: object) -> str:
        if not isinstance(value, Mapping):
            return ""
        pairs = [
            f"{column}={_joined(own) if isinstance(own, list | tuple) else own}"
            for column, own in value.items()
        ]
        return " ".join(f"--{flag} {shlex.quote(pair)}" for pair in pairs)

    return write


def _joined(values: Sequence[object]) -> str:
    """Return values with commas between them; one that has a comma is quoted."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow("..." if one is ... else one for one in values)
    return line.getvalue()


def _choice(found: re.Match[str]) -> str:
    """Return what to do with a column that is binarized."""
    column = ast.literal_eval(found[1])
    if found[2] == "Drop":
        return f"--drop {shlex.quote(column)}"
    return f"--threshold {shlex.quote(f'{column}={found[3]}')}"


def _switch(yes: str, no: str = "") -> Callable[[object], str]:
    return lambda value: yes if value is True else no


_FLAGS: Mapping[str, Callable[[object], str]] = {
    "bins": _each("bins"),
    "delimiter": _each("delimiter"),
    "drop": _each("drop"),
    "forgiving": _switch("--forgiving"),
    "format": _each("format"),
    "header": _switch("--header", "--no-header"),
    "keep_constants": _switch("--keep-constants"),
    "missing": _each("missing"),
    "order": _by_column("order"),
    "present": _by_column("present"),
    "time_limit": _each("time-limit"),
    "unknown": _each("unknown"),
}
_WORDS = {"(most_bytes)": "(--memory-limit)", "larger max_networks": "larger --max-networks"}
_CHOICE = re.compile(
    r"""choices=\{('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"): (Drop|Above)\((.*?)\)\}"""
)
_NAMING = re.compile(r"\b(present|order|drop)(?= names the column)")
_OPTION = re.compile(rf"\b({'|'.join(_FLAGS)})=")
