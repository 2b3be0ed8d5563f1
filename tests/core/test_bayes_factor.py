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


def test_factors_are_ordered_values() -> None:
    assert BayesFactor(3) < BayesFactor(20)
    assert BayesFactor(3) == BayesFactor(3.0)
    assert hash(BayesFactor(3)) == hash(BayesFactor(3.0))
