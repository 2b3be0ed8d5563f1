"""Records of discrete variables, each distinct one once."""

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import hand_over, read_only
from noisyor.core.errors import DataError
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut
from noisyor.core.listing import expected_names, numbered
from noisyor.core.variable import States, Variable, check_names, variables_of
from noisyor.core.variable_sets import (
    MAX_NODES,
    MAX_VARIABLES,
    WORD_BITS,
    Words,
    word_count,
)

Codes = npt.NDArray[np.uint8]

_LARGEST_COUNT = 2**53  # sums of weights are exact as doubles up to here


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Dataset:
    """A table of records: its distinct rows with their weights.

    `noisyor.read` makes one from files and data frames. Rows ascend, the last variable leading, so
    equal tables are equal values whatever the order of their records. It may have as many variables
    and states as a network; learning takes at most 1,024 variables, of at most 64 states.

    Parameters
    ----------
    variables
        The variables, one for each column.
    codes
        The state of each variable in each distinct row, by number; shape (distinct, n).
    weights
        The number of records of each distinct row; shape (distinct,).
    copies
        How many rows stand for one record. Where cells are missing, a record is there as several
        completions, each of which counts as a part of a record: a weight of 1 is then the share
        1/copies. Costs and likelihoods are always those of `record_count` records.
    left_out
        How many records of the source are not in the table because they lacked a value.
    columns_left_out
        The columns of the source that are not in the table, unless the user dropped them.
    """

    variables: tuple[Variable, ...]
    codes: Codes
    weights: npt.NDArray[np.int64]
    copies: int = 1
    left_out: int = 0
    columns_left_out: tuple[LeftOutColumn, ...] = ()
    _bits: list[Words] = field(default_factory=list, init=False, repr=False)
    _fingerprint: list[str] = field(default_factory=list, init=False, repr=False)
    _record_count: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check names, shapes, codes, order and weights once; everything downstream trusts them."""
        object.__setattr__(self, "variables", tuple(self.variables))
        object.__setattr__(self, "codes", read_only(self.codes, np.uint8))
        object.__setattr__(self, "weights", read_only(self.weights, np.int64))
        check_names(self.names, MAX_NODES)
        self._check_codes()
        self._check_weights()

    @classmethod
    def from_bits(
        cls,
        names: Sequence[str],
        rows: Words,
        weights: npt.NDArray[np.int64],
        states: Sequence[States] = (),
    ) -> "Dataset":
        """Return binary records from bit-packed rows.

        Parameters
        ----------
        names
            The names of the variables.
        rows
            The distinct rows, shape (distinct, words): bit v of a row is variable v, and 1 means
            present (see `variable_sets`).
        weights
            The number of records of each distinct row; shape (distinct,).
        states
            The labels of each variable's two states, absent first; 0 and 1 by default.
        """
        check_names(names)
        rows = read_only(rows, np.uint64)
        words = word_count(len(names))
        if rows.ndim != 2 or rows.shape[1] != words:  # noqa: PLR2004
            raise ValueError(f"rows have shape {rows.shape}; {len(names)} variables need {words}")
        union = np.bitwise_or.reduce(rows, axis=0, initial=0)
        if int.from_bytes(union.astype("<u8").tobytes(), "little") >> len(names):
            raise ValueError(f"a row has a bit beyond the {len(names)} variables")
        bytes_ = rows.astype("<u8").view(np.uint8)
        codes = np.unpackbits(bytes_, axis=1, count=len(names), bitorder="little")
        return cls(variables_of(names, states), hand_over(codes), weights)

    def _check_codes(self) -> None:
        if self.weights.ndim != 1 or self.codes.shape != (len(self.weights), len(self.names)):
            raise ValueError(
                f"codes have shape {self.codes.shape} and weights {self.weights.shape}; "
                f"{len(self.names)} variables need ({len(self.weights)}, {len(self.names)})"
            )
        if not len(self.weights):
            raise DataError("the table has no records; at least one is needed")
        largest = self.codes.max(axis=0).tolist()
        for variable, code in zip(self.variables, largest, strict=True):
            if code >= variable.state_count:
                raise ValueError(
                    f"{variable.name!r} has the code {code}, but only {variable.state_count} states"
                )
        if not _strictly_ascending(self.bits if self._has_bits else self.codes):
            raise ValueError("rows must be distinct and ascend, the last variable leading")

    def _check_weights(self) -> None:
        check_weights(self.weights)
        rows = int(self.weights.sum())
        if self.copies < 1 or rows % self.copies:
            raise ValueError(f"{rows} rows are not {self.copies} copies of some records")
        # It is asked for each family; a sum over a million distinct rows each time takes seconds.
        object.__setattr__(self, "_record_count", rows // self.copies)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def states(self) -> tuple[States, ...]:
        """The labels of each variable's states."""
        return tuple(variable.states for variable in self.variables)

    @property
    def variable_count(self) -> int:
        """The number of variables, n."""
        return len(self.variables)

    @property
    def record_count(self) -> int:
        """The number of records, N."""
        return self._record_count

    @property
    def is_binary(self) -> bool:
        """Whether every variable has two states, so that `bits` is available."""
        return all(variable.is_binary for variable in self.variables)

    @property
    def _has_bits(self) -> bool:
        return self.is_binary and self.variable_count <= MAX_VARIABLES

    @property
    def bits(self) -> Words:
        """The records bit-packed, shape (distinct, words); only if all variables are binary.

        Bit v of a row is variable v. Rows ascend as numbers, the last word leading.
        """
        if not self._bits:
            self._check_binary()
            words = word_count(self.variable_count)
            packed = np.zeros((len(self.codes), words * WORD_BITS // 8), dtype=np.uint8)
            own = np.packbits(self.codes, axis=1, bitorder="little")
            packed[:, : own.shape[1]] = own
            self._bits.append(hand_over(packed.view("<u8").astype(np.uint64, copy=False)))
        return self._bits[0]

    def _check_binary(self) -> None:
        for variable in self.variables:
            if not variable.is_binary:
                raise DataError(
                    f"{variable.name!r} has {variable.state_count} states "
                    f"({', '.join(variable.states)}); only binary variables are supported here"
                )

    def column(self, variable: int) -> Codes:
        """Return the codes of a variable, given by its number, over the distinct rows."""
        return self.codes[:, variable]

    def present(self, variable: int) -> npt.NDArray[np.bool_]:
        """Return, for each distinct row, whether a binary variable, given by number, is present."""
        column: npt.NDArray[np.bool_] = self.codes[:, variable] == 1
        return column

    def state_counts(self, variable: int) -> npt.NDArray[np.int64]:
        """Return how many rows have each state of a variable, given by its number.

        Rows are records, unless there are `copies`.
        """
        size = self.variables[variable].state_count
        counts = np.bincount(self.codes[:, variable], weights=self.weights, minlength=size)
        return counts.astype(np.int64)  # exact: the sum of all weights is at most 2**53

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the variables that have the same state in all records."""
        is_constant = self.codes.min(axis=0) == self.codes.max(axis=0)
        return tuple(name for name, own in zip(self.names, is_constant, strict=True) if own)

    def without_constants(self, kept: Collection[str] = ()) -> "Dataset":
        """Return the table without the variables that never change, except those to keep.

        They say nothing about the others. If no variable changes, all are kept.
        """
        out = [name for name in self.constant_columns() if name not in kept]
        if not 0 < len(out) < self.variable_count:
            return self
        left = [place for place, name in enumerate(self.names) if name not in out]
        # Without columns that never change, rows stay distinct and in their order.
        return replace(
            self,
            variables=tuple(self.variables[place] for place in left),
            codes=hand_over(np.ascontiguousarray(self.codes[:, left])),
            columns_left_out=(
                *self.columns_left_out,
                *(LeftOutColumn(name, WhyLeftOut.CONSTANT) for name in out),
            ),
        )

    def even_sample(self, size: int) -> "Dataset":
        """Return about `size` rows, evenly spaced in the order of the distinct rows.

        It is the same whatever the order of the records in their source.
        """
        reached = np.cumsum(self.weights.astype(np.float64)) * (size / float(self.weights.sum()))
        taken = np.diff(np.floor(reached), prepend=0.0).astype(np.int64)
        kept = np.flatnonzero(taken)
        return Dataset(self.variables, hand_over(self.codes[kept]), hand_over(taken[kept]))

    def without_order(self) -> tuple[str, ...]:
        """Return the names of the variables that have more than two states in no order."""
        return tuple(variable.name for variable in self.variables if not variable.has_order)

    def index(self, name: str) -> int:
        """Return the number of the variable with this name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(
                f"there is no variable {name!r}; {expected_names(name, self.names, 'the table')}"
            ) from None

    def fingerprint(self) -> str:
        """Return a digest of the content: names, states, rows and weights."""
        if not self._fingerprint:
            digest = hashlib.sha256()
            for text in (*self.names, *(label for own in self.states for label in own)):
                encoded = text.encode()
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
            if self._has_bits:
                digest.update(self.bits.astype("<u8").tobytes())
            else:
                for variable in self.variables:
                    digest.update(bytes([variable.state_count, variable.ordered]))
                digest.update(self.codes.tobytes())
            digest.update(self.weights.astype("<i8").tobytes())
            if self.copies > 1:
                digest.update(self.copies.to_bytes(8, "little"))
            self._fingerprint.append(digest.hexdigest())
        return self._fingerprint[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return self.fingerprint() == other.fingerprint()

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return (
            f"Dataset({numbered(self.variable_count, 'variable')}, "
            f"{numbered(self.record_count, 'record')}, "
            f"{len(self.weights)} distinct)"
        )


def check_weights(weights: npt.NDArray[np.int64]) -> None:
    """Refuse weights that cannot be numbers of records."""
    total = weights.sum(dtype=np.float64)  # integers would wrap around
    if weights.min() < 1 or total > _LARGEST_COUNT or int(weights.sum()) > _LARGEST_COUNT:
        raise DataError(
            f"weights count records: each at least 1, together at most 2**53; got a smallest "
            f"of {weights.min()} and a sum of {total:.0f}"
        )


def _strictly_ascending(rows: Words | Codes) -> bool:
    """Return whether each row is above the one before, the last column leading."""
    greater = np.zeros(len(rows) - 1, dtype=np.bool_)
    equal = np.ones(len(rows) - 1, dtype=np.bool_)
    for place in reversed(range(rows.shape[1])):
        before, after = rows[:-1, place], rows[1:, place]
        greater |= equal & (after > before)
        equal &= after == before
    return bool(greater.all())
