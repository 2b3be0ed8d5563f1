"""The states that numbers stand for: equal numbers, and bins that hold them.

The labels of bins show the cuts exactly, so a network knows its bins in any file format, without
the table that they were made for.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from numbers import Real

import numpy as np

from noisyor.core.variable import BINARY, States

_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_BIN = re.compile(rf"<= {_NUMBER}|> {_NUMBER}|{_NUMBER} to {_NUMBER}", re.ASCII)
_PLAIN = re.compile(_NUMBER, re.ASCII)


def state_of(states: Sequence[str], value: object) -> int | None:
    """Return which of a variable's states a value stands for; None if it stands for none.

    That is the state of this label, or the only one that differs from it by case alone; of two
    states, the second for True and the first for False; the state that is this number, however it
    is written, or the bin that holds it; and of two other states, the second for 1 and the first
    for 0.
    """
    labelled = _labelled(states, value) if isinstance(value, str) else None
    if labelled is not None:
        return labelled
    is_binary = len(states) == BINARY
    if isinstance(value, bool | np.bool_):
        return int(value) if is_binary else None
    number = number_in(value)
    if number is None:
        return None
    if math.isfinite(number):  # numbers beyond the floats are not equal because they all are
        equal = [place for place, label in enumerate(states) if number_in(label) == number]
        if len(equal) == 1:
            return equal[0]
    held = bin_of(states, number)
    if held is None and is_binary and not isinstance(value, str) and number in {0, 1}:
        return int(number)
    return held


def _labelled(states: Sequence[str], text: str) -> int | None:
    """Return the state of a label, or the only one that differs from it by case alone."""
    if text in states:
        return states.index(text)
    folded = text.strip().casefold()
    like = [place for place, label in enumerate(states) if label.casefold() == folded]
    return like[0] if len(like) == 1 else None


def number_in(value: object) -> float | None:
    """Return a number, or a text that is one, as a float; None for all else, also truths.

    A float of 32 bits is the decimal that it is shown as, such as 0.1, as in tables. A number
    beyond the floats is infinite: it is above or below every cut.
    """
    if isinstance(value, str):
        return float(value) if _PLAIN.fullmatch(value.strip()) else None
    if isinstance(value, np.float32):
        return float(str(value))
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > Fraction(0) else -math.inf


def bin_labels(cuts: Sequence[str]) -> States:
    """Return the labels of the bins between cuts, which ascend and are given as text."""
    if not cuts:
        return ()
    inner = (f"{low} to {high}" for low, high in pairwise(cuts))
    return (f"<= {cuts[0]}", *inner, f"> {cuts[-1]}")


def in_state(name: str, label: str) -> str:
    """Return a variable in a state as text: `flu=yes`, and of an outer bin `age > 65`."""
    return f"{name} {label}" if label.startswith(("<= ", "> ")) else f"{name}={label}"


def bin_of(states: Sequence[str], number: float) -> int | None:
    """Return which of the states is the bin that holds a number; None if they are no bins.

    A number that equals a cut is in the lower bin.
    """
    cuts, places = bins_in(states)
    if not cuts or math.isnan(number):
        return None
    return places[bisect_left(cuts, number)]


def bins_in(states: Sequence[str]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Return the cuts that the labels of bins show, and the places of the bins, both ascending.

    There are none unless the labels are those that `bin_labels` gives, in any order: then they
    cover all numbers, each once. There may be other states, such as one for missing values.
    """
    bins = sorted((*ends, place) for place, label in enumerate(states) if (ends := _ends(label)))
    cuts = tuple(high for _, high, _ in bins[:-1])
    if not cuts or [(low, high) for low, high, _ in bins] != list(
        pairwise((-math.inf, *cuts, math.inf))
    ):
        return (), ()
    return cuts, tuple(place for _, _, place in bins)


def _ends(label: str) -> tuple[float, float] | None:
    """Return the ends of a bin, the lower one excluded; None if a label is not that of a bin."""
    match = _BIN.fullmatch(label)
    if match is None:
        return None
    most, least, low, high = match.groups()
    return float(low or least or -math.inf), float(high or most or math.inf)
