"""A variable: its name and its states."""

from collections.abc import Sequence
from dataclasses import dataclass

from noisyor.core.errors import DataError
from noisyor.core.variable_sets import MAX_NODES, MAX_VARIABLES

MAX_STATES = 64
"""The largest number of states of a variable in a table to learn from."""

MAX_NODE_STATES = 250
"""The largest number of states of a variable in a network: a state fits into a byte."""

BINARY = 2
"""The number of states of a binary variable: absent, then present."""

States = tuple[str, ...]
"""The labels of a variable's states. The first state of a binary variable means absent."""

ABSENT_PRESENT: States = ("0", "1")


@dataclass(frozen=True, slots=True)
class Variable:
    """A discrete variable.

    A code `s` in records and tables stands for `states[s]`.

    Parameters
    ----------
    name
        The name.
    states
        The labels of the states, at most 250, and in a table to learn from at most 64; by default
        0 (absent) and 1 (present).
    ordered
        Whether the states ascend, as in low, medium, high. Two states always do: absent, then
        present.
    """

    name: str
    states: States = ABSENT_PRESENT
    ordered: bool = False

    def __post_init__(self) -> None:
        """Refuse equal labels, and more labels than are supported."""
        object.__setattr__(self, "states", tuple(self.states))
        refuse_surrogates(self.name, "the name of a variable")
        if not self.states:
            raise DataError(f"{self.name!r} has no states; at least one is needed")
        if len(self.states) > MAX_NODE_STATES:
            raise DataError(
                f"{self.name!r} has {len(self.states)} states; at most {MAX_NODE_STATES} are "
                "supported"
            )
        for label in self.states:
            refuse_surrogates(label, f"a state of {self.name!r}")
        if len(set(self.states)) < len(self.states):
            twice = next(one for one in self.states if self.states.count(one) > 1)
            which = "both" if len(self.states) == BINARY else "two"
            raise DataError(
                f"{which} states of {self.name!r} are labelled {twice!r}; they must differ"
            )

    @property
    def state_count(self) -> int:
        """The number of states."""
        return len(self.states)

    @property
    def is_binary(self) -> bool:
        """Whether the variable has exactly two states."""
        return len(self.states) == BINARY

    @property
    def has_order(self) -> bool:
        """Whether the states are ordered: they were declared so, or there are at most two."""
        return self.ordered or len(self.states) <= BINARY


def variables_of(names: Sequence[str], states: Sequence[States] = ()) -> tuple[Variable, ...]:
    """Return variables with these names and states; by default the states are 0 and 1."""
    if states and len(states) != len(names):
        raise ValueError(f"{len(states)} lists of states for {len(names)} variables")
    labels = states or (ABSENT_PRESENT,) * len(names)
    return tuple(Variable(name, own) for name, own in zip(names, labels, strict=True))


def check_names(names: Sequence[str], most: int = MAX_VARIABLES) -> None:
    """Refuse an empty list, empty or repeated names, and too many columns.

    By default, no more are allowed than can be learned from.
    """
    _check_names(names, most, "table", "column")


def check_node_names(names: Sequence[str]) -> None:
    """Refuse an empty list, empty or repeated names, and more variables than a network may have."""
    _check_names(names, MAX_NODES, "network", "variable")


def _check_names(names: Sequence[str], most: int, whole: str, part: str) -> None:
    if not names:
        raise DataError(f"the {whole} has no {part}s; at least one is needed")
    if len(names) > most:
        raise DataError(f"the {whole} has {len(names)} {part}s; at most {most} are supported")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"{part} {position} has an empty name; every {part} needs one")
        refuse_surrogates(name, f"the name of {part} {position}")
        if name in seen:
            raise DataError(
                f"{part}s {seen[name]} and {position} are both named {name!r}; names must differ"
            )
        seen[name] = position


def refuse_surrogates(text: str, what: str) -> None:
    """Refuse lone surrogates, which cannot be encoded for a file or terminal."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{what} is {text!r}, with half of a surrogate pair, which is no character")
