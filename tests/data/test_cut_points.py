"""Cut points against their definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from noisyor.data.cut_points import (
    ValueCounts,
    mdl_cuts,
    quantile_cuts,
    simplest_number,
    width_cuts,
)
from tests.oracles.bins import places_of_mdl, places_of_quantiles, places_of_width
from tests.support.effort import scaled

ANY = st.floats(allow_nan=False, allow_infinity=False)
TIED = st.integers(-3, 12).map(float)
COLUMNS = st.lists(ANY, min_size=2, max_size=40) | st.lists(TIED, min_size=2, max_size=80)


def counted(numbers: list[float]) -> ValueCounts:
    return ValueCounts.of(np.array(numbers, dtype=np.float64))


def places(numbers: list[float], cuts: tuple[float, ...]) -> list[int]:
    """Return how many numbers lie at or below each cut."""
    return [sum(number <= cut for number in numbers) for cut in cuts]


@settings(max_examples=scaled(500))
@given(COLUMNS, st.integers(2, 8))
def test_quantiles_are_as_close_as_ties_allow(numbers: list[float], bins: int) -> None:
    found = places(numbers, quantile_cuts(counted(numbers), bins))
    assert found == sorted(places_of_quantiles(numbers, bins))
    assert bool(found) == (len(set(numbers)) > 1)


@settings(max_examples=scaled(300))
@given(COLUMNS, st.integers(2, 8))
def test_bins_of_quantiles_are_equal_up_to_the_largest_tie(numbers: list[float], bins: int) -> None:
    found = places(numbers, quantile_cuts(counted(numbers), bins))
    assume(len(found) == bins - 1)
    largest_tie = max(numbers.count(number) for number in numbers)
    sizes = np.diff([0, *found, len(numbers)])
    assert sizes.min() > 0
    assert np.abs(sizes - len(numbers) / bins).max() <= largest_tie
    if largest_tie == 1:
        assert sizes.max() - sizes.min() <= 1


@settings(max_examples=scaled(500))
@given(COLUMNS, st.integers(2, 12))
@example([0.0, 5e-324], 5)
@example([-1.7976931348623157e308, 0.5, 1.5e308, 1.7976931348623157e308], 12)
@example([1.0, math.nextafter(1.0, 2.0)], 7)
def test_bins_of_equal_width(numbers: list[float], bins: int) -> None:
    assume(len(set(numbers)) > 1)
    cuts = width_cuts(counted(numbers), bins)
    found = places(numbers, cuts)
    assert found == sorted(set(found))
    assert set(found) == places_of_width(numbers, bins)
    low, high = Fraction(min(numbers)), Fraction(max(numbers))
    width = (high - low) / bins
    if width > Fraction(1, 10**300):  # else there are no floats between
        for cut in cuts:
            parts = (Fraction(cut) - low) / width
            assert abs(parts - round(parts)) < Fraction(1, 90)


def test_an_empty_bin_of_equal_width_joins_the_one_below() -> None:
    assert width_cuts(counted([0.0, 1.0, 1000.0]), 5) == (800.0,)
    assert width_cuts(counted([0.0, 999.0, 1000.0]), 5) == (800.0,)
    assert width_cuts(counted([0.0, 450.0, 1000.0]), 5) == (400.0, 800.0)


@settings(max_examples=scaled(400))
@given(st.data())
def test_mdl_finds_the_cuts_of_the_definition(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 60))
    values = data.draw(st.lists(TIED | st.floats(-10, 10), min_size=size, max_size=size))
    most = data.draw(st.integers(1, 4))
    classes = [
        min(most, max(0, int(value) // 3))
        if data.draw(st.integers(0, 4))
        else data.draw(st.integers(0, most))
        for value in values
    ]
    cuts = mdl_cuts(np.array(values), np.array(classes))
    assert list(cuts) == sorted(set(cuts))
    assert set(places(values, cuts)) == places_of_mdl(values, classes)


@pytest.mark.parametrize("seed", range(5))
def test_mdl_on_many_records(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = np.round(generator.normal(size=300), 1)
    noise = generator.random(300) < 0.1
    classes = np.where(noise, generator.integers(0, 3, 300), np.digitize(values, [-0.5, 0.7]))
    cuts = mdl_cuts(values, classes)
    assert set(places(values.tolist(), cuts)) == places_of_mdl(values.tolist(), classes.tolist())
    assert len(cuts) >= 2


def test_mdl_finds_no_cut_in_noise() -> None:
    generator = np.random.default_rng(1)
    assert mdl_cuts(generator.normal(size=200), generator.integers(0, 2, 200)) == ()
    assert mdl_cuts(np.zeros(5), np.array([0, 1, 0, 1, 1])) == ()
    assert mdl_cuts(np.arange(5.0), np.zeros(5, dtype=np.int64)) == ()
    assert mdl_cuts(np.array([3.0]), np.array([0])) == ()


def test_mdl_finds_more_cuts_than_states_are_supported() -> None:
    values = np.repeat(np.arange(100.0), 50)
    assert len(mdl_cuts(values, (values % 2).astype(np.int64))) > 64


def digits_of(number: float) -> int:
    """Return how many digits a number has, without zeros at either end."""
    mantissa = repr(number).lower().split("e")[0].replace(".", "").replace("-", "")
    return len(mantissa.strip("0"))


@settings(max_examples=scaled(1000))
@given(ANY, ANY)
@example(0.0, 5e-324)
@example(5e-324, 1e-323)
@example(-1e-323, -5e-324)
@example(-1.7976931348623157e308, 1.7976931348623157e308)
@example(41.0, 42.0)
@example(-42.0, -41.0)
@example(-0.0, 1.0)
@example(-1.0, -0.0)
@example(9.0, 11.0)
def test_the_simplest_number_has_the_fewest_digits(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assume(low < high)
    found = simplest_number(low, high)
    assert low <= found < high
    assert math.copysign(1, found) > 0 or found < 0
    middle = low / 2 + high / 2
    for digits in range(digits_of(found)):
        for number in (middle, low, high):
            shorter = float(f"{number:.{digits - 1}e}") if digits else 0.0
            assert not low <= shorter < high


@pytest.mark.parametrize(
    ("low", "high", "simplest"),
    [
        (40, 41, 40),
        (41, 42, 41),
        (39, 42, 40),
        (37.1, 37.4, 37.2),
        (36.6, 37.0, 36.8),
        (0.9, 1.3, 1),
        (-2, 5, 0),
        (-8, -3, -6),
        (1234, 1237, 1235),
        (12, 300, 200),
        (99999, 100001, 100000),
    ],
)
def test_cuts_that_people_read(low: float, high: float, simplest: float) -> None:
    assert simplest_number(low, high) == simplest
