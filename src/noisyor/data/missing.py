"""What to do about records that lack a value."""

from collections.abc import Sequence
from enum import Enum

from noisyor.core.choices import choice_of
from noisyor.core.errors import SettingsError
from noisyor.core.listing import listed

CHOICES = (
    'missing="drop" leaves those records out, missing="state" makes absence a state, and '
    'missing="em" learns with the gaps'
)
"""What can be done about missing values in a table to learn from, for messages."""

CHOICES_FOR_NETWORK = (
    'missing="drop" leaves those records out, and missing="state" makes absence a state, if the '
    "network has it"
)
"""What can be done about them where a network says which states there are."""

DROP_ONLY = 'missing="drop" leaves those records out'
"""What can be done about them where nothing but complete records is of use."""


class MissingPolicy(Enum):
    """What to do about records that lack a value."""

    ERROR = "error"  # refuse the table
    DROP = "drop"  # leave those records out
    STATE = "state"  # the absence of a value is one more state of its column
    EM = "em"  # keep the gaps, and learn by structural EM

    @classmethod
    def of(cls, policy: "MissingPolicy | str") -> "MissingPolicy":
        """Return the policy of that name."""
        return choice_of(cls, policy, "missing")


def missing_message(
    names: Sequence[str],
    gaps: Sequence[int],
    incomplete: int,
    records: int,
    choices: str = CHOICES,
) -> str:
    """Return the message that says how many values each column lacks, and what can be done."""
    by_column = listed(
        [f"{name!r} {count}" for name, count in zip(names, gaps, strict=True) if count]
    )
    return (
        f"values are missing in {incomplete} of {records} records, by column: {by_column}. "
        f"Fill them in, or choose what to do about them: {choices}"
    )


def empty_message(name: str) -> str:
    """Return the message that says that a column has no value at all."""
    return (
        f"every cell of column {name!r} is missing; leave the column out, as it says nothing: "
        f"drop={[name]!r}"
    )


def refuse_em(policy: MissingPolicy) -> None:
    """Refuse to keep gaps where complete records are needed."""
    if policy is MissingPolicy.EM:
        raise SettingsError(
            'missing="em" is for learning and imputing; where complete records are needed, '
            'allowed: missing="error", missing="drop", missing="state"'
        )


def left_out_message(left_out: int, records: int) -> str:
    """Return the message that says how many records were left out."""
    what = "lacks a value and is" if left_out == 1 else "lack a value and are"
    return f"{left_out} of {records} records {what} left out"
