"""What the user says about the columns of a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from noisyor.core.errors import DataError, SettingsError
from noisyor.data.values import text_of


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says about the states of columns, by name.

    Parameters
    ----------
    present
        The value that means present, of a two-valued column.
    order
        All states of a column in their order.
    """

    present: Mapping[str, str] = field(default_factory=dict)
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        present: Mapping[str, str] | None,
        order: Mapping[str, Sequence[str]] | None,
    ) -> "Wishes":
        """Return what was said, if anything; values of other types are taken as text."""
        for name, states in (order or {}).items():
            if isinstance(states, str):
                raise SettingsError(
                    f"the order of column {name!r} is the text {states!r}; it must be a list of "
                    "states"
                )
        return cls(
            {name: text_of(value) for name, value in (present or {}).items()},
            {name: tuple(map(text_of, states)) for name, states in (order or {}).items()},
        )

    def check(self, names: Sequence[str]) -> None:
        """Refuse columns that the table does not have."""
        for option, wished in (("--present", self.present), ("--order", self.order)):
            for name in wished:
                if name not in names:
                    raise DataError(
                        f"{option} names the column {name!r}, which the table does not have; it "
                        f"has: {', '.join(names)}"
                    )
