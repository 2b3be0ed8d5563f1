"""Inference in every build: the same bits."""

import numpy as np
import pytest

from noisyor._kernels import available_builds, load_build
from noisyor.inference.flat_network import FlatNetwork
from tests.inference.networks import network_of, random_network, root, table
from tests.oracles.joint import marginals

builds = pytest.mark.parametrize("build", available_builds())
MOST_ENTRIES = 2**20
UNKNOWN = 2


@builds
@pytest.mark.parametrize("seed", range(10))
def test_every_build_gives_the_same_bits(build: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    variables = int(random.integers(2, 40))
    arrays = FlatNetwork.of(random_network(random, variables, certain=0.05)).arrays()
    rows = random.choice([0, 1, UNKNOWN, UNKNOWN, UNKNOWN], (50, variables)).astype(np.uint8)
    targets = np.ones(variables, dtype=np.uint8)
    found, plain = load_build(build), load_build("plain")
    chances, log_evidence, entries = found.marginals(*arrays, rows, targets, MOST_ENTRIES)
    wanted, wanted_log, wanted_entries = plain.marginals(*arrays, rows, targets, MOST_ENTRIES)
    assert entries == wanted_entries
    assert log_evidence.tobytes() == wanted_log.tobytes()
    assert chances.tobytes() == wanted.tobytes()
    assert (log_evidence <= 0).all()
    possible = rows[np.isfinite(log_evidence)][0]
    unknown = np.flatnonzero(possible == UNKNOWN)[:3].astype(np.int32)
    for name, asked in (("joint", [possible, unknown]), ("most_probable", [possible])):
        one, one_log, _ = getattr(found, name)(*arrays, *asked, MOST_ENTRIES)
        other, other_log, _ = getattr(plain, name)(*arrays, *asked, MOST_ENTRIES)
        assert one.tobytes() == other.tobytes()
        assert one_log == other_log


@builds
@pytest.mark.parametrize("seed", range(10))
def test_every_build_equals_brute_force(build: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    network = random_network(random, 9, certain=0.1)
    arrays = FlatNetwork.of(network).arrays()
    rows = random.choice([0, 1, UNKNOWN, UNKNOWN, UNKNOWN], (5, 9)).astype(np.uint8)
    targets = np.ones(9, dtype=np.uint8)
    both, log_evidence, _ = load_build(build).marginals(*arrays, rows, targets, MOST_ENTRIES)
    for row, chances, log_one in zip(rows, both, log_evidence, strict=True):
        if np.isfinite(log_one):
            wanted = marginals(network, {v: int(x) for v, x in enumerate(row) if x < UNKNOWN})
            np.testing.assert_allclose(chances[:, 1], wanted, rtol=0, atol=1e-12)
            np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-15)


@builds
def test_every_build_notices_products_that_are_too_small(build: str) -> None:
    for_it, against = table([0], 1e-5, 1), table([0], 1, 1e-5)
    network = network_of(root(0.2), *[for_it] * 100, *[against] * 100)
    row = np.array([[UNKNOWN, *[1] * 200]], dtype=np.uint8)
    targets = np.array([1, *[0] * 200], dtype=np.uint8)
    arrays = FlatNetwork.of(network).arrays()
    chances, log_evidence, _ = load_build(build).marginals(*arrays, row, targets, MOST_ENTRIES)
    assert chances[0, 0] == pytest.approx([0.8, 0.2], rel=1e-11)
    assert log_evidence[0] == pytest.approx(100 * np.log(1e-5), rel=1e-13)
