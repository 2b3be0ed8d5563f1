"""The rules of the walk through the members: switched off, nothing else changes."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import BayesFactor
from noisyor.core.credible_set import Labels
from noisyor.core.variable_sets import to_words
from noisyor.search.bounds.duals import Clusters, Cuts, Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.members.component import Walk, words_of_counts
from noisyor.search.members.counting import WalkToCount, members_of
from noisyor.search.preparation import prepare
from tests.search.tables import random_case

SWITCHES = list(itertools.product((True, False), repeat=2))
ALONE = [0]  # nothing outside but one way without excess


@dataclass(frozen=True)
class Counted:
    """What a walk finds with some of its rules."""

    walk: Walk
    members: set[tuple[int, ...]]
    by_rank: list[tuple[int, ...]]
    costliest: int
    best: list[int]
    first: tuple[int, ...]


def random_walk(seed: int, variables: int, sums: list[int], factor: float) -> WalkToCount:
    case = random_case(seed, n=variables, most_families=12, style=None if seed % 2 else "whole")
    problem = prepare(case.table(), BayesFactor(factor), Labels.BEST, None)
    duals = duals_of(problem.families, pair_cuts(problem.families, seed, problem.slack))
    return walk_of(problem.families, duals, problem.slack, problem.tick, sums)


def pair_cuts(families: Families, seed: int, largest: int) -> Cuts:
    """Return clusters of two or three variables with weights, so that choices raise prices."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 4, size=5).tolist()
    sets = [
        sum(1 << int(v) for v in rng.choice(families.variable_count, size=size, replace=False))
        for size in sizes
    ]
    weights = rng.integers(0, largest // 4, size=5)
    return Cuts(Clusters.plain(to_words(sets, 1), np.ones(5, dtype=np.int32)), weights)


def walk_of(
    families: Families, duals: Duals, slack: int, tick: float, sums: list[int]
) -> WalkToCount:
    """Return a walk with these sums outside, in one way each."""
    optimum = int(members_of(families, duals, 2**61).best(1, 1, kernels.Cancellation()).ticks[0])
    weights = np.cumsum(np.exp(-tick * np.array(sums)))
    return WalkToCount(
        families,
        duals,
        optimum + slack,
        optimum,
        tick,
        np.array(sums, dtype=np.int64),
        words_of_counts(list(range(len(sums) + 1))),
        np.concatenate(([0.0], weights)),
    )


def counted(walk: WalkToCount, *, groups: bool, merges: bool) -> Counted:
    families, never = walk.families, kernels.Cancellation()
    handle = members_of(families, walk.duals, walk.limit, groups=groups, merges=merges)
    found = Walk.of(walk.count(handle, 0, handle.subtrees, 1, never), handle.subtrees, ())
    picked = handle.at_ranks(
        words_of_counts(list(range(found.count))),
        False,
        walk.sums,
        walk.ways,
        walk.weights,
        walk.optimum,
        walk.decay,
        found.marks,
        1,
    )
    rows, outside = picked.choices.tolist(), picked.outside.tolist()
    best = handle.best(50, 1, never)
    return Counted(
        found,
        listed(handle, families),
        [(*choice, *rest) for choice, rest in zip(rows, outside, strict=True)],
        int(families.ticks[found.costliest_choice].sum()) + int(walk.sums[found.costliest_outside]),
        best.ticks.tolist(),
        tuple(handle.first(never).tolist()),
    )


def listed(handle: "kernels.Members", families: Families) -> set[tuple[int, ...]]:
    stream = handle.stream(2**10, 2)
    found: list[tuple[int, ...]] = []
    while len(chosen := stream.next(families.variable_count)[0]):
        found.extend(map(tuple, chosen.tolist()))
    stream.close()
    assert len(set(found)) == len(found)
    return set(found)


def check_same(one: Counted, other: Counted) -> None:
    assert one.members == other.members
    assert one.walk.count == other.walk.count
    assert one.walk.counts.tolist() == other.walk.counts.tolist()
    assert one.walk.histogram.tolist() == other.walk.histogram.tolist()
    assert one.walk.has_member.tolist() == other.walk.has_member.tolist()
    assert one.walk.least.tolist() == other.walk.least.tolist()
    np.testing.assert_allclose(one.walk.weights, other.walk.weights, rtol=1e-12)
    np.testing.assert_allclose(one.walk.weight_histogram, other.walk.weight_histogram, rtol=1e-12)
    assert sorted(one.by_rank) == sorted(other.by_rank)
    assert one.costliest == other.costliest
    assert one.best == other.best
    assert one.first == other.first


@pytest.mark.parametrize("sums", [ALONE, [0, 2**33, 2**35]], ids=["alone", "with others"])
def test_without_its_rules_the_walk_finds_the_same(sums: list[int]) -> None:
    nodes = dict.fromkeys(SWITCHES, 0)
    most = 0
    for seed in range(12):
        walk = random_walk(seed, 7, sums, 100.0)
        expected = counted(walk, groups=False, merges=False)
        assert len(set(expected.by_rank)) == expected.walk.count
        assert {row[:7] for row in expected.by_rank} == expected.members
        most = max(most, len(expected.members))
        for groups, merges in SWITCHES:
            found = counted(walk, groups=groups, merges=merges)
            check_same(found, expected)
            nodes[groups, merges] += found.walk.nodes
    assert most > 1000
    assert 2 * nodes[True, True] < nodes[False, True]


def test_options_that_differ_only_in_free_parents_are_not_told_apart() -> None:
    # Two variables may each be a parent of the other; either also has any subset of five free ones.
    free = 5
    extras = [
        sum(1 << (2 + i) for i in chosen)
        for k in range(free + 1)
        for chosen in itertools.combinations(range(free), k)
    ]
    parents = [*extras, *(2 | one for one in extras), *extras, *(1 | one for one in extras)]
    parents += [0] * free
    sizes = [0, 2 * len(extras), 2 * len(extras), *[1] * free]
    rng = np.random.default_rng(1)
    families = Families(
        first=np.cumsum(sizes),
        parents=to_words(parents, 1),
        ticks=np.concatenate([np.sort(rng.integers(0, 50, size=size)) for size in sizes[1:]]),
        rows=np.arange(len(parents)),
    )
    walk = walk_of(families, duals_of(families, Cuts.none(1)), 10**6, 1e-3, ALONE)
    found = counted(walk, groups=True, merges=True)
    half = len(extras)
    assert found.walk.count == half * half + 2 * half * half  # not both edges at once
    assert found.walk.nodes <= 3
    assert counted(walk, groups=False, merges=False).walk.nodes > half
    check_same(found, counted(walk, groups=False, merges=True))


def test_a_leaf_of_many_lists_is_counted_in_parts() -> None:
    """Too many choices for two halves: some lists are gone through one option at a time."""
    children = 36
    families = Families(
        first=np.array([*range(0, 2 * children + 1, 2), 2 * children + 1]),
        parents=to_words([0, 1 << children] * children + [0], 1),
        ticks=np.array([0, 1] * children + [0]),
        rows=np.arange(2 * children + 1),
    )
    walk = walk_of(families, duals_of(families, Cuts.none(1)), children, 0.1, ALONE)
    handle = members_of(families, walk.duals, walk.limit)
    counts = Walk.of(walk.count(handle, 0, handle.subtrees, 1, kernels.Cancellation()), 1, ())
    assert counts.count == 2**children
    assert counts.counts.tolist()[: 2 * children] == [2 ** (children - 1)] * (2 * children)
    assert counts.weight == pytest.approx((1 + np.exp(-0.1)) ** children, rel=1e-12)
    ranks = np.linspace(0, 2**children - 1, 40).astype(int).tolist()
    picked = handle.at_ranks(
        words_of_counts(ranks), False, walk.sums, walk.ways, walk.weights, 0, 0.1, counts.marks, 1
    )
    assert len({tuple(choice) for choice in picked.choices.tolist()}) == len(ranks)
