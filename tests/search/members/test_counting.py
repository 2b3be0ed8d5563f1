"""Subtrees of the enumeration can be counted separately, in any order, anywhere."""

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import BayesFactor
from noisyor.core.credible_set import Labels
from noisyor.search.bounds.duals import Cuts, duals_of
from noisyor.search.members.component import Walk
from noisyor.search.members.counting import WalkToCount, members_of
from noisyor.search.preparation import prepare
from tests.search.tables import random_case

SEEDS = range(12)


def walk_of(seed: int) -> tuple[WalkToCount, "kernels.Members"]:
    """Return a walk with sums outside, of two ways each."""
    rng = np.random.default_rng(seed)
    case = random_case(seed, n=6, most_families=12)
    problem = prepare(case.table(), BayesFactor(1000), Labels.BEST, None)
    families = problem.families
    duals = duals_of(families, Cuts.none(1))
    best = members_of(families, duals, 2**61).best(1, 1, kernels.Cancellation())
    optimum = int(best.ticks[0])
    sums = np.concatenate(([0], np.sort(rng.integers(0, problem.slack, size=20))))
    ways = np.arange(0, 2 * len(sums) + 1, 2, dtype=np.uint64)
    walk = WalkToCount(
        families,
        duals,
        optimum + problem.slack,
        optimum,
        problem.tick,
        sums,
        np.stack([ways, np.zeros_like(ways)], axis=1),
        np.concatenate(([0.0], np.cumsum(np.exp(-problem.tick * sums)))),
    )
    return walk, members_of(families, duals, walk.limit)


def same(one: Walk, other: Walk) -> bool:
    return (
        one.count == other.count
        and one.weight == other.weight
        and one.counts.tolist() == other.counts.tolist()
        and one.weights.tolist() == other.weights.tolist()
        and one.has_member.tolist() == other.has_member.tolist()
        and one.least.tolist() == other.least.tolist()
        and one.histogram.tolist() == other.histogram.tolist()
        and one.weight_histogram.tolist() == other.weight_histogram.tolist()
        and one.marks.size == other.marks.size
        and one.marks.total(True).tolist() == other.marks.total(True).tolist()
        and one.costliest_choice.tolist() == other.costliest_choice.tolist()
        and one.costliest_outside == other.costliest_outside
        and one.nodes == other.nodes
    )


@pytest.mark.parametrize("size", [1, 3])
def test_subtrees_counted_separately_and_out_of_order_add_up_to_the_last_bit(size: int) -> None:
    several = 0
    for seed in SEEDS:
        walk, handle = walk_of(seed)
        never = kernels.Cancellation()
        whole = walk.count(handle, 0, handle.subtrees, 2, never)
        begins = np.random.default_rng(seed).permutation(np.arange(0, handle.subtrees, size))
        gathered = walk.count(handle, 0, 0, 1, never)
        for begin in begins.tolist():
            another = members_of(walk.families, walk.duals, walk.limit)  # as on a worker
            part = walk.count(another, begin, min(begin + size, handle.subtrees), 1, never)
            gathered.take(kernels.CountedSubtrees.of(part.apart()))
        assert same(Walk.of(gathered, handle.subtrees, ()), Walk.of(whole, handle.subtrees, ()))
        several += handle.subtrees > 20
    assert several > 5


def test_a_missing_or_repeated_subtree_is_noticed() -> None:
    walk, handle = walk_of(1)
    never = kernels.Cancellation()
    some = walk.count(handle, 1, handle.subtrees, 1, never)
    assert not some.complete(handle.subtrees)
    with pytest.raises(RuntimeError, match="went missing, or came twice"):
        Walk.of(some, handle.subtrees, ())
    doubled = walk.count(handle, 1, handle.subtrees, 1, never)
    doubled.take(walk.count(handle, 1, 2, 1, never))  # as many as there are
    assert not doubled.complete(handle.subtrees)
    some.take(walk.count(handle, 0, 2, 1, never))
    with pytest.raises(RuntimeError, match="went missing, or came twice"):
        Walk.of(some, handle.subtrees, ())


def test_subtrees_that_do_not_exist_are_refused() -> None:
    walk, handle = walk_of(1)
    with pytest.raises(IndexError):
        walk.count(handle, 0, handle.subtrees + 1, 1, kernels.Cancellation())


def test_a_stopped_count_is_not_complete_wherever_it_ran() -> None:
    walk, handle = walk_of(1)
    stopped = kernels.Cancellation()
    stopped.cancel()
    part = walk.count(handle, 0, handle.subtrees, 1, stopped)
    assert not kernels.CountedSubtrees.of(part.apart()).complete(handle.subtrees)


def test_subtrees_with_a_part_missing_are_refused() -> None:
    walk, handle = walk_of(1)
    apart = walk.count(handle, 0, 1, 1, kernels.Cancellation()).apart()
    del apart["places"]
    with pytest.raises(KeyError):
        kernels.CountedSubtrees.of(apart)
