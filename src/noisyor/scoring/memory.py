"""How much memory scoring takes, before it does: what threads work in, and what they keep.

A child's search holds the records as the child sees them, and each thread on it, for every parent
that it has added so far, the records once more, merged where they have become equal. So what
threads work in depends on the distinct records, the threads and the number of parents, and not on
how many families are tried. What is kept grows with the families that are kept, and with nothing
else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from noisyor.core import Constraints, Dataset
from noisyor.scoring.board import thread_count
from noisyor.scoring.pilot import Pilot
from noisyor.scoring.workload import most_parents

PROGRAM = "program and reading"
WORK = "scoring"
TABLE = "table"
"""What parts of the memory are called; the table may grow without a limit."""

SAMPLED_OFF = 4.0
"""By this factor, at most, the trial's figures of scoring were off."""

_MIB = 2**20

# Bytes of a family while its table is made, joined and searched: at least, about and at most,
# without and with parameters. All measured: see benchmarks/results.
_TABLE_BYTES = (170.0, 240.0, 260.0)
_FIT_BYTES = (300.0, 400.0, 500.0)

_WORD = 8  # bytes
_LARGEST_LOGARITHMS = 2**20  # of the numbers of records, which each child's search has in a table
_USUAL_PARENTS = 4  # with more, so many records are equal that they hardly take room
_USUAL_COPIES = 3  # of the records, for each parent that a thread has added; measured
_FITTED_RECORD = 50  # bytes in a fit, beside those of each variable present in it; measured
_FITTED_PRESENCE = 8


@dataclass(frozen=True, slots=True)
class Amount:
    """Bytes of memory: at least, about, and at most; no upper end where none is kept to."""

    least: float
    about: float
    most: float | None

    def __add__(self, other: "Amount") -> "Amount":
        most = None if self.most is None or other.most is None else self.most + other.most
        return Amount(self.least + other.least, self.about + other.about, most)


# Of libraries that are loaded on the way; measured.
_LIBRARIES = Amount(10 * _MIB, 20 * _MIB, 40 * _MIB)


def total_of(memory: Mapping[str, Amount]) -> Amount:
    """Return all parts of some memory together."""
    return sum(memory.values(), Amount(0, 0, 0))


def scoring_memory(
    data: Dataset, constraints: Constraints, tried: Pilot, jobs: int | None, so_far: int
) -> dict[str, Amount]:
    """Return the memory of a process that scores, by what it goes into, after a trial of it.

    It has had `so_far` bytes before the trial, whose memory is used again.
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
    """Return what the distinct records themselves take."""
    return data.bits.nbytes + data.weights.nbytes


def work_bytes(data: Dataset, parents: int, threads: int) -> Amount:
    """Return what so many threads work in, each on a child of its own with so many parents at most.

    Of the records, with W words each, a child has two copies while it is begun, each of 8 W + 8
    bytes; a thread has the root and its copy, and one copy more for each parent, of 8 W + 16 bytes
    for full tables and 16 W + 8 for noisy-ORs. What grows may have room for twice as much.
    """
    words = data.bits.shape[1] * _WORD
    usual = (words + 2 * _WORD) * (2 + _USUAL_COPIES * min(parents, _USUAL_PARENTS))
    child = 2 * 2 * (words + _WORD)
    level = 2 * ((words + 2 * _WORD) + (2 * words + _WORD))
    records = len(data.weights)
    own = _logarithms(data)
    return Amount(
        0,
        threads * (records * usual + own),
        threads * (records * (child + level * (parents + 2)) + own),
    )


def fitting_bytes(data: Dataset, threads: int) -> Amount:
    """Return what so many threads fit noisy-ORs in: each lists what is present in every record."""
    present = int(np.bitwise_count(data.bits).sum())
    usual = threads * (_FITTED_RECORD * len(data.weights) + _FITTED_PRESENCE * present)
    return Amount(0, usual, 2 * usual)


def waiting_bytes(data: Dataset) -> Amount:
    """Return what the searches of all children take that wait for a next price."""
    each = packed_bytes(data) + _logarithms(data)
    children = data.variable_count
    return Amount(0, children * each, children * (packed_bytes(data) + each))


def table_bytes(tried: Pilot) -> Amount:
    """Return what a whole table takes."""
    off = 1.0 if tried.exact else SAMPLED_OFF
    total = Amount(0, 0, 0)
    for relation, count in tried.kept.items():
        least, about, most = _TABLE_BYTES if relation.closed_form else _FIT_BYTES
        total += Amount(count * least / off, count * about, count * most * off)
    return total


def _logarithms(data: Dataset) -> int:
    return _WORD * min(data.record_count, _LARGEST_LOGARITHMS)
