"""Tables with very few and very many records, small enough to list all networks."""

from dataclasses import dataclass

import numpy as np

from noisyor.core import Dataset
from noisyor.core.variable_sets import to_words, word_count


def dataset(records: dict[int, int], n: int) -> Dataset:
    """Return the rows, bit v being variable v, with their weights."""
    rows = sorted(records)
    return Dataset.from_bits(
        tuple(f"x{v}" for v in range(n)),
        to_words(rows, word_count(n)),
        np.array([records[row] for row in rows], dtype=np.int64),
    )


def shaken(seed: int, weight: int, by: int, rows: range) -> dict[int, int]:
    """Return rows of almost equal weight: almost independent columns."""
    random = np.random.default_rng(seed)
    return {row: weight + int(random.integers(-by, by + 1)) for row in rows}


def caused(records: int) -> dict[int, int]:
    """Return x2 as a noisy-OR of x0 and x1, almost exactly."""
    result = {}
    for row in range(8):
        first, second, effect = row & 1, row >> 1 & 1, row >> 2
        above = (0.3 if first else 0.7) * (0.2 if second else 0.8)
        absent = (0.3 if first else 1.0) * (0.6 if second else 1.0)
        weight = round(records * above * ((1 - absent) if effect else absent))
        if weight:
            result[row] = weight
    return result


@dataclass(frozen=True)
class Case:
    """Records, and the Bayes factor to learn with."""

    n: int
    records: dict[int, int]
    bayes_factor: float = 20.0


CASES = {
    "one variable": Case(1, {0: 3, 1: 5}),
    "one constant variable": Case(1, {0: 3}),
    "two records": Case(3, {0b010: 1, 0b101: 1}),
    "two equal records": Case(3, {0b010: 2}),
    "all constant": Case(3, {0b110: 1000}),
    "all constant, many": Case(3, {0b110: 10**8}, 3e4),
    "identical columns": Case(3, {0b000: 40, 0b111: 60}),
    "identical columns, many": Case(
        3, {0: 20_000_001, 3: 29_999_999, 4: 20_004_000, 7: 3 * 10**7}, 1e5
    ),
    "nothing but copies, many": Case(3, {0b000: 40_000_001, 0b111: 59_999_999}, 1e6),
    "copies but for a few records": Case(
        3, {0b000: 40_000_001, 0b111: 59_999_999, 0b001: 3, 0b101: 1, 0b100: 40}, 1e6
    ),
    "a negation": Case(3, {0b010: 40, 0b101: 60, 0b110: 3}),
    "a negation, many": Case(
        3, {0b001: 2 * 10**7, 0b101: 29_990_000, 0b010: 3 * 10**7, 0b110: 2 * 10**7}, 1e5
    ),
    "skewed": Case(3, {0: 70_000_001, 7: 20_000_003, 5: 9_999_999, 4: 11, 3: 5}, 1e6),
    "almost independent": Case(3, shaken(1, 12_500_000, 3000, range(8)), 1e4 / 2),
    "almost independent, four": Case(4, shaken(2, 6_250_000, 3000, range(1, 16)), 1000.0),
    "a noisy-OR": Case(3, caused(10**8), 1e6),
    "a noisy-OR of 10^10": Case(3, caused(10**10), 1e6),
}
