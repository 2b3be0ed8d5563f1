"""What to do about records that lack a value."""

from collections.abc import Sequence
from enum import Enum

from noisyor.core.choices import choice_of
from noisyor.core.errors import SettingsError
from noisyor.core.listing import listed
from noisyor.data.advice import USUAL_ADVICE, Advice


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


Choices = tuple[MissingPolicy, ...]
"""The policies that are allowed besides an error."""

DROP_ONLY: Choices = (MissingPolicy.DROP,)
DROP_OR_STATE: Choices = (MissingPolicy.DROP, MissingPolicy.STATE)
DROP_OR_EM: Choices = (MissingPolicy.DROP, MissingPolicy.EM)
ALL_CHOICES: Choices = (MissingPolicy.DROP, MissingPolicy.STATE, MissingPolicy.EM)

_WHAT_IT_DOES = {
    MissingPolicy.DROP: "leaves those records out",
    MissingPolicy.STATE: "makes absence a state",
    MissingPolicy.EM: "learns with the gaps",
}


def missing_message(  # noqa: PLR0913  (what is missing, and what can be done)
    names: Sequence[str],
    gaps: Sequence[int],
    incomplete: int,
    records: int,
    choices: Choices,
    *,
    of_network: bool = False,
) -> str:
    """Return the message that says how many values each column lacks, and what can be done."""
    by_column = listed(
        [f"{name!r} {count}" for name, count in zip(names, gaps, strict=True) if count]
    )
    said = [f'missing="{one.value}" {_WHAT_IT_DOES[one]}' for one in choices]
    if of_network and MissingPolicy.STATE in choices:
        said[choices.index(MissingPolicy.STATE)] += ", if the network has it"
    chosen = f", or choose what to do about them: {_in_words(said)}" if said else ""
    return (
        f"values are missing in {incomplete} of {records} records, by column: {by_column}. "
        f"Fill them in{chosen}"
    )


def none_left_message(records: int, choices: Choices) -> str:
    """Return the message that says that no record is complete."""
    others = [f'missing="{one.value}"' for one in choices if one is not MissingPolicy.DROP]
    return (
        f"each of the {records} records lacks a value; none is left after "
        'missing="drop". Leave out the columns that lack most'
        + (f", or use {' or '.join(others)}" if others else "")
    )


def _in_words(said: Sequence[str]) -> str:
    """Return phrases as in "a, b, and c"."""
    return ", ".join(said[:-1]) + f", and {said[-1]}" if len(said) > 1 else said[0]


def empty_message(name: str, advice: Advice = USUAL_ADVICE) -> str:
    """Return the message that says that a column has no value at all."""
    return (
        f"every cell of column {name!r} is missing, so it says nothing; leave the column out"
        f"{advice.how_to_drop(name)}"
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
