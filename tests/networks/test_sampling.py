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
    NetworkError,
    NoisyOr,
    Provenance,
    SettingsError,
    Structure,
)
from noisyor.core.variable import variables_of
from noisyor.networks import sample_codes, sample_dataset, sample_records
from tests.oracles.joint import chance, joint

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
    variables_of(("d", "c", "b", "a"), (("no", "yes"),) * 4),
    (
        NoisyOr(np.array([0.3, 0.6]), 0.9),
        NoisyOr(np.array([0.25, 0.5])),
        Cpt.binary([0.7, 0.2]),
        Cpt.binary([0.4]),
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
        variables_of(structure.names),
        (*(Cpt.binary([one]) for one in p), NoisyOr(q)),
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
    ones = [int(data.state_counts(v)[1]) for v in range(4)]
    assert ones == records.sum(axis=0).tolist()
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


MANY_STATES = Network.from_tables(
    variables_of(
        ("size", "late", "colour"), (("s", "m", "l"), ("no", "yes"), ("r", "g", "b", "k"))
    ),
    ((), (2, 0), (0,)),
    (
        [0.2, 0.5, 0.3],
        np.linspace(0.05, 0.6, 12).reshape(4, 3, 1) * [1, -1] + [0, 1],
        [[0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]],
    ),
    Provenance("test"),
)


def test_variables_of_many_states_follow_their_tables() -> None:
    size = 200_000
    codes = sample_codes(MANY_STATES, size, seed=4)
    assert codes.dtype == np.uint8
    first, late, colour = (one.expand().axes() for one in MANY_STATES.distributions)
    # P(size, late, colour), from the definition; the parents of late are size, then colour.
    expected = first[:, None, None] * late.transpose(0, 2, 1) * colour[:, None, :] * size
    counts = np.zeros(expected.shape)
    np.add.at(counts, tuple(codes.T), 1)
    assert (counts[expected == 0] == 0).all()
    possible = expected > 0
    chi2 = ((counts - expected)[possible] ** 2 / expected[possible]).sum()
    assert chi2 < 2 * possible.sum() + 20


def test_a_data_set_of_many_states_counts_the_same_records() -> None:
    data = sample_dataset(MANY_STATES, 300, seed=5)
    codes = sample_codes(MANY_STATES, 300, seed=5)
    assert data.variables == MANY_STATES.variables
    repeated = np.repeat(data.codes, data.weights, axis=0)
    assert sorted(repeated.tolist()) == sorted(codes.tolist())


def test_records_of_present_and_absent_need_binary_variables() -> None:
    message = r"'size' has 3 states \(s, m, l\), .* noisyor.sample_codes draws"
    with pytest.raises(NetworkError, match=message):
        sample_records(MANY_STATES, 5, seed=0)


def test_a_state_is_how_many_tails_lie_above_the_drawn_number() -> None:
    codes = sample_codes(MANY_STATES, 50, seed=6)
    uniform = np.random.default_rng(6).random(50)  # the first variable is drawn first
    assert codes[:, 0].tolist() == [(u < 0.8) + (u < 0.3) for u in uniform.tolist()]


def test_binary_records_of_a_seed_do_not_change() -> None:
    """A record is present where the number drawn is below the chance of presence."""
    records = sample_records(NETWORK, 2000, seed=12)
    random = np.random.default_rng(12)
    columns = np.zeros((4, 2000), dtype=np.bool_)
    for child in NETWORK.structure.topological_order():
        rows = columns[list(NETWORK.structure.families[child].parent_indices())].T
        chances = [
            chance(NETWORK.distributions[child], row, 1) for row in rows.astype(int).tolist()
        ]
        columns[child] = random.random(2000) < chances
    assert (records == columns.T).all()
