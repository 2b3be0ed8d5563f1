"""Members are drawn with the right frequencies, whatever the enumeration skips."""

from collections import Counter
from dataclasses import replace
from math import exp

import numpy as np
import pytest

from noisyor.core.credible_set import CredibleSet, Member
from noisyor.search.members import counting
from noisyor.search.members.drawing import below, ranks_below
from noisyor.search.members.enumeration import Enumeration
from noisyor.search.members.listed import ListedMembers
from tests.oracles.networks import NaiveSet
from tests.search.agreement import found, network_of, oracle
from tests.search.tables import BOUNDARY_SLACK, Case, random_case

NEVER = 2**40
SIZE = 4_000
CASES = [
    random_case(3, n=4, style="uniform", most_families=9),
    random_case(5, n=5, style="whole", most_families=9),
    random_case(11, n=5, style="uniform", blocks=2, most_families=9),
]
IDS = ["one part", "ties", "two parts"]


@pytest.mark.parametrize("large", [1, NEVER], ids=["all marked", "none marked"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_samples_have_the_frequencies_of_the_set(
    case: Case, weighted: bool, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_LARGE_SUBTREE", large)
    case = replace(case, factor=exp(BOUNDARY_SLACK))
    credible, naive = found(case), oracle(case)
    assert len(naive.members) > 5
    drawn = credible.sample(SIZE, seed=1, weighted=weighted)
    assert len(drawn) == SIZE
    check_frequencies(drawn, naive, weighted=weighted)
    first, again, other = (credible.sample(50, seed=s, weighted=weighted) for s in (2, 2, 3))
    assert first == again
    assert first != other
    assert credible.sample(0, seed=1, weighted=weighted) == []


def check_frequencies(drawn: list[Member], naive: NaiveSet, *, weighted: bool) -> None:
    """Check the chi-square statistic generously: up to six deviations above its mean."""
    count = len(naive.members)
    shares = naive.weights() if weighted else [1 / count] * count
    seen = Counter(map(network_of, drawn))
    assert seen.keys() <= naive.networks
    statistic = 0.0
    for share, (_, network) in zip(shares, naive.members, strict=True):
        expected = share * len(drawn)
        assert expected > 5
        statistic += (seen[network] - expected) ** 2 / expected
    freedom = count - 1
    assert statistic < freedom + 6 * (2 * freedom) ** 0.5 + 6


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_skipped_subtrees_change_no_draw(
    seed: int, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace(
        random_case(seed, n=8, style="uniform", most_families=12, blocks=1 + seed % 2), factor=150.0
    )
    draws, marks = [], []
    for large in (1, 4, 50, NEVER):
        monkeypatch.setattr(counting, "_LARGE_SUBTREE", large)
        credible = found(case)
        assert credible.complete
        draws.append(credible.sample(300, seed=7, weighted=weighted))
        marks.append(marks_of(credible))
    assert draws[0] == draws[1] == draws[2] == draws[3]
    assert len(set(draws[0])) > 50
    assert marks[0] > marks[1] > marks[3]


def marks_of(credible: CredibleSet) -> int:
    """Return the number of marks that the enumeration of the set has left."""
    members = credible.members
    assert isinstance(members, ListedMembers)
    sizes = []
    for one in members._union._branches:
        assert isinstance(one.enumeration, Enumeration)
        walk = one.enumeration._walk
        sizes.append(0 if walk is None else walk.marks.size)
    return sum(sizes)


def test_random_integers_of_any_size_are_below_their_limit_and_reach_all_of_it() -> None:
    rng = np.random.default_rng(1)
    assert {below(5, rng) for _ in range(200)} == {0, 1, 2, 3, 4}
    assert below(1, rng) == 0
    limit = 10**40
    drawn = [below(limit, rng) for _ in range(200)]
    assert max(drawn) < limit
    assert min(drawn) < limit // 20
    assert max(drawn) > limit - limit // 20


def test_ranks_come_in_order_with_their_places() -> None:
    ranks, order = ranks_below(10**30, 50, np.random.default_rng(2))
    assert ranks == sorted(ranks)
    assert sorted(order) == list(range(50))
    one_by_one = np.random.default_rng(2)
    drawn = [below(10**30, one_by_one) for _ in range(50)]
    assert [drawn[i] for i in order] == ranks
