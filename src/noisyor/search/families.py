"""The families that the search chooses from, with costs as integers.

Costs are rounded once, each family's excess over its child's cheapest to a multiple of the `tick`.
From there on every sum and comparison is exact, so proofs do not depend on the order of additions,
nor results on the number of threads. The rounding changes a network's cost by at most about half a
tick per variable, which `preparation` compares with the tolerance of costs.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import Words

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Families:
    """Families in columns, ascending by child, then ticks.

    Shapes, with n variables and m families: first (n + 1,), where a child's families begin;
    parents (m, words); ticks (m,), at least 0; rows (m,), each family's row in the score table.
    """

    first: npt.NDArray[np.int64]
    parents: Words
    ticks: Ticks
    rows: npt.NDArray[np.int64]

    @property
    def variable_count(self) -> int:
        """The number of variables."""
        return len(self.first) - 1

    def __len__(self) -> int:
        return len(self.ticks)

    def children(self) -> npt.NDArray[np.int32]:
        """Return the child of each family."""
        return np.repeat(np.arange(self.variable_count, dtype=np.int32), np.diff(self.first))

    def select(self, kept: npt.NDArray[np.bool_]) -> "Families":
        """Return the families marked in a mask."""
        return self.at(np.flatnonzero(kept))

    def at(self, places: npt.NDArray[np.int64]) -> "Families":
        """Return the families at these ascending positions."""
        return Families(
            first=np.searchsorted(places, self.first),
            parents=self.parents[places],
            ticks=self.ticks[places],
            rows=self.rows[places],
        )
