"""What the user says about the columns of a table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from noisyor.core.errors import DataError, SettingsError
from noisyor.core.listing import expected_names
from noisyor.core.network import Network
from noisyor.core.variable import BINARY, MAX_NODE_STATES, MAX_STATES
from noisyor.core.variable_sets import MAX_NODES, MAX_VARIABLES
from noisyor.data.advice import USUAL_ADVICE, Advice
from noisyor.data.missing import DROP_OR_STATE, Choices
from noisyor.data.values import key_of, text_of

EVERY_COLUMN = "*"
"""In place of a column's name: every column that has the value."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says about columns, by name.

    Parameters
    ----------
    present
        The value that means present, of a two-valued column; of `*`, that of every column that
        has this value and is not named itself.
    order
        All states of a column in their order.
    drop
        Columns that are left out.
    of_network
        Whether `order` has the states of a network's variables. One that never occurs, even all but
        one, is then nothing to warn of, and there may be as many columns and states as in networks.
    states
        The states of columns in their order, for those that the table has.
    row_names
        Whether a first column that holds row names is left out (see `row_names`).
    gap_choices
        What the user may choose to do about missing values, for messages.
    rarer
        Whether the rarer of two texts means present where nothing says which one does, or else the
        later one in the alphabet. Of equally frequent ones, it is always the later one.
    advice
        What the user can do about a column, for messages.
    """

    present: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    of_network: bool = False
    row_names: bool = True
    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    gap_choices: Choices = DROP_OR_STATE
    rarer: bool = True
    advice: Advice = USUAL_ADVICE

    @classmethod
    def of(
        cls,
        present: Mapping[str, str] | None,
        order: Mapping[str, Sequence[str]] | Network | None,
        drop: Sequence[str] | None = None,
    ) -> "Wishes":
        """Return what was said, if anything; values of other types are taken as text."""
        if isinstance(drop, str):
            raise SettingsError(f"drop is the text {drop!r}; it must be a list of columns")
        of_network: dict[str, tuple[str, ...]] = {}
        if isinstance(order, Network):
            of_network, order = {one.name: one.states for one in order.variables}, None
        for name, states in (order or {}).items():
            if isinstance(states, str):
                raise SettingsError(
                    f"the order of column {name!r} is the text {states!r}; it must be a list of "
                    "states"
                )
        return cls(
            {name: text_of(value) for name, value in (present or {}).items()},
            {name: tuple(map(text_of, states)) for name, states in (order or {}).items()},
            () if drop is None else tuple(map(str, drop)),
            states=of_network,
        )

    @property
    def spoken_of(self) -> frozenset[str]:
        """The columns of which the user says what they hold."""
        return frozenset({*self.present, *self.order, *self.states})

    @property
    def most_columns(self) -> int:
        """The most columns that the table may have, without those that are left out."""
        return MAX_NODES if self.of_network else MAX_VARIABLES

    @property
    def most_states(self) -> int:
        """The most states that a column may have."""
        return MAX_NODE_STATES if self.of_network else MAX_STATES

    def present_of(self, name: str, keys: Collection[str]) -> str | None:
        """Return the value of a column that means present; None if it is not said."""
        if name in self.present:
            return self.present[name]
        for_all = self.present.get(EVERY_COLUMN)
        if for_all is None or name in self.order or len(keys) > BINARY:
            return None
        return for_all if key_of(for_all) in keys else None

    def order_of(self, name: str) -> Sequence[str] | None:
        """Return all states of a column in their order; None if they are not given."""
        if name in self.order or name in self.present:
            return self.order.get(name)
        return self.states.get(name)

    def check(self, names: Sequence[str]) -> None:
        """Refuse states of columns that the table does not have."""
        for option, wished in (("present", self.present), ("order", self.order)):
            for name in wished:
                if name != EVERY_COLUMN or option == "order":
                    _check_column(name, names, option)


NO_WISHES = Wishes()
"""Nothing is said about any column."""


def kept_places(names: Sequence[str], drop: Collection[str]) -> list[int]:
    """Return the places of the columns that are not left out."""
    for name in drop:
        _check_column(name, names, "drop")
    places = [place for place, name in enumerate(names) if name not in drop]
    if drop and not places:
        raise DataError("every column is left out; at least one is needed")
    return places


def _check_column(name: str, names: Sequence[str], option: str) -> None:
    if name not in names:
        raise DataError(
            f"{option} names the column {name!r}, which the table does not have; "
            f"{expected_names(name, names, 'it')}"
        )
