"""Count distinct records batch by batch.

The codes of a record are packed into words, in fields that are just wide enough. A field does not
cross the end of a word, and the fields of later variables are higher, so rows in numeric order are
records in the order of a `Dataset`. A binary table has one bit a variable, as `Dataset.bits`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import WORD_BITS, Words, word_count

Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fields:
    """Where each variable's code is in a packed record: its first bit, and its width in bits."""

    places: tuple[int, ...]
    widths: tuple[int, ...]

    @classmethod
    def of(cls, widths: Sequence[int]) -> "Fields":
        """Return fields of these widths, one after the other."""
        places = []
        end = 0
        for width in widths:
            if end % WORD_BITS + width > WORD_BITS:
                end += -end % WORD_BITS
            places.append(end)
            end += width
        return cls(tuple(places), tuple(widths))

    @property
    def word_count(self) -> int:
        """The number of words of a record; one bit a variable takes those of a `Dataset`."""
        if max(self.widths) == 1:
            return word_count(len(self.widths))
        return (self.places[-1] + self.widths[-1] - 1) // WORD_BITS + 1

    def codes(self, rows: Words, variable: int) -> Words:
        """Return the codes of a variable in each row."""
        word, shift = divmod(self.places[variable], WORD_BITS)
        mask = np.uint64((1 << self.widths[variable]) - 1)
        codes: Words = (rows[:, word] >> np.uint64(shift)) & mask
        return codes


def width_of(states: int) -> int:
    """Return how many bits hold the code of a variable with that many states."""
    return max(1, (states - 1).bit_length())


class RecordCounter:
    """The distinct records of the batches so far, with their counts.

    Counted batches wait until together they are as long as the part already merged, and long
    enough to be worth a merge. Then all are merged at once. So the merged part at least doubles
    between merges that find new records, and the total work is linear up to the logarithm of the
    number of batches, even when every record is new.
    """

    _SHORTEST_MERGE = 4_000_000  # records

    def __init__(self, variable_count: int) -> None:
        self._fields = Fields.of((1,) * variable_count)
        self._merged = 0
        self._parts: list[tuple[Fields, Words, Counts]] = []

    def add(self, columns: Sequence[Bytes], sizes: Sequence[int]) -> None:
        """Count the records of a batch.

        Parameters
        ----------
        columns
            The codes, one array per variable.
        sizes
            For each variable, a number above all of its codes so far; it never falls.

        """
        if not len(columns[0]):
            return
        widths = tuple(map(width_of, sizes))
        if widths != self._fields.widths:
            self._fields = Fields.of(widths)
        contiguous = [np.ascontiguousarray(column) for column in columns]
        words = self._fields.word_count
        counted = kernels.count_records(contiguous, words, self._fields.places)
        self._parts.append((self._fields, *counted))
        waiting = sum(len(counts) for _, _, counts in self._parts) - self._merged
        if waiting >= max(self._merged, self._SHORTEST_MERGE):
            self._merge()

    def result(self) -> tuple[Fields, Words, Counts]:
        """Return the distinct records in numeric order, shape (distinct, words), and counts."""
        if not self._parts:
            rows = np.empty((0, self._fields.word_count), dtype=np.uint64)
            return self._fields, rows, np.empty(0, dtype=np.int64)
        if len(self._parts) > 1:
            self._merge()
        return self._parts[0]

    def _merge(self) -> None:
        rows = np.concatenate([repacked(own, rows, self._fields) for own, rows, _ in self._parts])
        counts = np.concatenate([counts for _, _, counts in self._parts])
        self._parts.clear()  # before the merge takes its own memory
        self._parts.append((self._fields, *kernels.merge_records(rows, counts)))
        self._merged = len(self._parts[0][2])


class WideRecords:
    """The records of more columns than the kernels pack, counted at the end."""

    def __init__(self) -> None:
        self._batches: list[Bytes] = []

    def add(self, columns: Sequence[Bytes]) -> None:
        """Add the records of a batch, with the codes of each variable."""
        self._batches.append(np.stack(columns, axis=1))

    def recoded(self, tables: Sequence[Bytes]) -> tuple[Bytes, Counts]:
        """Return the distinct records with other codes, in the order of a `Dataset`, and counts.

        `tables` has for each variable the new code of each old one.
        """
        codes = np.concatenate(self._batches)
        for variable, table in enumerate(tables):
            codes[:, variable] = table[codes[:, variable]]
        rows, counts = np.unique(codes[:, ::-1], axis=0, return_counts=True)
        return rows[:, ::-1], counts.astype(np.int64)


def repacked(
    fields: Fields, rows: Words, wanted: Fields, tables: Sequence[Bytes] | None = None
) -> Words:
    """Return the rows in other fields, and with other codes if a table for each variable says so.

    A table holds the new code of each old one.
    """
    if fields == wanted and tables is None:
        return rows
    result = np.zeros((len(rows), wanted.word_count), dtype=np.uint64)
    for variable, place in enumerate(wanted.places):
        codes = fields.codes(rows, variable)
        if tables is not None:
            codes = tables[variable].astype(np.uint64)[codes]
        result[:, place // WORD_BITS] |= codes << np.uint64(place % WORD_BITS)
    return result


def recoded(
    counted: tuple[Fields, Words, Counts], tables: Sequence[Bytes], sizes: Sequence[int]
) -> tuple[Fields, Words, Counts]:
    """Return the records with other codes, again distinct and in numeric order.

    Parameters
    ----------
    counted
        The result of a counter.
    tables
        For each variable, the new code of each old one.
    sizes
        The number of states of each variable.

    """
    fields, rows, counts = counted
    wanted = Fields.of(tuple(map(width_of, sizes)))
    changed = [v for v, table in enumerate(tables) if (table != np.arange(len(table))).any()]
    if fields == wanted and max(sizes) <= BINARY:  # a change can only be a swap of 0 and 1
        return (fields, *_exchanged(rows, counts, changed))
    if not changed:
        return wanted, repacked(fields, rows, wanted), counts
    rows = repacked(fields, rows, wanted, tables)
    return (wanted, *kernels.merge_records(rows, counts))


def _exchanged(rows: Words, counts: Counts, variables: Sequence[int]) -> tuple[Words, Counts]:
    """Return binary records with 0 and 1 swapped in some variables."""
    if not variables:
        return rows, counts
    mask = np.zeros(rows.shape[1], dtype=np.uint64)
    for variable in variables:
        word, bit = divmod(variable, WORD_BITS)
        mask[word] |= np.uint64(1) << np.uint64(bit)
    return kernels.merge_records(rows ^ mask, counts)


def unpacked(fields: Fields, rows: Words) -> Bytes:
    """Return the codes of packed records, shape (distinct, variables)."""
    codes = np.empty((len(rows), len(fields.widths)), dtype=np.uint8)
    for variable in range(len(fields.widths)):
        codes[:, variable] = fields.codes(rows, variable)
    return codes
