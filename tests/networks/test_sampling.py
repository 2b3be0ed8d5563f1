"""Records drawn from a network follow its distribution."""

import numpy as np
import pytest

import noisyor
from noisyor.core import (
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    SettingsError,
    Structure,
)
from noisyor.networks import sample_dataset, sample_records
from tests.oracles.joint import joint

# Children come before their parents, so that the order of drawing matters.
NETWORK = Network(
    Structure(
        ("d", "c", "b", "a"),
        (
            Family(0, 0b1010, LEAKY_NOISY_OR),
            Family(1, 0b1100, NOISY_OR),
            Family(2, 0b1000),
            Family(3, 0),
        ),
    ),
    (("no", "yes"),) * 4,
    (
        NoisyOr(np.array([0.3, 0.6]), 0.9),
        NoisyOr(np.array([0.25, 0.5])),
        Cpt.known([0.7, 0.2]),
        Cpt.known([0.4]),
    ),
    None,
    Provenance("test"),
)


def test_frequencies_are_those_of_the_joint_distribution() -> None:
    size = 200_000
    records = sample_records(NETWORK, size, seed=3)
    index = records @ np.array([8, 4, 2, 1])
    expected = joint(NETWORK).reshape(-1) * size
    counts = np.bincount(index, minlength=16)
    assert (counts[expected == 0] == 0).all()
    possible = expected > 0
    chi2 = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    assert chi2 < 2 * possible.sum() + 20


def test_a_noisy_or_of_many_causes_is_drawn_like_one_of_few() -> None:
    causes = 15
    structure = Structure(
        tuple(f"v{v}" for v in range(causes + 1)),
        (*(Family(v, 0) for v in range(causes)), Family(causes, (1 << causes) - 1, NOISY_OR)),
    )
    p, q = np.linspace(0.05, 0.3, causes), np.linspace(0.2, 0.9, causes)
    network = Network(
        structure,
        (("0", "1"),) * (causes + 1),
        (*(Cpt.known([one]) for one in p), NoisyOr(q)),
        None,
        Provenance("test"),
    )
    size = 100_000
    records = sample_records(network, size, seed=1)
    absent = float(np.prod(1 - p + p * q))
    spread = np.sqrt(absent * (1 - absent) / size)
    assert abs((~records[:, causes]).mean() - absent) < 5 * spread
    assert not records[~records[:, :causes].any(axis=1), causes].any()


def test_the_seed_decides_the_records() -> None:
    first = sample_records(NETWORK, 1000, seed=7)
    assert (sample_records(NETWORK, 1000, seed=7) == first).all()
    assert (sample_records(NETWORK, 1000, seed=8) != first).any()


def test_more_records_than_fit_in_one_batch_are_all_drawn() -> None:
    size = 2**16 + 3
    records = sample_records(NETWORK, size, seed=0)
    assert records.shape == (size, 4)
    shares = records.mean(axis=0)
    assert shares[3] == pytest.approx(0.4, abs=0.02)
    assert records[2**16 :].shape == (3, 4)


def test_a_data_set_counts_the_same_records() -> None:
    data = sample_dataset(NETWORK, 500, seed=2)
    records = sample_records(NETWORK, 500, seed=2)
    assert data.names == NETWORK.names
    assert data.states == NETWORK.states
    assert data.record_count == 500
    assert data.ones().tolist() == records.sum(axis=0).tolist()
    distinct = {tuple(row) for row in records.tolist()}
    assert len(data.weights) == len(distinct)


def test_learning_finds_the_network_that_records_were_drawn_from() -> None:
    truth = noisyor.example_truth("clinic")
    data = sample_dataset(truth, 20_000, seed=11)
    learned = noisyor.learn(data, 20).credible.best
    skeleton = {frozenset(edge) for edge in truth.structure.edges()}
    assert {frozenset(edge) for edge in learned.edges()} == skeleton


def test_no_records_are_a_sample_but_no_data_set() -> None:
    assert sample_records(NETWORK, 0, seed=0).shape == (0, 4)
    with pytest.raises(SettingsError, match="a data set has at least 1"):
        sample_dataset(NETWORK, 0, seed=0)


@pytest.mark.parametrize("size", [10**16, 10**30])
def test_more_records_than_memory_holds_are_refused(size: int) -> None:
    with pytest.raises(SettingsError, match=f"{size} records of 4 variables do not fit"):
        sample_records(NETWORK, size, seed=0)


@pytest.mark.parametrize(("size", "seed", "message"), [(-1, 0, "-1 records"), (1, -1, "seed")])
def test_sizes_and_seeds_are_not_negative(size: int, seed: int, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        sample_records(NETWORK, size, seed=seed)
