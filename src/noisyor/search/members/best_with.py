"""The best known member with each family."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Places
from noisyor.search.families import Ticks


@dataclass(frozen=True, slots=True, eq=False)
class BestWith:
    """The ticks of the best known member with each family, filled in place.

    `known` (m,) marks the families that some known member has; `ticks` (m,) has a meaning there.
    """

    known: npt.NDArray[np.bool_]
    ticks: Ticks

    @classmethod
    def none(cls, families: int) -> "BestWith":
        """Return that no member is known."""
        return cls(np.zeros(families, dtype=np.bool_), np.zeros(families, dtype=np.int64))

    def put(self, places: Places, ticks: Ticks) -> None:
        """Enter members with the families at these places, instead of those known so far."""
        self.known[places] = True
        self.ticks[places] = ticks

    def lower(self, places: Places, other: "BestWith") -> None:
        """Enter another set's members where they are better; its families are at these places."""
        better = other.known & (~self.known[places] | (other.ticks < self.ticks[places]))
        self.put(places[better], other.ticks[better])

    def of(self, family: int) -> int:
        """Return the ticks of the best known member that has a family; ValueError if none is."""
        if not self.known[family]:
            raise ValueError(f"no known member has family {family}")
        return int(self.ticks[family])
