"""Whether chains agree, on series whose figures are known."""

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.search.sampling.diagnostics import effective_draws, split_r_hat

Series = npt.NDArray[np.float64]


def autoregressive(correlation: float, draws: int = 5000, chains: int = 4) -> Series:
    rng = np.random.default_rng(1)
    found = np.zeros((chains, draws, 1))
    found[:, 0, 0] = rng.normal(size=chains) / np.sqrt(1 - correlation**2)
    for t in range(1, draws):
        found[:, t, 0] = correlation * found[:, t - 1, 0] + rng.normal(size=chains)
    return found


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_effective_draws_of_a_correlated_series(correlation: float) -> None:
    series = autoregressive(correlation)
    expected = series.size * (1 - correlation) / (1 + correlation)
    assert effective_draws(series)[0] == pytest.approx(expected, rel=0.15)
    assert split_r_hat(series)[0] == pytest.approx(1, abs=0.01)


def test_indicators_of_independent_draws() -> None:
    series = (np.random.default_rng(2).random((4, 1000, 3)) < [0.5, 0.1, 0.01]).astype(float)
    assert split_r_hat(series) == pytest.approx(np.ones(3), abs=0.01)
    assert effective_draws(series) == pytest.approx(np.full(3, 4000), rel=0.2)


def test_a_chain_that_is_elsewhere_shows() -> None:
    series = autoregressive(0.0, draws=500)
    series[0] += 1
    assert split_r_hat(series)[0] > 1.05
    assert effective_draws(series)[0] < 100


def test_a_chain_that_drifts_shows() -> None:
    series = autoregressive(0.0, draws=500)
    series[:, :250] += 1
    assert split_r_hat(series)[0] > 1.05


def test_what_never_changes_is_agreed_upon_and_stuck_chains_are_not() -> None:
    fixed = np.ones((4, 100, 1))
    assert split_r_hat(fixed).tolist() == [1.0]
    assert effective_draws(fixed).tolist() == [400.0]
    fixed[0] = 0
    assert split_r_hat(fixed).tolist() == [np.inf]
    assert effective_draws(fixed)[0] < 10
