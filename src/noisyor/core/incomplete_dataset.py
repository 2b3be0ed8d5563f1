"""Records in which some cells are missing."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import hand_over, read_only
from noisyor.core.dataset import Codes, Dataset, check_weights
from noisyor.core.errors import DataError
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut
from noisyor.core.listing import numbered
from noisyor.core.variable import Variable, check_names
from noisyor.core.variable_sets import MAX_NODES

GAP = 255
"""The code of a missing cell; those of states are below `MAX_NODE_STATES`."""

MISSING_STATE = "missing"
"""The name of the state that stands for the absence of a value."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class IncompleteDataset:
    """A table of records, some of which lack values: its distinct rows with their weights.

    `noisyor.read_incomplete` makes one from files and data frames. `learn(data, missing="em")`
    learns from it. To complete a table, give `impute` the file or frame.

    Parameters
    ----------
    variables
        The variables, one for each column.
    codes
        The state of each variable in each distinct row, by number, and GAP where it is missing;
        shape (distinct, n). Rows are put into order, and equal ones together.
    weights
        The number of records of each row; shape (distinct,).
    columns_left_out
        The columns of the source that are not in the table, unless the user dropped them.
    """

    variables: tuple[Variable, ...]
    codes: Codes
    weights: npt.NDArray[np.int64]
    columns_left_out: tuple[LeftOutColumn, ...] = ()
    _fingerprint: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check names and codes, and put the rows into order."""
        object.__setattr__(self, "variables", tuple(self.variables))
        check_names(self.names, MAX_NODES)
        codes, weights = np.asarray(self.codes), np.asarray(self.weights)
        if weights.ndim != 1 or codes.shape != (len(weights), len(self.variables)):
            raise ValueError(f"codes have shape {codes.shape} and weights {weights.shape}")
        if not len(weights):
            raise DataError("the table has no records; at least one is needed")
        for what, values in (("codes", codes), ("weights", weights)):
            if not np.issubdtype(values.dtype, np.integer):
                raise ValueError(f"{what} have the type {values.dtype}; allowed: whole numbers")
        for place, variable in enumerate(self.variables):
            column = codes[:, place]
            if ((column != GAP) & ((column < 0) | (column >= variable.state_count))).any():
                raise ValueError(
                    f"{variable.name!r} has a code beyond its states; allowed: 0 to "
                    f"{variable.state_count - 1}, and {GAP} for a gap"
                )
        check_weights(weights)
        rows, counts = merged_rows(codes.astype(np.uint8), weights)
        object.__setattr__(self, "codes", read_only(rows, np.uint8))
        object.__setattr__(self, "weights", read_only(counts, np.int64))

    @classmethod
    def of(cls, data: Dataset) -> "IncompleteDataset":
        """Return complete records as a table in which nothing is missing."""
        return cls(data.variables, data.codes, data.weights, data.columns_left_out)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def record_count(self) -> int:
        """The number of records, N."""
        return int(self.weights.sum())

    @property
    def gaps(self) -> Bools:
        """Where a cell is missing, shape (distinct, n)."""
        gaps: Bools = self.codes == GAP
        return gaps

    @property
    def incomplete(self) -> Bools:
        """Which rows lack a value."""
        return np.asarray(self.gaps.any(axis=1))

    @property
    def incomplete_count(self) -> int:
        """The number of records that lack a value."""
        return int(self.weights[self.incomplete].sum())

    @property
    def missing_cells(self) -> int:
        """The number of missing cells."""
        return int((self.gaps.sum(axis=1) * self.weights).sum())

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the variables that have one state wherever they are known."""
        known = [np.unique(column[column != GAP]) for column in self.codes.T]
        return tuple(
            name for name, states in zip(self.names, known, strict=True) if len(states) == 1
        )

    def without_constants(self, kept: Collection[str] = ()) -> "IncompleteDataset":
        """Return the table without the variables that never change, except those to keep.

        See `Dataset.without_constants`.
        """
        out = [name for name in self.constant_columns() if name not in kept]
        if not 0 < len(out) < len(self.variables):
            return self
        left = [place for place, name in enumerate(self.names) if name not in out]
        return IncompleteDataset(
            tuple(self.variables[place] for place in left),
            self.codes[:, left],
            self.weights,
            (
                *self.columns_left_out,
                *(LeftOutColumn(name, WhyLeftOut.CONSTANT) for name in out),
            ),
        )

    def state_counts(self, variable: int) -> npt.NDArray[np.int64]:
        """Return how many records are known to have each state of a variable, by its number."""
        known = self.codes[:, variable] != GAP
        counts = np.bincount(
            self.codes[known, variable],
            weights=self.weights[known],
            minlength=self.variables[variable].state_count,
        )
        return counts.astype(np.int64)  # exact: the sum of all weights is at most 2**53

    def gaps_by_column(self) -> tuple[int, ...]:
        """Return how many records lack each variable."""
        return tuple((self.weights @ self.gaps).tolist())

    def complete_records(self) -> Dataset:
        """Return the records that lack nothing; their number left out is `Dataset.left_out`."""
        kept = ~self.incomplete
        if not kept.any():
            apart = self.never_together()
            pair = f": no record has both {apart[0][0]!r} and {apart[0][1]!r}" if apart else ""
            raise DataError(
                f"each of the {self.record_count} records lacks a value; none is left after "
                f'missing="drop"{pair}. Leave out the columns that lack most, or use '
                'missing="state" or missing="em"'
            )
        left_out = self.incomplete_count
        return Dataset(
            self.variables,
            self.codes[kept],
            self.weights[kept],
            left_out=left_out,
            columns_left_out=self.columns_left_out,
        )

    def with_missing_state(self, *, shared: bool = False) -> Dataset:
        """Return the table with one more state, `missing`, of each variable that lacks values.

        A variable that has a state of this name gets another, unless it is to be `shared`: the
        states of a network may come from such a table.

        The new state comes last, and such a variable has no order: the absence of a value is
        neither more nor less than the others. So its own relation is a full table, but its states
        may still act on others.
        """
        variables = []
        codes = self.codes.copy()
        for place, (variable, gaps) in enumerate(
            zip(self.variables, self.gaps_by_column(), strict=True)
        ):
            if not gaps:
                variables.append(variable)
                continue
            if shared and MISSING_STATE in variable.states:
                codes[codes[:, place] == GAP, place] = variable.states.index(MISSING_STATE)
                variables.append(variable)
                continue
            label = _unused(variable.states)
            variables.append(Variable(variable.name, (*variable.states, label)))
            codes[codes[:, place] == GAP, place] = variable.state_count
        rows, weights = merged_rows(codes, self.weights)
        return Dataset(tuple(variables), rows, weights, columns_left_out=self.columns_left_out)

    def never_together(self) -> list[tuple[str, str]]:
        """Return the pairs of variables that no record has both of."""
        there = (~self.gaps).astype(np.float32)
        together = there.T @ there
        pairs = np.argwhere(np.triu(together == 0, 1)).tolist()
        return [(self.names[one], self.names[other]) for one, other in pairs]

    def fingerprint(self) -> str:
        """Return a digest of the content: names, states, rows and weights."""
        if not self._fingerprint:
            digest = hashlib.sha256(b"incomplete")
            for variable in self.variables:
                for text in (variable.name, *variable.states):
                    encoded = text.encode()
                    digest.update(len(encoded).to_bytes(8, "little") + encoded)
                digest.update(bytes([variable.state_count, variable.ordered]))
            digest.update(np.ascontiguousarray(self.codes).tobytes())
            digest.update(self.weights.astype("<i8").tobytes())
            self._fingerprint.append(digest.hexdigest())
        return self._fingerprint[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IncompleteDataset):
            return NotImplemented
        return self.fingerprint() == other.fingerprint()

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return (
            f"IncompleteDataset({numbered(len(self.variables), 'variable')}, "
            f"{numbered(self.record_count, 'record')}, "
            f"{numbered(self.missing_cells, 'missing cell')})"
        )


def merged_rows(
    codes: Codes, weights: npt.NDArray[np.int64]
) -> tuple[Codes, npt.NDArray[np.int64]]:
    """Return the distinct rows in the order of a `Dataset`, and their weights."""
    order = np.lexsort(codes.T)  # the last variable leads
    ordered = codes[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    totals = np.add.reduceat(weights[order].astype(np.int64), np.flatnonzero(first))
    return hand_over(np.ascontiguousarray(ordered[first])), hand_over(totals)


def absence_of(variable: Variable) -> str | None:
    """Return the state that may stand for the absence of a value, from `with_missing_state`."""
    last = variable.states[-1]
    return last if last.strip("()") == MISSING_STATE else None


def _unused(states: tuple[str, ...]) -> str:
    """Return a name for the state of missing values that no other state has."""
    label = MISSING_STATE
    while label in states:
        label = f"({label})"
    return label
