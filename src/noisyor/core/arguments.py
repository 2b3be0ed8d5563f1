"""Arguments of public functions, checked against their annotations.

Behind these functions, types are trusted. Without a check, `jobs="2"` would fail somewhere deep
inside, in words about that place. The names of options, such as `score="bic"`, and the ranges of
numbers are checked where they are known.
"""

import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache, wraps
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from noisyor.core.errors import SettingsError

Given = ParamSpec("Given")
Result = TypeVar("Result")

_LONGEST = 60  # characters of a value in a message
_WIDER: dict[type, Any] = {bool: (bool, np.bool_), Path: PathLike}


def checked_arguments(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Return a function that refuses arguments of other types than it is annotated with.

    Numbers of numpy are numbers, and anything that can be iterated over is a list; truths are no
    numbers.
    """

    @cache
    def signature() -> inspect.Signature:  # of annotations that are loaded when they are needed
        return inspect.signature(function, eval_str=True)

    @wraps(function)
    def checked(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        parameters = signature().parameters
        named = dict(zip(parameters, args, strict=False)) | kwargs
        for name, value in named.items():
            if name in parameters and parameters[name].annotation is not inspect.Parameter.empty:
                _check(name, value, parameters[name].annotation)
        return function(*args, **kwargs)

    return checked


def _check(name: str, value: object, annotation: object) -> None:
    kinds = _alternatives(annotation)
    if not any(_is_of(kind, value) for kind in kinds):
        words = list(dict.fromkeys(map(_in_words, kinds)))
        shown = " ".join(reprlib.repr(value).split())[:_LONGEST]
        raise SettingsError(f"{name} is {shown}; it must be {_or(words)}")


def _alternatives(annotation: object) -> list[Any]:
    """Return the types of a union, or the only one."""
    if get_origin(annotation) in {Union, UnionType}:
        return [one for part in get_args(annotation) for one in _alternatives(part)]
    return [NoneType if annotation is None else annotation]


def _is_of(kind: Any, value: object) -> bool:  # noqa: ANN401  (any annotation)
    """Return whether a value may be one of a kind; of a generic type, only the whole is looked at.

    Where a kind cannot be checked, it may.
    """
    kind = get_origin(kind) or kind
    if kind in {int, float}:
        whole = Integral if kind is int else Real
        return isinstance(value, whole) and not isinstance(value, bool)
    if kind is Callable:
        return callable(value)
    if not isinstance(kind, type) or issubclass(kind, Enum):
        return True  # an enumeration says itself which names it has
    if _is_abstract_list(kind):
        return isinstance(value, Mapping if issubclass(kind, Mapping) else Iterable)
    return isinstance(value, _WIDER.get(kind, kind))


def _in_words(kind: Any) -> str:  # noqa: ANN401  (any annotation)
    kind = get_origin(kind) or kind
    words = {
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        str: "text",
        Path: "a path",
        NoneType: "None",
        Callable: "a function",
    }
    if kind in words:
        return words[kind]
    if not isinstance(kind, type):
        return str(kind)
    if _is_abstract_list(kind):
        return "a mapping" if issubclass(kind, Mapping) else "a list"
    return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"


def _is_abstract_list(kind: type) -> bool:
    return issubclass(kind, Iterable) and kind.__module__ == "collections.abc"


def _or(words: list[str]) -> str:
    """Return words as in "a, b or c"."""
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
