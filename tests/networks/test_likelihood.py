"""The likelihood of records that a network was not fitted to."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    Cpt,
    Dataset,
    Family,
    MismatchError,
    Network,
    Provenance,
    SettingsError,
    Structure,
)
from noisyor.core import NoisyOr as NoisyOrValues
from noisyor.core.relations import NOISY_OR
from noisyor.core.variable import States, variables_of
from noisyor.networks import held_out, log_likelihood, sample_dataset
from noisyor.networks.likelihood import row_log_likelihoods
from tests.oracles.joint import joint
from tests.support.effort import scaled

NETWORK = Network(
    Structure(("a", "b"), (Family(0, 0), Family(1, 1, NOISY_OR))),
    variables_of(("a", "b"), (("no", "yes"),) * 2),
    (Cpt.binary([0.25]), NoisyOrValues(np.array([0.4]))),
    None,
    Provenance("test"),
)


def records(names: tuple[str, ...], counts: dict[int, int], *pairs: States) -> Dataset:
    rows = sorted(counts)
    return Dataset.from_bits(
        names,
        np.array([[row] for row in rows], dtype=np.uint64),
        np.array([counts[row] for row in rows], dtype=np.int64),
        pairs,
    )


def test_a_hand_worked_likelihood() -> None:
    data = records(("a", "b"), {0b00: 3, 0b01: 1, 0b11: 2}, *NETWORK.states)
    expected = 3 * math.log(0.75) + math.log(0.25 * 0.4) + 2 * math.log(0.25 * 0.6)
    assert log_likelihood(NETWORK, data) == pytest.approx(expected)
    report = held_out(NETWORK, data)
    assert report.impossible == 0
    assert report.mean == report.mean_possible == pytest.approx(expected / 6)


def test_variables_are_found_by_name_and_states_by_label() -> None:
    # b comes first, and the states of a are swapped: the same records as above.
    data = records(("b", "a"), {0b10: 3, 0b00: 1, 0b01: 2}, ("no", "yes"), ("yes", "no"))
    expected = 3 * math.log(0.75) + math.log(0.25 * 0.4) + 2 * math.log(0.25 * 0.6)
    assert log_likelihood(NETWORK, data) == pytest.approx(expected)


def test_impossible_records_are_counted_and_the_smoothed_mean_is_finite() -> None:
    data = records(("a", "b"), {0b00: 3, 0b10: 1}, *NETWORK.states)  # b without its only cause
    assert log_likelihood(NETWORK, data) == -math.inf
    report = held_out(NETWORK, data, smoothing=0.1)
    assert (report.records, report.impossible, report.impossible_share) == (4, 1, 0.25)
    assert report.mean == -math.inf
    assert report.mean_possible == pytest.approx(math.log(0.75))
    absent_a = 0.9 * 0.75 + 0.05
    expected = (3 * math.log(absent_a * 0.95) + math.log(absent_a * 0.05)) / 4
    assert report.mean_smoothed == pytest.approx(expected)
    assert report.smoothing == 0.1


@pytest.mark.parametrize(("causes", "q"), [(20, 0.1), (60, 1e-9)])
def test_the_absence_of_an_effect_with_many_strong_causes_is_unlikely_but_possible(
    causes: int, q: float
) -> None:
    """The chances of absence are 1e-20 and 1e-540: subtracted from 1 they vanish."""
    families = [Family(v, 0) for v in range(causes)]
    names = tuple(f"v{v}" for v in range(causes + 1))
    network = Network(
        Structure(names, (*families, Family(causes, 2**causes - 1, NOISY_OR))),
        variables_of(names),
        (*[Cpt.binary([0.5])] * causes, NoisyOrValues(np.full(causes, q))),
        None,
        Provenance("test"),
    )
    data = records(network.names, {2**causes - 1: 3}, *network.states)
    expected = causes * (math.log(0.5) + math.log(q))
    assert log_likelihood(network, data) == pytest.approx(3 * expected, rel=1e-14)
    report = held_out(network, data)
    assert report.impossible == 0
    assert report.mean == pytest.approx(expected, rel=1e-14)
    smooth = causes * math.log(0.5) + math.log(0.999 * q**causes + 0.0005)
    assert report.mean_smoothed == pytest.approx(smooth, rel=1e-14)


def test_nothing_is_left_where_all_records_are_impossible() -> None:
    report = held_out(NETWORK, records(("a", "b"), {0b10: 5}, *NETWORK.states))
    assert report.impossible_share == 1
    assert math.isnan(report.mean_possible)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
@settings(max_examples=scaled(30))
def test_probabilities_of_all_rows_sum_to_one_smoothed_or_not(seed: int, smoothing: float) -> None:
    random = np.random.default_rng(seed)
    network = Network(
        Structure(("a", "b", "c"), (Family(0, 0b110), Family(1, 0b100), Family(2, 0))),
        variables_of(("a", "b", "c")),
        (Cpt.binary(random.random(4)), Cpt.binary(random.random(2)), Cpt.binary(random.random(1))),
        None,
        Provenance("test"),
    )
    everything = records(("a", "b", "c"), dict.fromkeys(range(8), 1))
    logs = row_log_likelihoods(network, everything)
    expected = [joint(network)[row & 1, row >> 1 & 1, row >> 2] for row in range(8)]
    assert np.exp(logs) == pytest.approx(expected, abs=1e-14)
    smooth = row_log_likelihoods(network, everything, smoothing=smoothing)
    assert np.exp(smooth).sum() == pytest.approx(1)


def test_the_mean_on_many_records_is_the_negative_entropy() -> None:
    data = sample_dataset(NETWORK, 100_000, seed=0)
    probabilities = joint(NETWORK)[joint(NETWORK) > 0]
    entropy = -(probabilities * np.log(probabilities)).sum()
    assert held_out(NETWORK, data).mean == pytest.approx(-entropy, abs=0.01)


def test_other_variables_are_refused() -> None:
    with pytest.raises(MismatchError, match="only one of them has: b, c"):
        log_likelihood(NETWORK, records(("a", "c"), {0: 1}))


def test_other_states_are_refused() -> None:
    data = records(("a", "b"), {0: 1}, ("no", "yes"), ("absent", "present"))
    with pytest.raises(MismatchError, match="'b' are no and yes in the network and absent"):
        log_likelihood(NETWORK, data)


@pytest.mark.parametrize("smoothing", [0.0, -0.1, 1.1, math.nan])
def test_smoothing_is_a_share(smoothing: float) -> None:
    with pytest.raises(SettingsError, match="it must be above 0 and at most 1"):
        held_out(NETWORK, records(("a", "b"), {0: 1}, *NETWORK.states), smoothing=smoothing)


def test_states_of_any_number_are_matched_by_label() -> None:
    network = Network.from_tables(
        variables_of(("a", "b"), (("x", "y", "z"), ("no", "yes"))),
        ((), (0,)),
        ([0.2, 0.3, 0.5], [[0.9, 0.1], [0.4, 0.6], [1.0, 0.0]]),
        Provenance("test"),
    )
    variables = variables_of(("b", "a"), (("yes", "no"), ("z", "x", "y")))
    codes = np.array([[0, 1], [1, 1], [0, 2]], dtype=np.uint8)  # yes and x, no and x, yes and y
    data = Dataset(variables, codes, np.array([1, 2, 3]))
    expected = math.log(0.2 * 0.1) + 2 * math.log(0.2 * 0.9) + 3 * math.log(0.3 * 0.6)
    assert log_likelihood(network, data) == pytest.approx(expected)
    smooth = [
        math.log((0.9 * a + 0.1 / 3) * (0.9 * b + 0.05))
        for a, b in ((0.2, 0.1), (0.2, 0.9), (0.3, 0.6))
    ]
    expected = (smooth[0] + 2 * smooth[1] + 3 * smooth[2]) / 6
    assert held_out(network, data, smoothing=0.1).mean_smoothed == pytest.approx(expected)
