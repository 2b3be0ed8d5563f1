"""Inference in every build: the same bits."""

import numpy as np
import numpy.typing as npt
import pytest

from noisyor._kernels import available_builds, load_build
from noisyor.core import Network, Provenance
from noisyor.core.variable import variables_of
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.flat_network import flat_network
from tests.inference.networks import any_network, network_of, random_network, root, table
from tests.oracles.joint import joint, marginals
from tests.support.effort import chosen

builds = pytest.mark.parametrize("build", available_builds())
LIMITS = (2.0**24, 2.0**24)
NOTHING = (np.empty(0, dtype=np.int32), np.empty(0))


def observations(random: np.random.Generator, network: Network, rows: int) -> npt.NDArray[np.uint8]:
    """Return rows in which about two of five variables are observed."""
    sizes = [variable.state_count for variable in network.variables]
    states = random.integers(0, sizes, (rows, len(sizes)))
    known = random.random(states.shape) < 0.4
    return np.where(known, states, UNKNOWN).astype(np.uint8)


@builds
@pytest.mark.parametrize("seed", range(10))
def test_every_build_gives_the_same_bits(
    build: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(seed)
    variables = int(random.integers(2, 40))
    make = random_network if seed % 2 else any_network
    network = make(random, variables, certain=0.05)
    rows = observations(random, network, 50)
    targets = np.ones(variables, dtype=np.uint8)
    answers = []
    for name in (build, "plain"):
        kernels = load_build(name)
        monkeypatch.setattr("noisyor.inference.flat_network.kernels", kernels)
        flat = flat_network(network)
        chances, log_evidence, size = kernels.marginals(flat, rows, *NOTHING, targets, *LIMITS)
        assert (log_evidence <= 0).all()
        possible = rows[np.isfinite(log_evidence)][0]
        unknown = np.flatnonzero(possible == UNKNOWN)[:3].astype(np.int32)
        together = kernels.joint(flat, possible, *NOTHING, unknown, *LIMITS)
        likeliest = kernels.most_probable(flat, possible, *NOTHING, *LIMITS)
        arrays = (chances, log_evidence, together[0], likeliest[0])
        answers.append(([one.tobytes() for one in arrays], size, together[1:], likeliest[1:]))
    assert answers[0] == answers[1]
    assert not answers[0][1][0]


@builds
@pytest.mark.parametrize("seed", range(chosen(quick=4, full=10)))
def test_every_build_equals_brute_force(
    build: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = load_build(build)
    monkeypatch.setattr("noisyor.inference.flat_network.kernels", kernels)
    random = np.random.default_rng(seed)
    network = random_network(random, 9, certain=0.1)
    rows = observations(random, network, 5)
    targets = np.ones(9, dtype=np.uint8)
    found, log_evidence, _ = kernels.marginals(
        flat_network(network), rows, *NOTHING, targets, *LIMITS
    )
    for row, both, log_one in zip(rows, found, log_evidence, strict=True):
        if np.isfinite(log_one):
            wanted = marginals(network, {v: int(x) for v, x in enumerate(row) if x < UNKNOWN})
            np.testing.assert_allclose(both[1::2], wanted, rtol=0, atol=1e-12)
            np.testing.assert_allclose(both.reshape(-1, 2).sum(axis=1), 1, rtol=1e-15)


@builds
def test_every_build_walks_over_large_tables(build: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clique of 13,824 entries is more than a block, and its axes have odd sizes."""
    kernels = load_build(build)
    monkeypatch.setattr("noisyor.inference.flat_network.kernels", kernels)
    random = np.random.default_rng(3)
    sizes = (2, 3, 4, 2, 3, 4, 2, 3, 4)
    network = full_clique(random, sizes)
    whole = joint(network)
    rows = np.full((1, len(sizes)), UNKNOWN, dtype=np.uint8)
    targets = np.ones(len(sizes), dtype=np.uint8)
    flat = flat_network(network)
    found, log_evidence, _ = kernels.marginals(flat, rows, *NOTHING, targets, *LIMITS)
    assert log_evidence[0] == pytest.approx(0, abs=1e-12)
    axes = range(len(sizes))
    wanted = [whole.sum(axis=tuple(other for other in axes if other != v)) for v in axes]
    np.testing.assert_allclose(found[0], np.concatenate(wanted), rtol=1e-12)
    asked = np.array([7, 0, 4], dtype=np.int32)
    values, _, _ = kernels.joint(flat, rows[0], *NOTHING, asked, *LIMITS)
    part = whole.sum(axis=(1, 2, 3, 5, 6, 8)).transpose((2, 0, 1))
    np.testing.assert_allclose(values, part.ravel(order="F"), rtol=1e-12)
    states, log_best, _ = kernels.most_probable(flat, rows[0], *NOTHING, *LIMITS)
    assert states.astype(int).tolist() == list(np.unravel_index(whole.argmax(), sizes))
    assert log_best == pytest.approx(np.log(whole.max()), rel=1e-12)


def full_clique(random: np.random.Generator, sizes: tuple[int, ...]) -> Network:
    """Return a network in which every variable depends on all before it."""
    names = [f"v{v}" for v in range(len(sizes))]
    labels = [tuple(map(str, range(size))) for size in sizes]
    tables = []
    for v in range(len(sizes)):
        table = random.random(sizes[: v + 1])
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return Network.from_tables(
        variables_of(names, labels), [range(v) for v in range(len(sizes))], tables, Provenance("")
    )


@builds
def test_every_build_notices_products_that_are_too_small(
    build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = load_build(build)
    monkeypatch.setattr("noisyor.inference.flat_network.kernels", kernels)
    for_it, against = table([0], 1e-5, 1), table([0], 1, 1e-5)
    network = network_of(root(0.2), *[for_it] * 100, *[against] * 100)
    row = np.array([[UNKNOWN, *[1] * 200]], dtype=np.uint8)
    targets = np.array([1, *[0] * 200], dtype=np.uint8)
    chances, log_evidence, _ = kernels.marginals(
        flat_network(network), row, *NOTHING, targets, *LIMITS
    )
    assert chances[0, :2] == pytest.approx([0.8, 0.2], rel=1e-11)
    assert log_evidence[0] == pytest.approx(100 * np.log(1e-5), rel=1e-13)
