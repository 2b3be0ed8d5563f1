"""Distinct records by a plain Counter of tuples."""

from collections import Counter
from collections.abc import Sequence


def counted(
    columns: Sequence[Sequence[int]], places: Sequence[int] | None = None
) -> list[tuple[int, int]]:
    """Return (record as an integer, count), ascending.

    The code of column v begins at bit places[v] of the record; by default, it is bit v.
    """
    tally = Counter(zip(*columns, strict=True))
    begins = range(len(columns)) if places is None else places
    return sorted(
        (sum(code * 2**place for place, code in zip(begins, record, strict=True)), count)
        for record, count in tally.items()
    )


def merged(parts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return (record, summed count), ascending."""
    tally: Counter[int] = Counter()
    for record, count in parts:
        tally[record] += count
    return sorted(tally.items())
