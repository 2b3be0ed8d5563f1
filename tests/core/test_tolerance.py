"""One tolerance: absolute for ordinary costs, relative for huge ones."""

import numpy as np
import pytest

from noisyor.core.tolerance import (
    COST_TOLERANCE,
    FIT_GAP,
    is_tie,
    is_within,
    least_tolerance,
    tolerance_at,
    tolerances_at,
)


def test_the_tolerance_exceeds_the_gap_of_fits() -> None:
    assert COST_TOLERANCE > FIT_GAP


@pytest.mark.parametrize(
    ("cost", "tolerance"), [(0, 1e-7), (-50, 1e-7), (1e5, 1e-7), (1e7, 1e-5), (-1e7, 1e-5)]
)
def test_tolerance_by_size(cost: float, tolerance: float) -> None:
    assert tolerance_at(cost) == pytest.approx(tolerance)
    assert tolerances_at(np.array([cost, 0.0])).tolist() == [tolerance_at(cost), 1e-7]


def test_the_boundary_is_within() -> None:
    assert is_within(10.0, 10.0)
    assert is_within(10.0 + 0.9e-7, 10.0)
    assert not is_within(10.0 + 1.1e-7, 10.0)
    assert is_within(-1e9, 10.0)


def test_ties() -> None:
    assert is_tie(10.0, 10.0 + 0.9e-7)
    assert not is_tie(10.0, 10.0 + 1.1e-7)
    assert is_tie(1e9, 1e9 + 0.9e-3)
    assert not is_tie(1e9, 1e9 + 1.1e-3)


@pytest.mark.parametrize(
    ("low", "high", "least"), [(1e7, 1e8, 1e-5), (-1e8, -1e7, 1e-5), (-1e9, 1e9, 1e-7)]
)
def test_the_least_tolerance_is_that_of_the_smallest_cost(
    low: float, high: float, least: float
) -> None:
    assert least_tolerance(low, high) == pytest.approx(least)
