"""What to do about records that lack a value."""

from collections.abc import Sequence
from enum import Enum

from noisyor.core.choices import choice_of
from noisyor.core.listing import listed


class MissingPolicy(Enum):
    """What to do about records that lack a value."""

    ERROR = "error"
    DROP = "drop"

    @classmethod
    def of(cls, policy: "MissingPolicy | str") -> "MissingPolicy":
        """Return the policy of that name."""
        return choice_of(cls, policy, "missing")


def missing_message(
    names: Sequence[str], gaps: Sequence[int], incomplete: int, records: int
) -> str:
    """Return the message that says how many values each column lacks, and what to do."""
    by_column = listed(
        [f"{name!r} {count}" for name, count in zip(names, gaps, strict=True) if count]
    )
    return (
        f"values are missing in {incomplete} of {records} records, by column: {by_column}. "
        "Fill them in, or leave those records out with --missing drop"
    )
