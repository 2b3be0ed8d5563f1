"""A Bayes factor is a finite number of at least 1."""

import math

import pytest

from noisyor.core import BayesFactor, SettingsError


def test_slack_is_its_logarithm() -> None:
    assert BayesFactor(20).slack == pytest.approx(2.995732273553991, rel=1e-15)
    assert BayesFactor(1).slack == 0.0


@pytest.mark.parametrize("value", [0.999, 0, -3, math.nan, math.inf])
def test_other_values_are_refused(value: float) -> None:
    with pytest.raises(SettingsError, match=f"the Bayes factor is {value}; .* at least 1"):
        BayesFactor(value)


def test_factors_are_values() -> None:
    assert BayesFactor(3) == BayesFactor(3.0)
    assert hash(BayesFactor(3)) == hash(BayesFactor(3.0))
    assert BayesFactor(3) != BayesFactor(3, temperature=2)


def test_a_temperature_multiplies_the_slack() -> None:
    warm = BayesFactor(20, temperature=2)
    assert warm.slack == pytest.approx(2 * BayesFactor(20).slack, rel=1e-15)
    assert warm.untempered.value == pytest.approx(400, rel=1e-12)
    assert warm.untempered.temperature == 1
    assert BayesFactor(20).untempered == BayesFactor(20)


def test_factors_are_compared_by_their_slack() -> None:
    warm = BayesFactor(20, temperature=2)
    assert warm.exceeds(BayesFactor(399))
    assert not warm.exceeds(BayesFactor(401))
    assert not warm.exceeds(warm.untempered)
    assert not BayesFactor(400).exceeds(warm)


@pytest.mark.parametrize("temperature", [0, -1, 0.001, 101, math.nan, math.inf])
def test_other_temperatures_are_refused(temperature: float) -> None:
    with pytest.raises(SettingsError, match=f"the temperature is {temperature:g}; .* 0.01 to 100"):
        BayesFactor(20, temperature)


def test_a_slack_beyond_all_numbers_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"at the temperature 100 is .* nats; at most"):
        BayesFactor(1e10, temperature=100)


def test_a_temperature_that_is_given_replaces_that_of_the_factor() -> None:
    assert BayesFactor.of(3) == BayesFactor(3, 1)
    assert BayesFactor.of(3, 2) == BayesFactor(3, 2)
    assert BayesFactor.of(BayesFactor(3, 5)) == BayesFactor(3, 5)
    assert BayesFactor.of(BayesFactor(3, 5), 2) == BayesFactor(3, 2)
