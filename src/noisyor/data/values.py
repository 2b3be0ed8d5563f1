"""Which texts mean absent and present, and which mean missing.

Two texts are the same value if their keys are equal: surrounding blanks do not count, nor does
the case of an accepted word, nor the notation of a number (`1`, `01` and `1.0` are one value). Any
other text is its own key, case included.
"""

import math
import re
from decimal import Decimal

import numpy as np

from noisyor.core.state_words import is_accepted, pair_of

MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "?"})
"""Texts that mean a missing value, in any case."""

TRUTHS = ("false", "true")
"""The states of a column of truths."""

_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?", re.ASCII)
_SIGNS = "%\u2030\u20ac$\u00a3\u00a5\u00b0"  # per cent and mille, currencies, degree
_MEASURED = re.compile(
    rf"(?P<outer>[+-](?=[{_SIGNS}]))?(?P<before>[{_SIGNS}]?) ?"
    rf"(?P<inner>(?(outer)|[+-]?))(?P<digits>\.?\d[\d.,]*) ?(?P<after>[{_SIGNS}]?)",
    re.ASCII,
)
_DAY = r"(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})"
_HOUR = r"\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?(Z|[+-]\d{2}:?\d{2})?"
_MOMENT = re.compile(rf"{_DAY}([ T]{_HOUR})?|{_HOUR}", re.ASCII)


def key_of(text: str) -> str | None:
    """Return the key of the value that a text stands for, or None if it is missing."""
    text = text.strip()
    folded = text.casefold()
    if folded in MISSING_WORDS:
        return None
    if is_accepted(folded):
        return folded
    return plain_number(text) or text


def plain_number(text: str) -> str | None:
    """Return a decimal number without redundant signs and zeros; None if it is not one."""
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    whole, fraction = match[2].lstrip("0") or "0", (match[3] or "").rstrip("0")
    number = f"{whole}.{fraction}" if fraction else whole
    return f"-{number}" if match[1] == "-" and number != "0" else number


def is_number(text: str) -> bool:
    """Return whether a text is a number, possibly with an exponent."""
    if plain_number(text) is not None:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return not math.isnan(number) and "_" not in text


def measured_number(text: str) -> tuple[str, Decimal] | None:
    """Return the sign of a number that has one (`5%`, `-$3.50`), and the number; None without one.

    The sign has a mark of where it stands. Only numbers without separators of thousands count.
    """
    match = _MEASURED.fullmatch(text.strip())
    if match is None or bool(match["before"]) == bool(match["after"]):
        return None
    number = plain_number((match["outer"] or match["inner"]) + match["digits"])
    return None if number is None else (f"{match['before']}#{match['after']}", Decimal(number))


def has_sign(text: str) -> bool:
    """Return whether a text is a number with a sign such as `%` or `$`, also with commas."""
    match = _MEASURED.fullmatch(text.strip())
    return match is not None and bool(match["before"]) != bool(match["after"])


def is_moment(text: str) -> bool:
    """Return whether a text is a date or a time."""
    return _MOMENT.fullmatch(text.strip()) is not None


def number_text(value: float) -> str:
    """Return the shortest text that reads back as this number, without a fraction of zero."""
    return repr(value + 0.0).removesuffix(".0")  # + 0.0 turns -0 into 0


def text_of(value: object) -> str:
    """Return the text of a value in a column of Python objects."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def partner_label(label: str) -> str | None:
    """Return the other word of an accepted pair, in the same case; None for other words."""
    key = key_of(label)
    pair = None if key is None else pair_of((key,))
    if pair is None:
        return None
    partner = pair[0] if key == pair[1] else pair[1]
    if label.isupper():
        return partner.upper()
    return partner.capitalize() if label[0].isupper() else partner


def label_of(key: str, spellings: set[str]) -> str:
    """Return a value as the table writes it, or its key if the spelling varies between records.

    So a label does not depend on the order of the records. Truths are labelled by their key, as a
    frame has them, because each program writes them to a file in its own way.
    """
    if len(spellings) == 1 and plain_number(key) is None and key not in TRUTHS:
        return next(iter(spellings))
    return key
