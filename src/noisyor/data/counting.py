"""Count distinct records batch by batch."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import Words, word_count

Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]


class RecordCounter:
    """The distinct records of the batches so far, with their counts.

    Counted batches wait until together they are as long as the part already merged, and long
    enough to be worth a merge. Then all are merged at once. So the merged part at least doubles
    between merges that find new records, and the total work is linear up to the logarithm of the
    number of batches, even when every record is new.
    """

    _SHORTEST_MERGE = 4_000_000  # records

    def __init__(self, variable_count: int) -> None:
        self._words = word_count(variable_count)
        self._merged = 0
        self._parts: list[tuple[Words, Counts]] = []

    def add(self, columns: Sequence[Bytes]) -> None:
        """Count the records of a batch: an array of zeros and ones per variable."""
        if not len(columns[0]):
            return
        contiguous = [np.ascontiguousarray(column) for column in columns]
        self._parts.append(kernels.count_records(contiguous, self._words))
        waiting = sum(len(counts) for _, counts in self._parts) - self._merged
        if waiting >= max(self._merged, self._SHORTEST_MERGE):
            self._merge()

    def result(self) -> tuple[Words, Counts]:
        """Return the distinct records in numeric order, shape (distinct, words), and counts."""
        if not self._parts:
            return np.empty((0, self._words), dtype=np.uint64), np.empty(0, dtype=np.int64)
        if len(self._parts) > 1:
            self._merge()
        return self._parts[0]

    def _merge(self) -> None:
        rows = np.concatenate([rows for rows, _ in self._parts])
        counts = np.concatenate([counts for _, counts in self._parts])
        self._parts.clear()  # before the merge takes its own memory
        self._parts.append(kernels.merge_records(rows, counts))
        self._merged = len(self._parts[0][1])


def exchange_states(rows: Words, counts: Counts, variables: Sequence[int]) -> tuple[Words, Counts]:
    """Return the records with 0 and 1 swapped in some variables, again in numeric order."""
    if not variables:
        return rows, counts
    mask = np.zeros(rows.shape[1], dtype=np.uint64)
    for variable in variables:
        mask[variable // 64] |= np.uint64(1) << np.uint64(variable % 64)
    return kernels.merge_records(rows ^ mask, counts)
