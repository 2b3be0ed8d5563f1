"""Cuts of a column of numbers straight from their definitions, on plain lists and fractions."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from mpmath import mp, mpf  # type: ignore[import-untyped]


def places_of_quantiles(numbers: Sequence[float], bins: int) -> set[int]:
    """Return how many records lie below each cut: the possible number closest to j/k of all."""
    ordered = sorted(numbers)
    possible = [place for place in range(1, len(ordered)) if ordered[place - 1] < ordered[place]]
    return {
        min(possible, key=lambda place: (abs(Fraction(j * len(ordered), bins) - place), place))
        for j in range(1, bins)
        if possible
    }


def places_of_width(numbers: Sequence[float], bins: int) -> set[int]:
    """Return how many records lie below each cut of bins of equal width, without empty bins."""
    low, high = Fraction(min(numbers)), Fraction(max(numbers))
    cuts = [float(low + (high - low) * j / bins) for j in range(1, bins)]
    return {sum(number <= cut for number in numbers) for cut in cuts} - {0, len(numbers)}


def places_of_mdl(numbers: Sequence[float], classes: Sequence[int]) -> set[int]:
    """Return how many records lie below each cut of Fayyad and Irani (1993).

    Every place between two different numbers is tried, boundary point or not, and entropies are
    computed to 60 digits, so that equal ones are equal.
    """
    records = sorted(zip(numbers, classes, strict=True))
    with mp.workdps(60):
        return _places(records, 0)


def _places(records: Sequence[tuple[float, int]], before: int) -> set[int]:
    count = len(records)
    possible = [place for place in range(1, count) if records[place - 1][0] < records[place][0]]
    if not possible:
        return set()
    costs = {
        place: (place * _entropy(records[:place]) + (count - place) * _entropy(records[place:]))
        / count
        for place in possible
    }
    least = min(costs.values())
    best = min(place for place in possible if costs[place] < least + mpf(10) ** -40)
    left, right = records[:best], records[best:]
    delta = mp.log(3 ** _classes(records) - 2, 2) - (
        _classes(records) * _entropy(records)
        - _classes(left) * _entropy(left)
        - _classes(right) * _entropy(right)
    )
    gain = _entropy(records) - costs[best]
    if gain <= (mp.log(count - 1, 2) + delta) / count:
        return set()
    return {before + best} | _places(left, before) | _places(right, before + best)


def _classes(records: Sequence[tuple[float, int]]) -> int:
    return len({own for _, own in records})


def _entropy(records: Sequence[tuple[float, int]]) -> mpf:
    counts = Counter(own for _, own in records)
    shares = [mpf(one) / len(records) for one in counts.values()]
    return -sum(share * mp.log(share, 2) for share in shares)
