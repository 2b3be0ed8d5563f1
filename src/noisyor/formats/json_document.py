"""JSON text of noisyor's own files: read strictly, and laid out for people."""

import json
import re
from collections import Counter

from noisyor.core import FormatError
from noisyor.formats.json_place import JsonPlace, Odd

WIDTH = 100
"""A value that fits within this width stays on one line."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MAYBE_SURROGATE = re.compile(r"[\ud800-\udfff]|\\u[dD][89a-fA-F]")
_STEP = 2  # columns of indentation
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def document_text(document: dict[str, object]) -> str:
    """Return a document as JSON text, with every number exact."""
    try:
        text = _laid_out(document, 0) + "\n"
    except ValueError as error:  # not finite, or an integer of thousands of digits
        raise FormatError(f"JSON cannot hold one of its numbers: {error}") from error
    refuse_half_characters(text)
    return text


def refuse_half_characters(text: str) -> None:
    """Refuse to write a lone surrogate, which reading would refuse."""
    if _SURROGATE.search(text):
        raise FormatError(
            "a name, label or setting holds half of a surrogate pair, which is not a character "
            "and which no file can hold"
        )


def read_document(text: str) -> JsonPlace:
    """Return the content of a JSON text; a FormatError says where it is not JSON."""
    try:
        document = JsonPlace(json.loads(text, parse_constant=Odd, object_pairs_hook=_object))
        if _MAYBE_SURROGATE.search(text):
            _refuse_surrogates(document)
    except ValueError as error:
        raise FormatError(f"it is not JSON: {error}") from error
    except RecursionError as error:
        raise FormatError("it is not a document of noisyor: it is nested too deeply") from error
    return document


def _object(pairs: list[tuple[str, object]]) -> object:
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    counts = Counter(key for key, _ in pairs)
    twice = next(key for key, count in counts.items() if count > 1)
    return Odd(f"an object that has the key {twice!r:.60} twice")


def _refuse_surrogates(place: JsonPlace) -> None:
    """Refuse half characters (lone surrogates), which no file or terminal can hold."""
    if isinstance(place.value, str):
        if _SURROGATE.search(place.value):
            raise place.wrong("holds half of a surrogate pair, which is not a character")
    elif isinstance(place.value, list):
        for one in place.entries():
            _refuse_surrogates(one)
    elif isinstance(place.value, dict):
        for key, one in place.by_name().items():
            _refuse_surrogates(JsonPlace(key, f"a key of {place.path or 'the document'}"))
            _refuse_surrogates(one)


def _laid_out(value: object, indent: int, key: str = "") -> str:
    """Return a value on one line if it fits after its key, else one line per part."""
    if not value or not isinstance(value, dict | list):
        return _ENCODER.encode(value)
    if not _is_surely_long(value):
        line = _ENCODER.encode(value)
        if indent + len(key) + len(line) < WIDTH:
            return line
    inner = indent + _STEP
    if isinstance(value, dict):
        keys = [f"{_ENCODER.encode(one)}: " for one in value]
        parts = [
            one + _laid_out(below, inner, one)
            for one, below in zip(keys, value.values(), strict=True)
        ]
    elif set(map(type, value)) <= {int, float}:
        parts = _filled(_ENCODER.encode(value)[1:-1].split(", "), inner)
    else:
        parts = [_laid_out(one, inner) for one in value]
    start, end = "{}" if isinstance(value, dict) else "[]"
    separator = ",\n" + " " * inner
    return f"{start}\n{' ' * inner}{separator.join(parts)}\n{' ' * indent}{end}"


def _is_surely_long(value: object) -> bool:
    """Return whether a value has more parts than fit on a line, without counting them all."""
    waiting, seen = [value], 0
    while waiting and seen <= WIDTH:
        one = waiting.pop()
        seen += 1
        if isinstance(one, list):
            waiting += one[: WIDTH + 1]
        elif isinstance(one, dict):
            waiting += one.values()
    return seen > WIDTH


def _filled(numbers: list[str], indent: int) -> list[str]:
    """Return many numbers as lines of as many as fit."""
    lines: list[str] = []
    first, width = 0, indent
    for place, number in enumerate(numbers):
        if place > first and width + len(number) >= WIDTH:
            lines.append(", ".join(numbers[first:place]))
            first, width = place, indent
        width += len(number) + len(", ")
    return [*lines, ", ".join(numbers[first:])]
