"""Priced passes of one child's search, against all its families."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Dataset,
    Knowledge,
    Relation,
)
from noisyor.core.family_source import Price, PriceCut, RoundedCut
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.request import Request
from noisyor.core.variable_sets import to_words
from noisyor.scoring.child_search import (
    ChildSearch,
    CountBy,
    KnownFamilies,
    SearchPass,
    SearchSettings,
)
from tests.oracles.families import all_costs
from tests.oracles.prices import judge, price_of
from tests.scoring.passes import Kind, kinds, price_lists, random_prices, run_pass, same_scores
from tests.scoring.problems import datasets, random_dataset
from tests.scoring.test_score import constraints_over
from tests.support.effort import chosen, scaled

ALL = (CPT, NOISY_OR, LEAKY_NOISY_OR)
SLACK = BayesFactor(20).slack


def settings_of(
    data: Dataset,
    relations: tuple[Relation, ...],
    constraints: Constraints,
    memory: int = 1 << 22,
    rules: PruningRule = ALL_RULES,
) -> SearchSettings:
    """Return settings of some relations, full tables among them or not."""
    request = Request.of(data, 20, constraints=constraints)
    return SearchSettings(replace(request, relations=relations), rules=rules, memory=memory)


def costs_by_child(
    data: Dataset, relations: tuple[Relation, ...], constraints: Constraints
) -> list[dict[Kind, float]]:
    by_child: list[dict[Kind, float]] = [{} for _ in data.names]
    for (child, parents, name), cost in all_costs(data, relations, constraints).items():
        by_child[child][parents, name] = cost
    return by_child


def known_of(costs: dict[int, float], words: int) -> KnownFamilies:
    return KnownFamilies(to_words(list(costs), words), np.array(list(costs.values()), dtype=float))


def of_relations(costs: dict[Kind, float], relations: tuple[Relation, ...]) -> dict[Kind, float]:
    names = {relation.name for relation in relations}
    return {key: cost for key, cost in costs.items() if key[1] in names}


def tables_of(costs: dict[Kind, float]) -> dict[int, float]:
    return {parents: cost for (parents, name), cost in costs.items() if name == "cpt"}


@settings(max_examples=scaled(120))
@given(
    st.data(),
    datasets(most_variables=6),
    st.sampled_from([(NOISY_OR,), (LEAKY_NOISY_OR,), (NOISY_OR, LEAKY_NOISY_OR), ALL]),
    st.sampled_from([0.0, SLACK]),
    st.booleans(),
)
def test_a_pass_finds_the_families_within_their_prices(
    draws: st.DataObject,
    data: Dataset,
    relations: tuple[Relation, ...],
    slack: float,
    tables_known: bool,
) -> None:
    constraints = draws.draw(constraints_over(data))
    every = costs_by_child(data, ALL, constraints)
    for child, costs in enumerate(every):
        typical = max(2.0, min(costs.values(), default=2.0))
        prices = draws.draw(price_lists(child, data.variable_count, typical))
        known = tables_of(costs) if tables_known else {}
        search = ChildSearch(settings_of(data, relations, constraints), child)
        wanted = SearchPass(slack, relations, tuple(prices), known=known_of(known, 1))
        found = kinds(run_pass(search, wanted))
        judged = judge(of_relations(costs, relations), prices, slack, known)
        assert judged.certain.keys() <= found.keys() <= judged.possible.keys()
        for key, cost in found.items():
            assert cost == pytest.approx(costs[key], abs=2e-8, rel=1e-12)


def problem(
    seed: int,
    variables: int = 9,
    relations: tuple[Relation, ...] = (NOISY_OR, LEAKY_NOISY_OR),
    knowledge: Knowledge | None = None,
) -> tuple[SearchSettings, list[SearchPass]]:
    """Return settings and a priced pass for each child."""
    data = random_dataset(seed, variables=variables, records=70 + 30 * seed)
    constraints = (knowledge or Knowledge()).constraints(data.names)
    tables = costs_by_child(data, (CPT,), Knowledge(max_parents=2).constraints(data.names))
    passes = []
    for child, costs in enumerate(tables):
        known = tables_of(costs)
        prices = random_prices(seed, child, variables, min(known.values()) + 8)
        passes.append(
            SearchPass(SLACK, relations, tuple(prices), known=known_of(known, data.bits.shape[1]))
        )
    return settings_of(data, relations, constraints), passes


@pytest.mark.parametrize("rule", [*PruningRule, PruningRule(0), ~PruningRule.SLOPE])
@pytest.mark.parametrize("seed", range(3))
def test_switching_a_rule_off_changes_nothing(rule: PruningRule, seed: int) -> None:
    base, passes = problem(seed)
    rules = ALL_RULES & ~rule if rule else PruningRule(0)
    found = 0
    for child, wanted in enumerate(passes):
        every = run_pass(ChildSearch(base, child), wanted)
        without = run_pass(ChildSearch(replace(base, rules=rules), child), wanted)
        assert same_scores(every, without)
        found += len(every.columns)
    assert found > 20


@pytest.mark.parametrize("count_by", CountBy)
@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_bounds_by_tables_change_nothing_but_the_number_of_fits(
    most: int, count_by: CountBy
) -> None:
    fits = [0, 0]
    found = 0
    for seed in range(2):
        first, second = random_dataset(seed, variables=9, records=1).names[:2]
        knowledge = Knowledge(max_parents=most, required=[(first, second)] if seed else [])
        base, passes = problem(seed, knowledge=knowledge)
        base = replace(base, count_by=count_by)
        for child, wanted in enumerate(passes):
            both = [
                run_pass(ChildSearch(replace(base, rules=rules), child), wanted)
                for rules in (ALL_RULES, ALL_RULES & ~PruningRule.TABLE)
            ]
            assert same_scores(*both)
            found += len(both[0].columns)
            for place, one in enumerate(both):
                assert one.statistics is not None
                fits[place] += one.statistics.fits.made
    assert found > 5
    assert fits[0] < fits[1]


@pytest.mark.parametrize("memory", [0, 3000, 1 << 24])
@pytest.mark.parametrize("most", [None, 3])
def test_cached_fits_do_not_change_the_result(memory: int, most: int | None) -> None:
    base, passes = problem(1)
    for child, wanted in enumerate(passes):
        search = ChildSearch(replace(base, memory=memory), child)
        for extra in (0.0, 4.0, 1.0, -3.0):
            prices = tuple(replace(price, base=price.base + extra) for price in wanted.prices)
            again = replace(wanted, prices=prices, most=most)
            fresh = run_pass(ChildSearch(replace(base, memory=0), child), again)
            assert same_scores(run_pass(search, again), fresh)
        assert search.memory_bytes <= memory


def test_a_repeated_pass_makes_few_fits() -> None:
    base, passes = problem(2, variables=12)
    made, remembered = [0, 0], [0, 0]
    for child, wanted in enumerate(passes):
        search = ChildSearch(base, child)
        for time in range(2):
            statistics = run_pass(search, wanted).statistics
            assert statistics is not None
            made[time] += statistics.fits.made
            remembered[time] += statistics.fits.remembered
        assert search.memory_bytes > 0
    assert made[0] > 500
    assert made[1] < made[0] / 2
    assert remembered[1] > made[0] / 2


@pytest.mark.parametrize("count_by", CountBy)
def test_a_table_after_a_priced_pass_is_that_of_a_fresh_search(count_by: CountBy) -> None:
    base, passes = problem(0)
    whole = SearchPass(SLACK, ALL)
    every = replace(base.for_relations(ALL), count_by=count_by)
    for child, wanted in enumerate(passes):
        search = ChildSearch(every, child)
        run_pass(search, wanted)
        assert same_scores(run_pass(search, whole), run_pass(ChildSearch(every, child), whole))


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("most", [None, 1, 5])
def test_the_number_of_threads_does_not_change_the_result(threads: int, most: int | None) -> None:
    for seed in range(2):
        base, passes = problem(seed, variables=11)
        for child, wanted in enumerate(passes):
            again = replace(wanted, most=most)
            alone = run_pass(ChildSearch(base, child), again)
            assert same_scores(run_pass(ChildSearch(base, child), again, threads), alone)


@settings(max_examples=scaled(60))
@given(st.data(), datasets(most_variables=6), st.integers(0, 6), st.sampled_from([0.0, SLACK]))
def test_the_best_few_are_those_furthest_below_their_prices(
    draws: st.DataObject, data: Dataset, most: int, slack: float
) -> None:
    relations = (NOISY_OR, LEAKY_NOISY_OR)
    constraints = Constraints.none(data.names)
    for child, costs in enumerate(costs_by_child(data, relations, constraints)):
        typical = max(2.0, min(costs.values(), default=2.0))
        prices = draws.draw(price_lists(child, data.variable_count, typical))
        search = ChildSearch(settings_of(data, relations, constraints), child)
        found = kinds(run_pass(search, SearchPass(slack, relations, tuple(prices), most)))
        several = not any(price.required or price.least for price in prices)
        judged = judge(costs, prices, slack, {}, found_count=several)
        assert found.keys() <= judged.possible.keys()
        assert min(most, len(judged.certain)) <= len(found) <= most

        def excesses(families: dict[Kind, float], prices: list[Price] = prices) -> list[float]:
            return sorted(
                cost - price_of(prices, parents) for (parents, _), cost in families.items()
            )

        for excess, least, latest in zip(
            excesses(found),
            excesses(judged.possible),
            [*excesses(judged.certain), *([inf] * most)],
            strict=False,
        ):
            assert least - 1e-6 <= excess <= latest + 1e-6


@pytest.mark.parametrize("variables", [70, pytest.param(130, marks=pytest.mark.slow)])
def test_sets_wider_than_a_word(variables: int) -> None:
    data = random_dataset(3, variables=variables, records=60)
    child = variables - 1
    few = Knowledge(
        roots=data.names[:-1],
        max_parents=chosen(quick=3, full=4),
        forbidden=[(name, data.names[child]) for name in data.names[6:-7]],
    ).constraints(data.names)
    costs = costs_by_child(data, (NOISY_OR, LEAKY_NOISY_OR), few)[child]
    typical = sorted(costs.values())[20]
    cuts: tuple[PriceCut | RoundedCut, ...] = (
        *(PriceCut(3 << low | 1 << child, 1, 1.5) for low in (0, 3, variables - 4)),
        RoundedCut((0, 1, 2), up=False, weight=2.0),
        RoundedCut((0, 3), up=True, weight=1.0),
    )
    prices = [Price(typical, cuts), Price(typical + 3, cuts, 1 << (variables - 2), 1)]
    wanted = SearchPass(SLACK, (NOISY_OR, LEAKY_NOISY_OR), tuple(prices))
    search = ChildSearch(settings_of(data, (NOISY_OR, LEAKY_NOISY_OR), few), child)
    found = kinds(run_pass(search, wanted, threads=2))
    judged = judge(costs, prices, SLACK, {})
    assert judged.certain.keys() <= found.keys() <= judged.possible.keys()
    assert found


def test_every_family_of_a_priced_pass_is_accounted_for() -> None:
    base, passes = problem(2, variables=10)
    for child, wanted in enumerate(passes):
        statistics = run_pass(ChildSearch(base, child), wanted).statistics
        assert statistics is not None
        for one in statistics.relations.values():
            assert one.considered == sum(one.cut.values()) + one.evaluated


def test_a_cancelled_pass_is_not_finished_and_the_next_one_is_whole() -> None:
    base, passes = problem(1)
    search = ChildSearch(base, 4)
    search.begin(passes[4])
    cancellation = kernels.Cancellation()
    cancellation.cancel()
    search.work(cancellation)
    assert not search.finished
    assert same_scores(run_pass(search, passes[4]), run_pass(ChildSearch(base, 4), passes[4]))


def test_a_cut_that_would_let_prices_rise_is_refused() -> None:
    for need, weight in ((0, 1.0), (1, -1.0), (1, float("inf"))):
        with pytest.raises(ValueError, match="needs at least 1 and weighs at least 0"):
            PriceCut(0b11, need, weight)
    for parts, weight in (((), 1.0), ((0,), -1.0), ((0,), float("inf"))):
        with pytest.raises(ValueError, match="has parts and weighs at least 0"):
            RoundedCut(parts, up=True, weight=weight)
    for part in (-1, 1, 2):
        with pytest.raises(ValueError, match="parts come before it, at 1"):
            Price(0.0, (PriceCut(0b11, 1, 1.0), RoundedCut((part,), up=True, weight=1.0)))
