"""The kernel's Markov chain, against its transition matrix."""

import numpy as np
import pytest

from noisyor._kernels import available_builds, load_build
from noisyor.core.variable_sets import to_words
from tests.oracles.network_chain import Chain, Family, watched

TICK = 2.0**-20
LIMIT = 3.0
DRAWS = 20_000


def families(seed: int, n: int = 4) -> list[list[Family]]:
    """Return a few families for each variable; not every one can do without parents."""
    rng = np.random.default_rng(seed)
    found: list[list[Family]] = []
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = {frozenset(np.flatnonzero(rng.random(n) < 0.5).tolist()) & set(others)}
        sets |= {frozenset({v}) for v in others if rng.random() < 0.7}
        if child == 0 or rng.random() < 0.5:
            sets.add(frozenset())
        costs = np.sort(np.round(rng.random(len(sets)) * 3 / TICK) * TICK)
        order = rng.permutation(len(sets))
        ordered = [sorted(sets, key=sorted)[i] for i in order]
        found.append(list(zip(ordered, costs.tolist(), strict=True)))
    return found


def chain_of(seed: int, slope: float = 2.0) -> Chain:
    own = families(seed)
    least = min(Chain(own, 0, 1).networks, key=Chain(own, 0, 1).cost)
    return Chain(own, Chain(own, 0, 1).cost(least) + LIMIT, slope)


@pytest.mark.parametrize("seed", range(5))
def test_every_move_is_reversible(seed: int) -> None:
    chain = chain_of(seed)
    for moves in (chain.single(), chain.block(2), chain.block(3)):
        assert moves.sum(axis=1) == pytest.approx(np.ones(len(moves)))
        flow = chain.target[:, None] * moves
        assert flow == pytest.approx(flow.T, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_watched_inside_has_the_weights_of_the_credible_set(seed: int) -> None:
    chain = chain_of(seed)
    inside = chain.inside()
    moves = watched(chain.sweep(), inside)
    target = chain.target[inside] / chain.target[inside].sum()
    assert 1 < inside.sum() < len(inside)
    assert target @ moves == pytest.approx(target, abs=1e-12)


@pytest.mark.parametrize("build", available_builds())
@pytest.mark.parametrize("seed", range(3))
def test_a_draw_of_the_kernel_has_the_probabilities_of_the_matrix(build: str, seed: int) -> None:
    kernels = load_build(build)
    chain = chain_of(seed)
    inside = chain.inside()
    states = [one for one, good in zip(chain.networks, inside, strict=True) if good]
    expected = watched(chain.sweep(), inside)
    counts = [len(own) for own in chain.families]
    first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    listed = [family for own in chain.families for family in own]
    parents = to_words([sum(1 << v for v in own) for own, _ in listed], 1)
    ticks = np.array([round(cost / TICK) for _, cost in listed], dtype=np.int64)
    start = np.array(states[0], dtype=np.uint32) + first[:-1].astype(np.uint32)
    chains = kernels.NetworkChains(first, parents, ticks, start, np.array([seed], dtype=np.uint64))
    cancellation = kernels.Cancellation()
    limit = round(chain.limit / TICK)
    chains.warm_up(limit, TICK, 9.0, 0, 1, cancellation)  # no sweep: the slope is the first one
    assert chains.slopes.tolist() == [chain.slope * TICK]
    place = {one: at for at, one in enumerate(states)}
    found = np.zeros(len(states))
    for _ in range(DRAWS):
        chains.put(0, start)
        (drawn,) = chains.draw(limit, TICK, -1, 1, 1, 1000, 1, cancellation)
        found[place[tuple((drawn.choices[0] - first[:-1]).tolist())]] += 1
    errors = np.sqrt(expected[0] * (1 - expected[0]) / DRAWS) + 1e-4
    assert (np.abs(found / DRAWS - expected[0]) / errors).max() < 4.5
