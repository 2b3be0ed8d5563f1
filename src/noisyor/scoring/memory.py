"""Estimates the memory of scoring in advance: working memory and the table.

A child's search holds a copy of the records. Each of its threads holds one more copy for every
parent that it has added so far, with equal records merged. So working memory depends on the
distinct records, the threads and the number of parents, but not on the number of families tried.
The table grows with the number of families kept only.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from noisyor.core import Constraints, Dataset
from noisyor.core.variable_sets import WORD_BITS
from noisyor.scoring.board import thread_count
from noisyor.scoring.child_search import record_bits
from noisyor.scoring.pilot import Pilot
from noisyor.scoring.workload import most_parents

PROGRAM = "program and reading"
WORK = "scoring"
TABLE = "table"
"""The names of the parts of the memory; the table has no upper limit."""

SAMPLED_OFF = 4.0
"""The largest measured factor by which the pilot's figures were off."""

_MIB = 2**20

# Bytes per family while a table is made, joined and searched: at least, about and at most, without
# and with parameters. All measured: see benchmarks/results.
_TABLE_BYTES = (170.0, 240.0, 260.0)
_FIT_BYTES = (300.0, 400.0, 500.0)

_WORD = 8  # bytes
_LARGEST_LOGARITHMS = 2**20  # entries of each child's table of logarithms of counts, at most
_USUAL_PARENTS = 4  # with more parents, most records are equal and take little space
_USUAL_COPIES = 3  # of the records, for each parent that a thread has added; measured
_FITTED_RECORD = 50  # bytes per record in a fit, plus those per present variable; measured
_FITTED_PRESENCE = 8


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes of memory: at least, about, and at most; `most` is None without an upper limit."""

    least: float
    about: float
    most: float | None

    def __add__(self, other: "Amount") -> "Amount":
        most = None if self.most is None or other.most is None else self.most + other.most
        return Amount(self.least + other.least, self.about + other.about, most)


# Of libraries that are loaded later; measured.
_LIBRARIES = Amount(10 * _MIB, 20 * _MIB, 40 * _MIB)


def total_of(memory: Mapping[str, Amount]) -> Amount:
    """Return the sum of all parts of the memory."""
    return sum(memory.values(), Amount(0, 0, 0))


def scoring_memory(
    data: Dataset, constraints: Constraints, tried: Pilot, jobs: int | None, so_far: int
) -> dict[str, Amount]:
    """Return the memory of a scoring process by part, estimated from a pilot.

    `so_far` is the peak before the pilot, in bytes; the pilot's own memory is reused.
    """
    work = work_bytes(data, most_parents(constraints), thread_count(jobs))
    if any(not relation.closed_form for relation in tried.kept):
        work += fitting_bytes(data, thread_count(jobs))
    return {
        PROGRAM: Amount(so_far, so_far, so_far) + _LIBRARIES,
        WORK: work,
        TABLE: table_bytes(tried),
    }


def packed_bytes(data: Dataset) -> int:
    """Return the size of the distinct records in a search."""
    return len(data.weights) * (_record_bytes(data) + _WORD)


def _record_bytes(data: Dataset) -> int:
    """Return the size of a record in a search: one, two, four, sixteen or sixty-four words."""
    bits = max(record_bits(data), data.variable_count)
    return _WORD * next(words for words in (1, 2, 4, 16, 64) if bits <= words * WORD_BITS)


def work_bytes(data: Dataset, parents: int, threads: int) -> Amount:
    """Return the working memory of threads, each on its own child with at most `parents` parents.

    With W words per record, a child has three copies of the records while it starts, each of 8 W +
    16 bytes per record at most. A thread has the root and its copy, and one more copy for each
    parent, of 8 W + 8 r bytes for full tables, r being the states of the child, and 16 W + 8 for
    noisy-ORs. Growing arrays may have twice the capacity that they use.
    """
    words = _record_bytes(data)
    counts = _WORD * max(variable.state_count for variable in data.variables)
    usual = (words + counts) * (2 + _USUAL_COPIES * min(parents, _USUAL_PARENTS))
    child = 2 * 3 * (words + 2 * _WORD)
    level = 2 * ((words + counts) + (2 * words + _WORD))
    records = len(data.weights)
    own = _logarithms(data)
    return Amount(
        0,
        threads * (records * usual + own),
        threads * (records * (child + level * (parents + 2)) + own),
    )


def fitting_bytes(data: Dataset, threads: int) -> Amount:
    """Return the memory for fitting noisy-ORs: threads list each record's present variables."""
    present = int(np.count_nonzero(data.codes))
    usual = threads * (_FITTED_RECORD * len(data.weights) + _FITTED_PRESENCE * present)
    return Amount(0, usual, 2 * usual)


def waiting_bytes(data: Dataset) -> Amount:
    """Return the memory of all children's searches while they wait for the next prices.

    Each holds the records as full tables and as causes read them.
    """
    each = 2 * packed_bytes(data) + _logarithms(data)
    children = data.variable_count
    return Amount(0, children * each, children * (packed_bytes(data) + each))


def table_bytes(tried: Pilot) -> Amount:
    """Return the memory of the whole table."""
    off = 1.0 if tried.exact else SAMPLED_OFF
    total = Amount(0, 0, 0)
    for relation, count in tried.kept.items():
        least, about, most = _TABLE_BYTES if relation.closed_form else _FIT_BYTES
        total += Amount(count * least / off, count * about, count * most * off)
    return total


def _logarithms(data: Dataset) -> int:
    return _WORD * min(data.record_count, _LARGEST_LOGARITHMS)
