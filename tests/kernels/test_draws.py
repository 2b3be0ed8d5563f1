"""Draws given observations: exact in their expected numbers, and the same bits in every build."""

import numpy as np
import numpy.typing as npt
import pytest

from noisyor._kernels import available_builds, load_build
from noisyor.core import Network
from noisyor.inference import Inference
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.flat_network import flat_network
from tests.inference.networks import any_network, network_of, noisy_or, random_network, root
from tests.kernels.test_inference import LIMITS, observations
from tests.oracles.joint import joint


def conditional(network: Network, row: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Return the joint distribution given a row of observations, by brute force."""
    everything = joint(network)
    kept = np.zeros_like(everything)
    there = tuple(slice(None) if code == UNKNOWN else code for code in row.tolist())
    kept[there] = everything[there]
    total = kept.sum()
    return kept / total if total else kept


def drawn(network: Network, row: npt.NDArray[np.uint8], points: int, key: int) -> np.ndarray:
    """Return how often each configuration was drawn, an axis per variable."""
    found = Inference(network).draws(
        row[None], np.array([points]), np.array([key], dtype=np.uint64)
    )
    counts = np.zeros([variable.state_count for variable in network.variables])
    np.add.at(counts, tuple(found.codes.T), found.counts)
    return counts


@pytest.mark.parametrize("seed", range(8))
def test_the_share_of_each_completion_is_its_probability(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = (random_network if seed % 2 else any_network)(random, 5, certain=0.05)
    for row in observations(random, network, 4):
        expected = conditional(network, row)
        counts = drawn(network, row, 200_000, seed)
        if expected.sum():
            assert counts.sum() == 200_000
            assert counts / 200_000 == pytest.approx(expected, abs=1e-3)
            assert (counts[expected == 0] == 0).all()
        else:
            assert counts.sum() == 0


def test_few_points_have_the_right_expectation() -> None:
    random = np.random.default_rng(1)
    network = any_network(random, 4)
    row = np.array([UNKNOWN] * 3 + [0], dtype=np.uint8)
    expected = conditional(network, row)
    keys = 4000
    total = sum(drawn(network, row, 3, key) for key in range(keys))
    error = np.sqrt(expected * (1 - expected) / (3 * keys)) + 1e-4
    assert (abs(total / (3 * keys) - expected) < 5 * error).all()


@pytest.mark.parametrize("chances", [(0.75, 0.16), (0.16, 0.75)])
def test_parts_between_one_and_two_points_wide_keep_the_expectation(
    chances: tuple[float, float],
) -> None:
    network = network_of(*(root(chance) for chance in chances))
    first, second = chances
    expected = np.outer([1 - first, first], [1 - second, second])
    check_expectation(network, np.array([UNKNOWN] * 2, dtype=np.uint8), expected, points=10)


@pytest.mark.parametrize("seed", range(6))
def test_every_completion_has_its_expected_number(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = any_network(random, 4)
    row = np.full(4, UNKNOWN, dtype=np.uint8)
    row[: seed % 2] = 0
    points = int(random.integers(2, 25))
    check_expectation(network, row, conditional(network, row), points=points)


def check_expectation(
    network: Network, row: npt.NDArray[np.uint8], expected: npt.NDArray[np.float64], *, points: int
) -> None:
    """Check the mean number of each completion over many keys, and that it is but rounded."""
    keys = 20_000
    found = Inference(network).draws(
        np.tile(row, (keys, 1)), np.full(keys, points), np.arange(keys, dtype=np.uint64)
    )
    owner = np.searchsorted(found.ends, np.arange(len(found.codes)), side="right")
    counts = np.zeros((keys, *expected.shape))
    np.add.at(counts, (owner, *found.codes.T), found.counts)
    assert (abs(counts - points * expected) < 1 + 1e-9).all()
    # A number that is rounded up or down has a standard deviation of at most 1/2.
    assert counts.mean(axis=0) == pytest.approx(points * expected, abs=5 * 0.5 / keys**0.5)


def test_one_unknown_variable_is_rounded_up_or_down() -> None:
    network = network_of(root(0.3), noisy_or([0], 0.2, leak_q=0.9))
    row = np.array([UNKNOWN, 1], dtype=np.uint8)
    share = conditional(network, row)[1, 1]
    for key in range(50):
        counts = drawn(network, row, 10, key)
        assert counts[1, 1] in {np.floor(10 * share), np.ceil(10 * share)}


@pytest.mark.parametrize("build", available_builds())
@pytest.mark.parametrize("seed", range(4))
def test_every_build_draws_the_same(build: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(seed)
    network = any_network(random, int(random.integers(2, 30)), certain=0.05)
    rows = observations(random, network, 20)
    points = random.integers(1, 30, len(rows))
    keys = random.integers(0, 2**64, len(rows), dtype=np.uint64)
    answers = []
    for name in (build, "plain"):
        kernels = load_build(name)
        monkeypatch.setattr("noisyor.inference.flat_network.kernels", kernels)
        *arrays, size = kernels.draws(flat_network(network), rows, points, keys, *LIMITS)
        answers.append(([one.tobytes() for one in arrays], size))
        codes, counts, ends, logs = arrays
        assert counts.sum() == points[np.isfinite(logs)].sum()
        owner = np.searchsorted(ends, np.arange(len(codes)), side="right")
        seen = rows[owner]
        assert ((codes == seen) | (seen == UNKNOWN)).all()
    assert answers[0] == answers[1]


def test_a_row_alone_is_drawn_as_among_others() -> None:
    random = np.random.default_rng(7)
    network = any_network(random, 12)
    rows = observations(random, network, 6)
    points, keys = np.full(6, 5), np.arange(6, dtype=np.uint64)
    together = Inference(network).draws(rows, points, keys)
    for at, row in enumerate(rows):
        alone = Inference(network).draws(row[None], points[:1], keys[at : at + 1])
        begin = together.ends[at - 1] if at else 0
        assert (alone.codes == together.codes[begin : together.ends[at]]).all()
        assert alone.log_evidence[0] == together.log_evidence[at]
