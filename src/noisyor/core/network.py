"""A Bayesian network: a structure with parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from math import isfinite, prod

import numpy as np
import numpy.typing as npt

from noisyor.core.appearance import UNADORNED, Appearance
from noisyor.core.errors import DataError, NetworkError
from noisyor.core.family import Family
from noisyor.core.listing import expected_names
from noisyor.core.number_states import in_state, state_of
from noisyor.core.provenance import Provenance
from noisyor.core.relations import Cpt, Distribution
from noisyor.core.structure import Structure
from noisyor.core.variable import States, Variable, check_node_names
from noisyor.core.variable_sets import set_of

ROW_TOLERANCE = 1e-4
"""How far the sum of a row of probabilities may be from 1: files round to a few digits."""

_EXACT = 1e-12  # a difference from 1 due to rounding; dividing by the sum would only add to it

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A Bayesian network: a structure with a distribution at each node.

    Parameters
    ----------
    structure
        The graph, with a relation at each node.
    variables
        The variables, in the structure's order.
    distributions
        The distribution of each variable given its parents.
    cost
        The cost on the data it was fitted to, in nats; None if unknown.
    provenance
        How the network was made.
    appearance
        What the file that it was read from says beyond the distribution. Equal networks may differ
        in it, and `dataclasses.replace` keeps it.
    """

    structure: Structure
    variables: tuple[Variable, ...]
    distributions: tuple[Distribution, ...]
    cost: float | None
    provenance: Provenance
    appearance: Appearance = UNADORNED

    def __post_init__(self) -> None:
        """Check that each node's distribution is that of its family."""
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "distributions", tuple(self.distributions))
        check_node_names(self.structure.names)
        if not len(self.variables) == len(self.distributions) == len(self.structure.names):
            raise ValueError("one variable and one distribution per node")
        if tuple(variable.name for variable in self.variables) != self.structure.names:
            raise ValueError("the variables have other names than the structure's nodes")
        if self.cost is not None and not isfinite(self.cost):
            raise ValueError(f"the cost is {self.cost}; it must be a number, or None")
        sizes = [variable.state_count for variable in self.variables]
        for family, distribution in zip(self.structure.families, self.distributions, strict=True):
            parent_states = tuple(sizes[parent] for parent in family.parent_indices())
            if (distribution.child_states, distribution.parent_states, distribution.relation) != (
                sizes[family.child],
                parent_states,
                family.relation,
            ):
                raise ValueError(f"the distribution of variable {family.child} is not its family's")

    def _repr_html_(self) -> str:
        """Return a picture and a table for notebooks."""
        # Loaded by name, when it is shown: core does not depend on the part that draws.
        html: str = import_module("noisyor.reporting.notebook").network_html(self)
        return html

    @classmethod
    def from_tables(
        cls,
        variables: Sequence[Variable],
        parents: Sequence[Sequence[int]],
        tables: Sequence[npt.ArrayLike],
        provenance: Provenance,
    ) -> "Network":
        """Return a network of full tables, whose parents may be in any order.

        Rows that sum to 1 only up to rounding are normalised.

        Parameters
        ----------
        variables
            The variables.
        parents
            For each variable the numbers of its parents, in the order of the axes of its table.
        tables
            For each variable an array with an axis for each parent and a last one for the variable
            itself, along which its probabilities sum to 1.
        provenance
            How the network was made.

        Raises
        ------
        DataError
            The edges form a cycle, or a table does not fit its family.
        """
        names = tuple(variable.name for variable in variables)
        check_node_names(names)
        if not len(variables) == len(parents) == len(tables):
            raise ValueError("one list of parents and one table per variable")
        known = range(len(names))
        if any(parent not in known for above in parents for parent in above):
            raise ValueError("a parent that is not the number of a variable")
        for child, (name, above) in enumerate(zip(names, parents, strict=True)):
            if len(set(above)) != len(above):
                raise DataError(f"{name!r} has the same parent twice")
            if child in above:
                raise DataError(f"the edges form a directed cycle: {name} -> {name}")
        families = [Family(child, set_of(above)) for child, above in enumerate(parents)]
        structure = Structure(names, tuple(families))
        distributions = []
        for child, above in enumerate(parents):
            table = _checked_table(variables, child, above, np.asarray(tables[child], np.float64))
            ascending = sorted(range(len(above)), key=list(above).__getitem__)
            distributions.append(Cpt.from_axes(table.transpose((*ascending, len(above)))))
        return cls(structure, tuple(variables), tuple(distributions), None, provenance)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[object, ...]:
        return (self.structure, self.variables, self.distributions, self.cost, self.provenance)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.structure.names

    @property
    def states(self) -> tuple[States, ...]:
        """The labels of each variable's states."""
        return tuple(variable.states for variable in self.variables)

    @property
    def is_binary(self) -> bool:
        """Whether every variable has two states."""
        return all(variable.is_binary for variable in self.variables)

    def index(self, name: str) -> int:
        """Return the number of the variable with this name."""
        if name not in self.names:
            titled = [one for one in self.names if self.appearance.of(one).title == name]
            if titled:
                raise NetworkError(
                    f"there is no variable {name!r}; it is the title of {' and '.join(titled)}: "
                    "variables have the identifiers of the file"
                )
            raise NetworkError(
                f"there is no variable {name!r}; {expected_names(name, self.names, 'the network')}"
            )
        return self.names.index(name)

    def state_index(self, name: str, state: str | bool | float) -> int:
        """Return the number of a state of a variable.

        Parameters
        ----------
        name
            The name of the variable.
        state
            The label of the state; for a binary variable also True (present) or False (absent). A
            number, also as text, stands for the state of that value, or the bin that holds it.
        """
        variable = self.variables[self.index(name)]
        found = state_of(variable.states, state)
        if found is not None:
            return found
        listed = (
            f"{variable.states[1]} (present), {variable.states[0]} (absent)"
            if variable.is_binary
            else ", ".join(variable.states)
        )
        raise NetworkError(f"{name!r} has no state {state!r}; it has: {listed}")


def normalised(table: Floats) -> Floats:
    """Return a table whose last axis sums to 1; one that does so up to rounding is unchanged."""
    sums = table.sum(axis=-1, keepdims=True)
    return table / sums if np.abs(sums - 1).max() > _EXACT else table


def _checked_table(
    variables: Sequence[Variable], child: int, above: Sequence[int], table: Floats
) -> Floats:
    """Return the table with rows that sum to 1; refuse a table that does not fit the family."""
    name = variables[child].name
    shape = tuple(variables[v].state_count for v in (*above, child))
    if table.shape != shape:
        raise DataError(
            f"the table of {name!r} has {table.size} entries in shape {table.shape}; its "
            f"parents need {prod(shape)} in shape {shape}"
        )
    if not ((table >= 0) & (table <= 1)).all():
        raise DataError(f"the table of {name!r} has an entry that is not between 0 and 1")
    sums = table.sum(axis=-1)
    if float(np.abs(sums - 1).max()) > ROW_TOLERANCE:
        where = np.unravel_index(int(np.abs(sums - 1).argmax()), sums.shape)
        row = ", ".join(
            in_state(variables[v].name, variables[v].states[state])
            for v, state in zip(above, where, strict=True)
        )
        raise DataError(
            f"a row of the table of {name!r} sums to {float(sums[where]):g}"
            f"{f' (where {row})' if row else ''}; it must be 1, within {ROW_TOLERANCE:g}"
        )
    return normalised(table)
