"""A network of full tables whose variables may have more than two states."""

from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.constraints import find_cycle
from noisyor.core.dataset import check_names
from noisyor.core.errors import DataError
from noisyor.core.provenance import Provenance
from noisyor.core.variable_sets import set_of

ROW_TOLERANCE = 1e-4
"""How far a row of probabilities may be from 1 in sum: files round to a few digits."""

_EXACT = 1e-12  # a sum as close to 1 as this is rounding; dividing by it would only add more


@dataclass(frozen=True, slots=True, eq=False)
class DiscreteNetwork:
    """What other programs call a discrete Bayesian network; `Network` is the binary kind.

    `parents[v]` are variables in the order of the axes of `tables[v]`, whose shape is the number
    of states of each parent, then of v itself: the last axis is a distribution.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[npt.NDArray[np.float64], ...]
    provenance: Provenance

    def __post_init__(self) -> None:
        """Refuse what is no network; make rows that were rounded sum to one."""
        for name in ("names", "states", "parents"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        check_names(self.names)
        if not len(self.names) == len(self.states) == len(self.parents) == len(self.tables):
            raise ValueError("one list of states, one of parents and one table per variable")
        for name, states in zip(self.names, self.states, strict=True):
            if not states or len(set(states)) != len(states):
                raise DataError(f"the states of {name!r} must be one or more different labels")
        known = range(len(self.names))
        if any(parent not in known for above in self.parents for parent in above):
            raise ValueError("a parent that is not the number of a variable")
        cycle = find_cycle([set_of(above) for above in self.parents])
        if cycle:
            path = " -> ".join(self.names[v] for v in (*cycle, cycle[0]))
            raise DataError(f"the edges form a directed cycle: {path}")
        tables = tuple(self._checked(v) for v in range(len(self.names)))
        object.__setattr__(self, "tables", tables)

    def cardinality(self, variable: int) -> int:
        """Return the number of states of a variable."""
        return len(self.states[variable])

    def _checked(self, variable: int) -> npt.NDArray[np.float64]:
        table = np.asarray(self.tables[variable], dtype=np.float64)
        above, name = self.parents[variable], self.names[variable]
        if len(set(above)) != len(above):
            raise DataError(f"{name!r} has the same parent twice")
        shape = tuple(self.cardinality(v) for v in (*above, variable))
        if table.shape != shape:
            raise DataError(
                f"the table of {name!r} has {table.size} entries in shape {table.shape}; its "
                f"parents need {prod(shape)} in shape {shape}"
            )
        if not ((table >= 0) & (table <= 1)).all():
            raise DataError(f"the table of {name!r} has an entry that is not between 0 and 1")
        sums = table.sum(axis=-1, keepdims=True)
        worst = float(np.abs(sums - 1).max())
        if worst > ROW_TOLERANCE:
            where = np.unravel_index(int(np.abs(sums - 1).argmax()), sums.shape)[:-1]
            row = ", ".join(
                f"{self.names[v]}={self.states[v][state]}"
                for v, state in zip(above, where, strict=True)
            )
            raise DataError(
                f"a row of the table of {name!r} sums to {float(sums[where][0]):g}"
                f"{f' (where {row})' if row else ''}; it must be 1, within {ROW_TOLERANCE:g}"
            )
        return read_only(normalised(table), np.float64)


def normalised(table: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a table whose last axis sums to one; what only rounding has changed is left alone."""
    sums = table.sum(axis=-1, keepdims=True)
    return table / sums if np.abs(sums - 1).max() > _EXACT else table
