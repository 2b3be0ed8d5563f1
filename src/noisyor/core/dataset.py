"""Binary records, each distinct one once."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.errors import DataError
from noisyor.core.variable_sets import MAX_VARIABLES, Words, word_count

States = tuple[str, str]
"""The labels of a variable's 0 (absent) and 1 (present)."""

_LARGEST_COUNT = 2**53  # sums of weights are exact as doubles up to here


@dataclass(frozen=True, slots=True, eq=False)
class BinaryDataset:
    """A table of binary records: its distinct rows with their weights.

    `rows` has shape (distinct, words): bit v of a row is variable v (see `variable_sets`). Rows
    ascend in numeric order, so equal tables are equal values whatever the order of their records.
    `weights` counts the records of each row.
    """

    names: tuple[str, ...]
    rows: Words
    weights: npt.NDArray[np.int64]
    states: tuple[States, ...] = ()
    _fingerprint: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check names, shapes, order and weights once; everything downstream trusts them."""
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "states", tuple(self.states) or (("0", "1"),) * len(names))
        object.__setattr__(self, "rows", read_only(self.rows, np.uint64))
        object.__setattr__(self, "weights", read_only(self.weights, np.int64))
        check_names(names)
        check_states(names, self.states)
        self._check_rows()

    def _check_rows(self) -> None:
        words = word_count(len(self.names))
        if self.rows.shape != (len(self.weights), words) or self.weights.ndim != 1:
            raise ValueError(
                f"rows have shape {self.rows.shape} and weights {self.weights.shape}; "
                f"{len(self.names)} variables need ({len(self.weights)}, {words})"
            )
        if not len(self.weights):
            raise DataError("the table has no records; at least one is needed")
        total = self.weights.sum(dtype=np.float64)  # integers would wrap around
        if self.weights.min() < 1 or total > _LARGEST_COUNT or self.record_count > _LARGEST_COUNT:
            raise DataError(
                f"weights count records: each at least 1, together at most 2**53; got a smallest "
                f"of {self.weights.min()} and a sum of {total:.0f}"
            )
        union = np.bitwise_or.reduce(self.rows, axis=0)
        if int.from_bytes(union.astype("<u8").tobytes(), "little") >> len(self.names):
            raise ValueError(f"a row has a bit beyond the {len(self.names)} variables")
        if not _strictly_ascending(self.rows):
            raise ValueError("rows must be distinct and ascend in numeric order")

    @property
    def variable_count(self) -> int:
        """The number of variables, n."""
        return len(self.names)

    @property
    def record_count(self) -> int:
        """The number of records, N."""
        return int(self.weights.sum())

    @property
    def penalty_weight(self) -> float:
        """BIC's price of one parameter, w = ln(N) / 2."""
        return math.log(self.record_count) / 2

    def column(self, variable: int) -> npt.NDArray[np.bool_]:
        """Return one variable over the distinct rows."""
        word, bit = divmod(variable, 64)
        return (self.rows[:, word] >> np.uint64(bit) & np.uint64(1)).astype(np.bool_)

    def ones(self) -> npt.NDArray[np.int64]:
        """Return how many records have each variable present."""
        return np.array(
            [self.weights[self.column(v)].sum() for v in range(self.variable_count)], dtype=np.int64
        )

    def constant_columns(self) -> tuple[str, ...]:
        """Return the names of the variables that never change."""
        ones = self.ones()
        never = (ones == 0) | (ones == self.record_count)
        return tuple(name for name, constant in zip(self.names, never, strict=True) if constant)

    def index(self, name: str) -> int:
        """Return the number of the variable of that name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(
                f"there is no variable {name!r}; the table has: {', '.join(self.names)}"
            ) from None

    def fingerprint(self) -> str:
        """Return a digest of the content: names, states, rows and weights, not their origin."""
        if not self._fingerprint:
            digest = hashlib.sha256()
            for text in (*self.names, *(label for pair in self.states for label in pair)):
                encoded = text.encode()
                digest.update(len(encoded).to_bytes(8, "little") + encoded)
            digest.update(self.rows.astype("<u8").tobytes())
            digest.update(self.weights.astype("<i8").tobytes())
            self._fingerprint.append(digest.hexdigest())
        return self._fingerprint[0]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BinaryDataset):
            return NotImplemented
        return self.fingerprint() == other.fingerprint()

    def __hash__(self) -> int:
        return hash(self.fingerprint())

    def __repr__(self) -> str:
        return (
            f"BinaryDataset({self.variable_count} variables, {self.record_count} records, "
            f"{len(self.weights)} distinct)"
        )


def check_names(names: Sequence[str]) -> None:
    """Refuse an empty list, empty or repeated names, and more variables than a set can hold."""
    if not names:
        raise DataError("the table has no columns; at least one is needed")
    if len(names) > MAX_VARIABLES:
        raise DataError(
            f"the table has {len(names)} columns; at most {MAX_VARIABLES} are supported"
        )
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"column {position} has an empty name; every column needs one")
        _refuse_half_characters(name, f"the name of column {position}")
        if name in seen:
            raise DataError(
                f"columns {seen[name]} and {position} are both named {name!r}; names must differ"
            )
        seen[name] = position


def check_states(names: Sequence[str], states: Sequence[States]) -> None:
    """Refuse a variable whose two states have the same label."""
    if len(states) != len(names):
        raise ValueError(f"{len(states)} pairs of state labels for {len(names)} variables")
    for name, (absent, present) in zip(names, states, strict=True):
        if absent == present:
            raise DataError(f"both states of {name!r} are labelled {present!r}; they must differ")
        for label in (absent, present):
            _refuse_half_characters(label, f"a state of {name!r}")


def _refuse_half_characters(text: str, what: str) -> None:
    """Refuse lone surrogates, which no file or terminal can hold."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise DataError(f"{what} is {text!r}, with half of a surrogate pair, which is no character")


def _strictly_ascending(rows: Words) -> bool:
    """Return whether each row is numerically above the one before, the last word leading."""
    greater = np.zeros(len(rows) - 1, dtype=np.bool_)
    equal = np.ones(len(rows) - 1, dtype=np.bool_)
    for word in reversed(range(rows.shape[1])):
        before, after = rows[:-1, word], rows[1:, word]
        greater |= equal & (after > before)
        equal &= after == before
    return bool(greater.all())
