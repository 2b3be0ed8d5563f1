"""The best network with at most one parent at each node, and the cuts that prove it."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core.variable_sets import from_words
from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.duals import duals_of
from noisyor.search.bounds.effort import QUICK, Ending
from noisyor.search.bounds.tree import are_trees, best_tree
from tests.oracles import cuts as oracle
from tests.search.bounds.test_root import TICK, families_of
from tests.support.effort import scaled


@st.composite
def trees(draw: st.DrawFn) -> list[list[oracle.Family]]:
    """Return families with at most one parent, some of them missing."""
    count = draw(st.integers(2, 6))
    ticks = st.integers(0, 30)
    choices = []
    for child in range(count):
        parents = draw(st.sets(st.integers(0, count - 1))) - {child}
        own = [(1 << parent, draw(ticks)) for parent in sorted(parents)]
        if child == 0 or not own or draw(st.booleans()):
            own.append((0, draw(ticks) + 20))
        choices.append(sorted(own, key=lambda family: family[1]))
    return choices


def in_order(choices: list[list[oracle.Family]], order: Sequence[int]) -> int | None:
    """Return the least ticks of a network in an order, None if there is none."""
    total, before = 0, 0
    for child in order:
        fitting = [ticks for parents, ticks in choices[child] if not parents & ~before]
        if not fitting:
            return None
        total += min(fitting)
        before |= 1 << child
    return total


def optimum(choices: list[list[oracle.Family]]) -> int | None:
    """Return the least ticks of a network in any order."""
    totals = (in_order(choices, order) for order in permutations(range(len(choices))))
    return min((total for total in totals if total is not None), default=None)


@settings(max_examples=scaled(200), deadline=None)
@given(trees())
def test_the_cuts_prove_the_optimum_and_the_order_has_it(
    choices: list[list[oracle.Family]],
) -> None:
    families = families_of(choices)
    assert are_trees(families)
    tree = best_tree(families)
    cuts = tree.cuts
    proven = duals_of(families, cuts).lower_bound
    best = optimum(choices)
    if best is not None:
        assert proven == best
        assert in_order(choices, tree.order.tolist()) == best
    assert (cuts.weights > 0).all()
    clusters = from_words(cuts.clusters.variables)
    assert all(cluster.bit_count() > 1 for cluster in clusters)
    for one in clusters:  # nested or disjoint
        assert all(one & other in {0, one, other} for other in clusters)


def test_a_linear_program_that_starts_with_them_has_nothing_left_to_do() -> None:
    rng = np.random.default_rng(5)
    count = 70  # in two words
    choices = [
        [(0, 1000)]
        + [(1 << parent, int(rng.integers(1, 900))) for parent in range(count) if parent != child]
        for child in range(count)
    ]
    families = families_of([sorted(own, key=lambda family: family[1]) for own in choices])
    tree = best_tree(families)
    work = Bounding(families, TICK)
    work.improve_order(tree.order)
    work.begin(tree.cuts)
    assert work.run(QUICK) is Ending.CLOSED
    assert work.rounds == 0


def test_families_with_more_parents_are_not_trees() -> None:
    families = families_of([[(0, 5), (0b110, 1)], [(0, 1)], [(0, 1)]])
    assert not are_trees(families)
    assert len(best_tree(families).cuts) == 0
