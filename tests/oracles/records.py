"""Distinct records by a plain Counter of tuples."""

from collections import Counter
from collections.abc import Sequence


def counted(columns: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return (record as an integer, count), ascending; bit v of a record is column v."""
    tally = Counter(zip(*columns, strict=True))
    return sorted(
        (sum(bit * 2**position for position, bit in enumerate(record)), count)
        for record, count in tally.items()
    )


def merged(parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (record, summed count), ascending."""
    tally: Counter[int] = Counter()
    for record, count in parts:
        tally[record] += count
    return sorted(tally.items())
