"""
Compiled kernels. They take arrays, give arrays, hold no state, release the GIL.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def cpu_supports_x86_64_v3() -> bool:
    """Whether this machine runs the build for AVX2, BMI2 and POPCNT."""

def count_records(columns: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]], word_count: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Count equal records of byte columns (0 or 1): rows (distinct, words) ascending, counts.
    """

def merge_records(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Add up the counts of equal rows: rows (distinct, words) ascending, counts.
    """

def fit_noisy_or(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, gap: float, relative_gap: float, max_steps: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Fit a noisy-OR to each parent set (sets, words): upper and lower bounds of the optima, q's of the parents ascending (the leak's last) with their offsets, how each fit ended (FitEnd), Newton steps.
    """

def fit_noisy_or_by_gradient(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, threshold: float, max_iterations: int, gap: float, relative_gap: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    The same by Algorithm 1. `start` has a q per variable, the leak's last, NaN where not known; or nothing.
    """

def fit_noisy_or_by_em(rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, parents: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], leak: bool, threshold: float, max_iterations: int, gap: float, relative_gap: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """The same by expectation-maximisation."""

def evaluate_lanes(x: float) -> tuple[float, float, float, float]:
    """
    For tests: 1 - exp(-x), exp(-x), ln x and ln(1 - exp(-x)) as the fits compute them, for normal x > 0.
    """

class Cancellation:
    """A flag that ends the work of kernels early."""

    def __init__(self) -> None: ...

    def cancel(self) -> None:
        """Ask all work under this flag to end."""

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""

class ChildSearch:
    """The search for one child's families."""

    def __init__(self, rows: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: int, child: int, candidates: Sequence[int], required: Sequence[int], max_parents: int, penalties: Sequence[Sequence[float]], slack: float, tolerance: float, gap: float, relative_gap: float, rules: int, bit_columns: bool, price_base: float, cuts: Sequence[tuple[Sequence[int], int, float]]) -> None: ...

    def work(self, cancellation: Cancellation) -> None:
        """
        Take subtrees until none is left; any number of threads may do so at once.
        """

    def result(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int, int, int]:
        """
        Parents, relations, costs, gaps, offsets, q, cuts, evaluated, bounds, Newton steps, final fits, those not converged; once all subtrees are done.
        """

    @property
    def tasks(self) -> int:
        """Subtrees in all."""

    @property
    def tasks_done(self) -> int:
        """Subtrees done."""

    @property
    def decided(self) -> int:
        """Families decided so far."""
