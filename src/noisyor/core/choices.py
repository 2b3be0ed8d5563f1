"""Options that are one of a few names."""

from enum import Enum
from typing import TypeVar

from noisyor.core.errors import SettingsError

Choice = TypeVar("Choice", bound=Enum)


def choice_of(kind: type[Choice], value: Choice | str, what: str) -> Choice:
    """Return the choice of that name.

    Parameters
    ----------
    kind
        The choices that there are; their values are their names.
    value
        A choice, or its name.
    what
        What is chosen, as a message shall begin.
    """
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(str(one.value) for one in kind)
        raise SettingsError(f"{what} is {value!r}; it must be one of: {allowed}") from None
