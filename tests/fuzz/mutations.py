"""Almost valid inputs: seeded changes of those in the corpus."""

import random

_MOST_CHANGES = 6
_LONGEST = 2**12
_TOKENS = tuple(
    text.encode()
    for text in (
        *("0", "1", "-1", "2", "256", "257", "4294967296", "9223372036854775808", "1e999", "-0.0"),
        *("NaN", "nan", "Infinity", "-inf", "null", "true", "1e-320", "9" * 5000, "0x10", "1_0"),
        *("", " ", "\n", "\r", "\r\n", "\t", "\0", "\ufeff", "\u2028", "\u0661", "\U0001f600"),
        *('"', "'", '""', "\\", "\\u0000", "\\ud800", ",", ";", "|", ":", "{}", "[]", "[[[[", "}}"),
        *("<", ">", "&lt;", "&x;", "&#0;", "<![CDATA[", "]]>", "<!--", "<?xml", "<!DOCTYPE x []>"),
        *("&a", "*a", "!!python/object/apply:os.system", "<<", "---", "...", "- - - -", "? :"),
        *("=1+1", "+cmd|' /C calc'!A0", "@SUM(1)", "<script>alert(1)</script>", "../../x", "%00"),
        *("->", "flu", "cold", "cough", "yes", "no", "?", "%", "#", "@data", "META", "VAR", "{0 1"),
    )
)


def mutated(seeds: list[bytes], random_numbers: random.Random) -> bytes:
    """Return one of the seeds with a few changes."""
    content = bytearray(random_numbers.choice(seeds)[:_LONGEST])
    for _ in range(random_numbers.randint(1, _MOST_CHANGES)):
        random_numbers.choice(_CHANGES)(content, seeds, random_numbers)
    return bytes(content[:_LONGEST])


def _stretch(content: bytearray, numbers: random.Random) -> slice:
    start = numbers.randint(0, len(content))
    longest = numbers.choice((1, 4, 16, 64, len(content)))
    return slice(start, min(len(content), start + numbers.randint(0, longest)))


def _flip(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    if content:
        content[numbers.randrange(len(content))] ^= 1 << numbers.randrange(8)


def _set(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    if content:
        content[numbers.randrange(len(content))] = numbers.choice((0, 1, 127, 128, 255))


def _cut(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    del content[_stretch(content, numbers)]


def _truncate(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    del content[numbers.randint(0, len(content)) :]


def _repeat(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    where = _stretch(content, numbers)
    content[where] = content[where] * numbers.choice((2, 3, 50))


def _token(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    where = _stretch(content, numbers)
    if numbers.random() < 0.5:
        where = slice(where.start, where.start)
    content[where] = numbers.choice(_TOKENS)


def _splice(content: bytearray, seeds: list[bytes], numbers: random.Random) -> None:
    other = bytearray(numbers.choice(seeds))
    content[_stretch(content, numbers)] = other[_stretch(other, numbers)]


def _other_number(content: bytearray, _: list[bytes], numbers: random.Random) -> None:
    """Replace a digit, the change that most often leaves a file well-formed."""
    digits = [place for place, byte in enumerate(content) if 48 <= byte <= 57]
    if digits:
        place = numbers.choice(digits)
        content[place : place + 1] = numbers.choice(_TOKENS[:20])


_CHANGES = (_flip, _set, _cut, _truncate, _repeat, _token, _token, _splice, _other_number)
