"""The greedy network is that of a plain loop over all families."""

import numpy as np
import pytest

from noisyor._kernels import available_builds, load_build
from noisyor.core.variable_sets import to_words, word_count
from tests.oracles.greedy import greedy_network

Families = list[list[tuple[int, float]]]


def random_families(seed: int, variables: int, empty: float) -> Families:
    """Return families with few different costs, so that there are ties.

    Each variable has one without parents with the probability `empty`.
    """
    rng = np.random.default_rng(seed)
    families = []
    for child in range(variables):
        others = [v for v in range(variables) if v != child]
        sets = {0} if rng.random() < empty else set()
        for _ in range(rng.integers(1, 5)):
            sets.add(
                sum(1 << int(v) for v in rng.choice(others, rng.integers(1, 4), replace=False))
            )
        costs = np.sort(rng.integers(0, 6, len(sets))).astype(float).tolist()
        families.append(list(zip(sorted(sets, key=lambda _: rng.random()), costs, strict=True)))
    return families


@pytest.mark.parametrize("build", available_builds())
@pytest.mark.parametrize("variables", [5, 30, 65, 129, 300])
@pytest.mark.parametrize("empty", [0.2, 0.6])
def test_it_places_what_a_plain_loop_places(build: str, variables: int, empty: float) -> None:
    stuck_ever = False
    for seed in range(20 if variables < 100 else 1):
        families = random_families(seed, variables, empty)
        first = np.cumsum([0, *map(len, families)])
        sets = [parents for own in families for parents, _ in own]
        costs = np.array([cost for own in families for _, cost in own])
        found, stuck = load_build(build).greedy_network(
            first, to_words(sets, word_count(variables)), costs
        )
        expected, left = greedy_network(families)
        assert stuck == left
        assert {v: int(found[v] - first[v]) for v in expected} == expected
        stuck_ever = stuck_ever or bool(stuck)
    assert stuck_ever or empty > 0.5 or variables > 100
