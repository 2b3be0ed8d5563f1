"""
Compiled kernels. They take arrays, give arrays, hold no state, release the GIL.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

def cpu_supports_x86_64_v3() -> bool:
    """Whether this machine runs the build for AVX2, BMI2 and POPCNT."""

def count_records(
    columns: Sequence[
        Annotated[
            NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
    ],
    word_count: int,
) -> tuple[
    Annotated[NDArray[numpy.uint64], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Count equal records of byte columns (0 or 1): rows (distinct, words) ascending, counts.
    """

def merge_records(
    rows: Annotated[
        NDArray[numpy.uint64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    counts: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> tuple[
    Annotated[NDArray[numpy.uint64], dict(shape=(None, None))],
    Annotated[NDArray[numpy.int64], dict(shape=(None,))],
]:
    """
    Add up the counts of equal rows: rows (distinct, words) ascending, counts.
    """
