"""Long lists of names, shortened for messages."""

from collections.abc import Sequence
from difflib import get_close_matches

_FEW = 10
_NEAREST = 3


def listed(names: Sequence[str]) -> str:
    """Return the names in one line; of a long list, the first ten and the number of the others.

    A column of row names may have an empty name, which must be seen.
    """
    shown = [name or repr(name) for name in names[: _FEW + 1]]
    if len(names) <= _FEW + 1:  # "and 1 more" would be as long as the name
        return ", ".join(shown)
    return f"{', '.join(shown[:_FEW])} and {len(names) - _FEW} more"


def counted(count: int, what: str) -> str:
    """Return a number with what it counts: `1 network`, `1,200 networks`."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def numbered(count: int, what: str) -> str:
    """Return a number in plain digits with what it counts: `1 record`, `1200 records`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def expected_names(name: str, names: Sequence[str], owner: str) -> str:
    """Return which names there are in place of a wrong one: all, or of many those most like it.

    Parameters
    ----------
    name
        What was given.
    names
        What is allowed.
    owner
        What has these names, such as `the network`.
    """
    if len(names) > _FEW + 1:
        folded = {one.casefold(): one for one in reversed(names)}
        near = get_close_matches(name.casefold(), list(folded), _NEAREST)
        if near:
            alike = ", ".join(folded[one] for one in near)
            return f"most like it, of the {len(names)} in {owner}: {alike}"
    return f"{owner} has: {listed(names)}"
