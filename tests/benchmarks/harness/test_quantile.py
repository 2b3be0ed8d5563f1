"""Quantiles, with and without infinite numbers."""

from math import inf

from benchmarks.harness.quantile import quantile


def test_quantiles_lie_between_neighbours() -> None:
    ordered = (1.0, 2.0, 4.0, 8.0)
    assert quantile(ordered, 0.0) == 1.0
    assert quantile(ordered, 0.25) == 1.75
    assert quantile(ordered, 0.5) == 3.0
    assert quantile(ordered, 1.0) == 8.0
    assert quantile((5.0,), 0.75) == 5.0


def test_quantiles_of_infinite_errors_are_infinite_and_never_undefined() -> None:
    assert quantile((1.0, 2.0, inf), 0.5) == 2.0
    assert quantile((1.0, 2.0, inf), 0.75) == inf
    assert quantile((1.0, inf, inf), 0.75) == inf
    assert quantile((1.0, inf), 0.0) == 1.0
    assert quantile((1.0, inf), 0.5) == inf
