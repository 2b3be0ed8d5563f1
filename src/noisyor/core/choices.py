"""Options that are one of a few names."""

from enum import Enum
from typing import TypeVar

from noisyor.core.errors import SettingsError

Choice = TypeVar("Choice", bound=Enum)


def choice_of(kind: type[Choice], value: Choice | str, what: str) -> Choice:
    """Return the member of an enum with this name.

    Parameters
    ----------
    kind
        The enum; its values are the names.
    value
        A member, or its name.
    what
        The option, with which an error message begins.
    """
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(str(one.value) for one in kind)
        raise SettingsError(f"{what} is {value!r}; it must be one of: {allowed}") from None
