"""The search finds what brute force finds: the optimum, and every credible network once."""

from collections import defaultdict
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core.credible_set import CredibleSet
from tests.oracles.networks import Key, bits, credible_set
from tests.search.agreement import (
    check_same,
    found,
    near,
    network_of,
    oracle,
    renamed_network,
)
from tests.search.tables import BOUNDARY_SLACK, Case, cases, random_case
from tests.support.effort import chosen, scaled

WAYS = [(labels, bounds) for labels in ("best", "all") for bounds in ("auto", "lp", "none")]


@pytest.mark.parametrize(("n", "graphs"), [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_brute_force_lists_all_graphs(n: int, graphs: int) -> None:
    costs = {(v, p, 0): 1.0 for v in range(n) for p in range(1 << n) if not p >> v & 1}
    everything = credible_set(costs, n, 0)
    assert everything is not None
    assert len(everything.members) == graphs
    check_same(found(Case(n, costs, 1.0)), everything)


@settings(max_examples=scaled(150))
@given(cases(), st.sampled_from(WAYS))
def test_it_agrees_with_brute_force(case: Case, way: tuple[str, str]) -> None:
    labels, bounds = way
    check_same(found(case, labels, bounds), oracle(case, labels))


@pytest.mark.parametrize("batch", range(chosen(quick=1, full=10)))
def test_it_agrees_with_brute_force_on_many_tables(batch: int) -> None:
    for number in range(chosen(quick=42, full=100)):
        seed = 1000 * batch + number
        case = random_case(
            seed,
            n=1 + number % 5,
            blocks=1 + (number % 7 == 0) + (number % 14 == 0),
            most_families=14 if number % 3 else 5,
            empty=0.5 if number % 4 == 0 else 0.9,
        )
        for labels in ("best", "all"):
            naive = oracle(case, labels)
            for bounds in ("lp", "none"):
                check_same(found(case, labels, bounds), naive)


def test_a_member_exactly_on_the_boundary_is_in_and_one_above_is_not() -> None:
    slack = log(20.0)
    costs = {(0, 0, 0): 100.1, (1, 0, 0): 50.7 + slack, (1, 1, 0): 50.7}
    for above, count in ((0.0, 2), (9e-8, 2), (-1e-3, 2), (2e-7, 1), (1e-3, 1)):
        case = Case(2, costs | {(1, 0, 0): costs[1, 0, 0] + above}, 20.0)
        assert len(oracle(case).members) == count
        check_same(found(case), oracle(case))


def test_boundary_members_are_common_in_the_random_tables() -> None:
    on_it = 0
    for seed in range(50):
        naive = oracle(random_case(seed, n=4, style="thirds"))
        on_it += naive.costs[-1] == near(naive.optimum + BOUNDARY_SLACK)
    assert on_it >= 15


def test_a_tie_between_relations_goes_to_the_full_table() -> None:
    costs = {(0, 0, 0): 3.0, (1, 1, 0): 2.0 + 5e-8, (1, 1, 1): 2.0, (1, 0, 0): 9.0}
    case = Case(2, costs, 1.0)
    assert network_of(*found(case).stream()) == ((0, 0, 0), (1, 1, 0))
    both = {network_of(member) for member in found(case, "all").stream()}
    assert both == {((0, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 1, 1))}


def test_one_variable() -> None:
    credible = found(Case(1, {(0, 0, 0): 7.25}, 20.0))
    assert credible.optimum == 7.25
    assert credible.count == 1
    assert credible.families[0].weight == 1
    assert credible.edges() == {}


LARGE = [
    random_case(
        seed,
        n=6 + seed % 9,
        most_families=9,
        most_parents=3,
        blocks=1 + seed % 3,
        style=("steep", "uniform", "whole", "heavy")[seed % 4],
        empty=0.8,
    )
    for seed in range(36)
]
_MOST_LISTED = 200_000


@pytest.mark.parametrize("labels", ["best", "all"])
def test_bounds_change_nothing(labels: str) -> None:
    listed = 0
    for whole in chosen(quick=LARGE[:12], full=LARGE):
        case = replace(whole, factor=min(whole.factor, 8.0))
        with_lp, without = found(case, labels, "lp"), found(case, labels, "none")
        assert with_lp.optimum == without.optimum
        assert with_lp.count == without.count
        check_same_families(with_lp, without)
        if with_lp.count < _MOST_LISTED:
            listed += with_lp.count
            assert rows_of(with_lp) == rows_of(without)
    assert listed > 1000


def check_same_families(one: CredibleSet, other: CredibleSet) -> None:
    """Check that the families are the same; weights are summed in another order."""
    assert [replace(use, weight=0) for use in one.families] == [
        replace(use, weight=0) for use in other.families
    ]
    assert [use.weight for use in one.families] == pytest.approx(
        [use.weight for use in other.families], rel=1e-9
    )


def rows_of(credible: CredibleSet) -> set[tuple[int, ...]]:
    """Return the streamed members by the positions of their families, checked to be distinct."""
    rows = [tuple(row) for batch in credible.members.stream() for row in batch.families.tolist()]
    assert len(set(rows)) == len(rows) == credible.count
    return set(rows)


@pytest.mark.parametrize("bounds", ["lp", "none"])
def test_threads_change_nothing(bounds: str) -> None:
    for case in LARGE[: chosen(quick=6, full=18)]:
        one, three = found(case, bounds=bounds, jobs=1), found(case, bounds=bounds, jobs=3)
        assert one.optimum == three.optimum
        assert one.best == three.best
        assert one.count == three.count
        assert one.families == three.families  # weights too, to the last bit
        assert rows_of(one) == rows_of(three)
        assert one.sample(20, seed=4) == three.sample(20, seed=4)
        assert one.best_members(20) == three.best_members(20)


def test_renaming_variables_commutes_with_the_search() -> None:
    rng = np.random.default_rng(8)
    for seed in range(chosen(quick=20, full=60)):
        case = random_case(seed, n=4 + seed % 5, most_families=7, blocks=1 + seed % 2)
        order = rng.permutation(case.n).tolist()
        first, second = found(case), found(case.renamed(order))
        assert first.optimum == near(second.optimum)
        assert {renamed_network(network_of(m), order) for m in first.stream()} == {
            network_of(m) for m in second.stream()
        }
        for (parent, child), use in first.edges().items():
            p, v = (case.names[order[case.names.index(name)]] for name in (parent, child))
            assert second.edges()[p, v].networks == use.networks
            assert second.edges()[p, v].weight == pytest.approx(use.weight, rel=1e-7)


def test_a_larger_bayes_factor_never_loses_a_member() -> None:
    for seed in range(chosen(quick=15, full=40)):
        case = random_case(seed, n=3 + seed % 5, most_families=7)
        smaller: set[tuple[tuple[int, int, int], ...]] = set()
        for factor in (1.0, 2.5, exp(BOUNDARY_SLACK), 15.0):
            larger = {network_of(m) for m in found(replace(case, factor=factor)).stream()}
            assert smaller <= larger
            smaller = larger
        assert smaller


def test_parts_that_do_not_touch_share_the_slack() -> None:
    """Four pairs, each with an alternative at 1: any two of them are within a slack of 2."""
    costs = {}
    for first in range(0, 8, 2):
        costs[first, 0, 0] = 5.0
        costs[first + 1, 0, 0] = 4.0
        costs[first + 1, 1 << first, 0] = 3.0
        costs[first, 1 << first + 1, 0] = 5.5
    case = Case(8, costs, exp(2.0))
    credible = found(case)
    naive = oracle(case)
    assert credible.count == len(naive.members)
    assert {network_of(member) for member in credible.stream()} == naive.networks


STEPS = 9
"""Of 0.25, from 0 to a slack of 2."""


def ways_to_choose(children: int) -> list[int]:
    """Return the number of ways in which children, each at 0, 1 or 2 steps, make a total."""
    ways = [1] + [0] * (STEPS - 1)
    for _ in range(children):
        ways = [sum(ways[max(0, total - 2) : total + 1]) for total in range(STEPS)]
    return ways


def independent(children: int) -> Case:
    """Return two roots and children with three parent sets each, at 0, 1 or 2 steps of excess."""
    costs: dict[Key, float] = {(0, 0, 0): 1.0, (1, 0, 0): 1.0}
    for child in range(2, children + 2):
        for number, parents in enumerate((0b01, 0b10, 0b11)):
            costs[child, parents, 0] = 1.0 + 0.25 * number
    return Case(children + 2, costs, exp(2.0))


def test_a_set_too_large_to_list_is_counted() -> None:
    credible = found(independent(60))
    ways, fewer = ways_to_choose(60), ways_to_choose(59)
    assert credible.count == sum(ways) > 10**9
    weight = sum(count * exp(-0.25 * steps) for steps, count in enumerate(ways))
    shares: dict[int, float] = defaultdict(float)
    networks: dict[int, int] = defaultdict(int)
    for use in credible.families:
        shares[use.family.child] += use.weight
        networks[use.family.child] += use.networks
    assert list(shares.values()) == pytest.approx([1.0] * 62)
    assert set(networks.values()) == {credible.count}
    dear = next(use for use in credible.families if use.family.child == 5 and use.cost == 1.5)
    assert dear.networks == sum(fewer[:7])
    share = sum(count * exp(-0.25 * (steps + 2)) for steps, count in enumerate(fewer[:7])) / weight
    assert dear.weight == pytest.approx(share, rel=1e-6)
    assert credible.costliest().cost == near(62 + 2.0)


def test_the_best_of_a_set_too_large_to_list() -> None:
    best = found(independent(60)).best_members(62)
    assert [member.cost for member in best] == near([62.0] + [62.25] * 60 + [62.5])
    assert len({network_of(member) for member in best}) == 62


def test_every_edge_of_a_large_table_is_the_one_of_its_best_network() -> None:
    """`best_with` is attained: the best of the members that have an edge costs that."""
    for case in LARGE[:12]:
        credible = found(replace(case, factor=min(case.factor, 5.0)))
        if credible.count > 20_000:
            continue
        best: dict[tuple[str, str], float] = {}
        for member in credible.stream():
            for edge in member.structure.edges():
                best[edge] = min(best.get(edge, member.cost), member.cost)
        assert best.keys() == credible.edges().keys()
        for edge, use in credible.edges().items():
            assert use.best_with == near(best[edge])


def test_the_cases_have_what_they_promise() -> None:
    assert any(len(bits(parents)) == 3 for case in LARGE for _, parents, _ in case.costs)
    assert any((v, 0, 0) not in case.costs for case in LARGE for v in range(case.n))
    assert {code for case in LARGE for _, _, code in case.costs} == {0, 1, 2}
