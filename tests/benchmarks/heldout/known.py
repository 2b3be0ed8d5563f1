"""Small records for the tests: binary variables, and one of three states."""

from pathlib import Path

import numpy as np

from noisyor import Dataset
from noisyor.core.incomplete_dataset import merged_rows
from noisyor.core.variable import variables_of

NOWHERE = Path("nowhere")


def some_records(count: int) -> Dataset:
    """Return records in which b depends on a, c on a and b, and d on nothing."""
    random = np.random.default_rng(5)
    a = random.random(count) < 0.5
    b = np.where(random.random(count) < 0.7, 2 * a, random.integers(0, 3, count))
    c = (a | (b == 1)) & (random.random(count) < 0.8)
    d = random.random(count) < 0.3
    codes = np.column_stack([a, b, c, d]).astype(np.uint8)
    two, three = ("no", "yes"), ("low", "middle", "high")
    variables = variables_of(("a", "b", "c", "d"), (two, three, two, two))
    return Dataset(variables, *merged_rows(codes, np.ones(count, dtype=np.int64)))
