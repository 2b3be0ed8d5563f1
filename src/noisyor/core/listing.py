"""Long lists of names, shortened for messages."""

from collections.abc import Sequence

_FEW = 10


def listed(names: Sequence[str]) -> str:
    """Return the names in one line; of a long list, the first ten and the number of the others."""
    if len(names) <= _FEW + 1:  # "and 1 more" would be as long as the name
        return ", ".join(names)
    return f"{', '.join(names[:_FEW])} and {len(names) - _FEW} more"
