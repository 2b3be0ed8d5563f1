"""Values in a JSON document with the path to them, so that every error says where."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.core.errors import errors_at

_Kind = TypeVar("_Kind")

_KIND_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


@dataclass(frozen=True, slots=True)
class Odd:
    """Something that JSON text may hold but a document of noisyor never does: NaN, a repeated key.

    It replaces the value in the tree, so that the type checks refuse it and give its path.
    """

    said: str


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """A value and the path to it, such as `variables[3].distribution.q`; empty at the top."""

    value: object
    path: str = ""

    def wrong(self, complaint: str) -> FormatError:
        """Return the error that says what is wrong with this value."""
        return FormatError(f"{self.path or 'the document'} {complaint}")

    def fields(self, *keys: str, optional: Sequence[str] = ()) -> dict[str, "JsonPlace"]:
        """Return the values of an object, which must have these keys and may have no others."""
        content = self._of_kind(dict)
        for key in keys:
            if key not in content:
                raise self.wrong(f"lacks {key!r}")
        allowed = (*keys, *optional)
        for key in content:
            if key not in allowed:
                raise self.wrong(f"has the key {key!r:.60}; allowed: {', '.join(allowed)}")
        return self.by_name()

    def by_name(self) -> dict[str, "JsonPlace"]:
        """Return the values of an object, whatever its keys."""
        content = self._of_kind(dict)
        return {key: JsonPlace(one, self._path_to(key)) for key, one in content.items()}

    def entries(self) -> list["JsonPlace"]:
        """Return the values of a list."""
        return [
            JsonPlace(one, f"{self.path}[{index}]") for index, one in enumerate(self._of_kind(list))
        ]

    def text(self) -> str:
        """Return a text."""
        return self._of_kind(str)

    def truth(self) -> bool:
        """Return true or false."""
        if type(self.value) is not bool:
            raise self.wrong(f"is {_said(self.value)}; expected: true or false")
        return self.value

    def whole_number(self, least: int, most: int | None = None) -> int:
        """Return a whole number within bounds."""
        if type(self.value) is not int:  # in Python, true and false are integers
            raise self.wrong(f"is {_said(self.value)}; expected: a whole number")
        if self.value < least or (most is not None and self.value > most):
            allowed = f"at least {least}" if most is None else f"between {least} and {most}"
            raise self.wrong(f"is {_said(self.value)}; it must be {allowed}")
        return self.value

    def number(self) -> float:
        """Return a finite number."""
        if type(self.value) not in {int, float}:
            raise self.wrong(f"is {_said(self.value)}; expected: a number")
        try:
            number = float(self.value)  # type: ignore[arg-type]  # just checked
        except OverflowError:
            number = float("inf")
        if not isfinite(number):
            raise self.wrong(f"is {_said(self.value)}; it must be finite")
        return number

    def probability(self) -> float:
        """Return a number from 0 to 1."""
        number = self.number()
        if not 0 <= number <= 1:
            raise self.wrong(f"is {number:g}; a probability lies between 0 and 1")
        return number

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return a list of numbers from 0 to 1."""
        listed = self._of_kind(list)
        if set(map(type, listed)) <= {int, float}:
            try:
                numbers = np.array(listed, dtype=np.float64)
            except OverflowError:
                numbers = np.array([np.nan])
            if ((numbers >= 0) & (numbers <= 1)).all():
                return numbers
        return np.array(
            [one.probability() for one in self.entries()]
        )  # raises for the one that is not

    def whole_numbers(self, least: int, most: int) -> list[int]:
        """Return a list of whole numbers within bounds."""
        listed = self._of_kind(list)
        if set(map(type, listed)) <= {int} and all(least <= one <= most for one in listed):
            return listed
        return [
            one.whole_number(least, most) for one in self.entries()
        ]  # raises for the one that is not

    def _path_to(self, key: str) -> str:
        if not key.isidentifier():
            return f"{self.path}[{key!r:.60}]"
        return f"{self.path}.{key:.60}" if self.path else f"{key:.60}"

    def _of_kind(self, kind: type[_Kind]) -> _Kind:
        if type(self.value) is not kind:
            raise self.wrong(f"is {_said(self.value)}; expected: {_KIND_NAMES[kind]}")
        return self.value


@contextmanager
def complaints_at(place: JsonPlace) -> Iterator[None]:
    """Add the path to errors that noisyor's own types raise."""
    with errors_at(place.path or "the document", raised=FormatError):
        yield


def _said(value: object) -> str:
    """Return a value for a message, but not the content of a list or object: it may be huge."""
    if isinstance(value, Odd):
        return value.said
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) >= 10**60:
        return "a number of more than 60 digits"
    return _KIND_NAMES[type(value)] if isinstance(value, list | dict) else f"{value!r:.60}"
