"""Long lists of names, cut to what a person reads."""

from collections.abc import Sequence

_FEW = 10


def listed(names: Sequence[str]) -> str:
    """Return the names in a line, of many the first ten and how many more there are."""
    if len(names) <= _FEW + 1:  # "and 1 more" would take the place of a name
        return ", ".join(names)
    return f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"
