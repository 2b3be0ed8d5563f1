"""The full table: a separate distribution for each configuration of the parents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.configurations import configuration_count, configuration_index
from noisyor.core.relations.base import (
    Columns,
    Distribution,
    Floats,
    ParameterForm,
    Relation,
    check_probabilities,
)
from noisyor.core.variable import BINARY, Variable

_ROUNDING = 1e-9  # how far the sum of a row may be from 1; file readers normalise first


@dataclass(frozen=True, slots=True)
class FullTable(Relation):
    """Conditional probabilities without any assumption: defined for all children and parents."""

    @property
    def needs_parents(self) -> bool:
        """A node without parents has a table of one row."""
        return False

    @property
    def closed_form(self) -> bool:
        """The relative frequencies maximise the likelihood."""
        return True

    def supports(self, child: Variable, parents: Sequence[Variable]) -> bool:  # noqa: ARG002
        """Return True."""
        return True

    def parameter_form(self, child_states: int) -> ParameterForm:
        """Return (r - 1) parameters for each configuration of the parents."""
        return ParameterForm(per_configuration=child_states - 1)

    def distribution(
        self, parameters: npt.ArrayLike, child_states: int, parent_states: Sequence[int]
    ) -> "Cpt":
        """Return the table with these rows, one after another; none is marked as unseen."""
        chances = np.asarray(parameters, dtype=np.float64).reshape(-1, child_states)
        return Cpt(chances, np.zeros(len(chances), dtype=np.bool_), tuple(parent_states))


CPT = FullTable("cpt", 0)


@dataclass(frozen=True, slots=True, eq=False)
class Cpt(Distribution):
    """A full table: the chance of each of the child's states, per configuration of the parents.

    Parameters
    ----------
    table
        The chances, shape (configurations, states of the child). Rows are numbered in mixed radix,
        the first parent fastest (see `core.configurations`).
    unseen
        Whether no record has the configuration, shape (configurations,).
    sizes
        The number of states of each parent, ascending.
    """

    table: Floats
    unseen: npt.NDArray[np.bool_]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the shape and the probabilities once."""
        object.__setattr__(self, "table", read_only(self.table, np.float64))
        object.__setattr__(self, "unseen", read_only(self.unseen, np.bool_))
        object.__setattr__(self, "sizes", tuple(self.sizes))
        rows = configuration_count(self.sizes)
        if self.table.ndim != 2 or len(self.table) != rows or not self.table.shape[1]:  # noqa: PLR2004
            raise ValueError(
                f"a table of shape {self.table.shape}; parents with {self.sizes} states need "
                f"{rows} rows"
            )
        if self.unseen.shape != (rows,):
            raise ValueError("one mark for each configuration")
        check_probabilities(self.table)
        if np.abs(self.table.sum(axis=1) - 1).max() > _ROUNDING:
            raise ValueError("the chances of a row sum to 1")

    @classmethod
    def binary(cls, present: npt.ArrayLike, unseen: npt.ArrayLike | None = None) -> "Cpt":
        """Return the table of a binary child with binary parents, from its chances of presence.

        Parameters
        ----------
        present
            The chance of presence for each of the 2**k configurations of k parents: bit t of the
            index is the t-th parent.
        unseen
            Whether no record has the configuration; False by default.
        """
        chances = np.asarray(present, dtype=np.float64)
        size = chances.size
        if chances.ndim != 1 or size & (size - 1) or not size:
            raise ValueError(f"a table of {size} configurations; it must be a power of two")
        check_probabilities(chances)
        marks = np.zeros(size) if unseen is None else np.asarray(unseen)
        table = np.stack([1 - chances, chances], axis=1)
        return cls(table, marks.astype(np.bool_), (BINARY,) * (size.bit_length() - 1))

    @classmethod
    def from_axes(cls, axes: npt.ArrayLike, unseen: npt.ArrayLike | None = None) -> "Cpt":
        """Return a table from an array with one axis per variable.

        Parameters
        ----------
        axes
            The chances, with an axis for each parent, ascending, and a last one for the child.
        unseen
            Whether no record has the configuration, with an axis for each parent; False by default.
        """
        values = np.asarray(axes, dtype=np.float64)
        sizes = values.shape[:-1]
        first_fastest = (*reversed(range(len(sizes))), len(sizes))
        rows = values.transpose(first_fastest).reshape(-1, values.shape[-1])
        marks = np.zeros(sizes, dtype=np.bool_) if unseen is None else np.asarray(unseen)
        return cls(rows, marks.transpose(first_fastest[:-1]).reshape(-1), sizes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cpt):
            return NotImplemented
        return (
            self.sizes == other.sizes
            and np.array_equal(self.table, other.table)
            and np.array_equal(self.unseen, other.unseen)
        )

    def __hash__(self) -> int:
        return hash((self.sizes, self.table.tobytes(), self.unseen.tobytes()))

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return CPT

    @property
    def child_states(self) -> int:
        """The number of states of the child."""
        return int(self.table.shape[1])

    @property
    def parent_states(self) -> tuple[int, ...]:
        """The number of states of each parent, ascending."""
        return self.sizes

    @property
    def present(self) -> Floats:
        """The chance that a binary child is present, per configuration."""
        if self.child_states != BINARY:
            raise ValueError(f"a child of {self.child_states} states is not present or absent")
        return self.table[:, 1]

    def axes(self) -> Floats:
        """Return the table with an axis for each parent, ascending, and one for the child."""
        shape = (*reversed(self.sizes), self.child_states)
        order = (*reversed(range(len(self.sizes))), len(self.sizes))
        return self.table.reshape(shape).transpose(order)

    def parameters(self) -> Floats:
        """Return the rows one after another."""
        return self.table.reshape(-1)

    def expand(self) -> "Cpt":
        """Return the table itself."""
        return self

    def chances(self, parents: Columns, records: int) -> Floats:
        """Return the chance of each of the child's states in each record, by table lookup."""
        return self.table.T[:, configuration_index(parents, self.sizes, records)]

    def log_chances(self, parents: Columns, records: int) -> Floats:
        """Return the logarithms of `chances`.

        The logarithm of a chance close to 1 is most accurate from the small chances of the others.
        """
        table = self.table.T
        with np.errstate(divide="ignore"):  # the logarithm of zero is -inf, as intended
            logs = np.log(table)
            likely = table > 1 / 2
            others = np.where(likely, table.sum(axis=0) - table, 0)
            if len(table) == BINARY:
                others = np.where(likely, table[::-1], 0)
            logs[likely] = np.log1p(-others[likely])
        return np.asarray(logs[:, configuration_index(parents, self.sizes, records)])


def full_table(axes: npt.ArrayLike, unseen: npt.ArrayLike | None = None) -> Cpt:
    """Return a table from an array with an axis for each parent, ascending, and the child's.

    `unseen`, with an axis for each parent, marks the configurations that no record has.
    """
    return Cpt.from_axes(axes, unseen)


def binary_table(present: npt.ArrayLike, unseen: npt.ArrayLike | None = None) -> Cpt:
    """Return the table of a binary child with binary parents, from its chances of presence.

    Bit t of an index into `present` and `unseen` is the t-th parent, ascending.
    """
    return Cpt.binary(present, unseen)
