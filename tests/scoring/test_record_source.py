"""Records as a source of families: against all families, and how it stops."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor import load_example
from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Dataset,
    Knowledge,
    MismatchError,
    Relation,
    SettingsError,
)
from noisyor.core.family_source import FamilySource, Price
from noisyor.core.request import Request
from noisyor.scoring import RecordSource, score
from tests.oracles.families import all_costs, cpt_cost
from tests.oracles.prices import judge, price_of
from tests.scoring.passes import price_lists, random_prices
from tests.scoring.problems import costs_of, datasets, random_dataset, same_bits
from tests.scoring.test_running import ctrl_c_after, hard_dataset
from tests.scoring.test_score import constraints_over
from tests.support.effort import scaled

ALL = (CPT, NOISY_OR, LEAKY_NOISY_OR)
SLACK = BayesFactor(20).slack


def never() -> bool:
    return False


@settings(max_examples=scaled(40))
@given(
    st.data(),
    datasets(most_variables=5),
    st.sampled_from([(CPT, NOISY_OR), ALL]),
    st.booleans(),
)
def test_it_offers_what_brute_force_finds(
    draws: st.DataObject, data: Dataset, relations: tuple[Relation, ...], undominated: bool
) -> None:
    constraints = draws.draw(constraints_over(data))
    source: FamilySource = RecordSource(
        Request.of(data, 20, relations=relations, constraints=constraints, jobs=1)
    )
    costs = all_costs(data, relations, constraints)
    least = source.least_costs(lambda: False)
    assert all(cost >= least[child] for (child, _, _), cost in costs.items())
    seed = source.seed(never)
    assert seed.finished.all()
    alone = score(data, 20, relations=[CPT], constraints=constraints, jobs=1)
    assert same_bits(seed.table, alone.table)
    prices = []
    for child in range(data.variable_count):
        typical = max(2.0, min(costs[key] for key in costs if key[0] == child))
        prices.append(draws.draw(price_lists(child, data.variable_count, typical)))
    offer = source.within(prices, undominated=undominated, stop=never)
    assert offer.finished.all()
    found = costs_of(offer.table)
    seeded = costs_of(seed.table)
    for child, own in enumerate(prices):
        known = {key[1]: cost for key, cost in seeded.items() if key[0] == child}
        priced = {
            (key[1], key[2]): cost
            for key, cost in costs.items()
            if key[0] == child and key[2] != "cpt"
        }
        judged = judge(priced, own, 0.0 if undominated else SLACK, known)
        kinds = {(parents, name) for one, parents, name in found if one == child}
        assert judged.certain.keys() <= kinds <= judged.possible.keys()


def prices_for(data: Dataset, seed: int, above: float = 6) -> list[list[Price]]:
    base = costs_of(score(data, 20, relations=[CPT], jobs=1).table)
    return [
        random_prices(
            seed,
            child,
            data.variable_count,
            above + min(cost for key, cost in base.items() if key[0] == child),
        )
        for child in range(data.variable_count)
    ]


def moved(prices: Sequence[Sequence[Price]], by: float) -> list[list[Price]]:
    return [[replace(price, base=price.base + by) for price in own] for own in prices]


def test_offers_do_not_depend_on_the_threads_or_on_the_cache() -> None:
    data = random_dataset(6, variables=11, records=150)
    prices = prices_for(data, 6)
    sources = [
        RecordSource(Request.of(data, 20, relations=ALL, jobs=jobs), memory=memory)
        for jobs, memory in ((1, 1 << 26), (2, 1 << 26), (5, 0), (2, 20_000))
    ]
    for source in sources:
        source.seed(never)
    for by, most, undominated, heuristic in (
        (0.0, 5, True, True),
        (0.0, 5, True, False),
        (2.0, None, False, False),
        (1.0, 20, False, True),
        (0.0, None, False, False),
    ):
        first, *others = (
            source.within(
                moved(prices, by),
                most=most,
                undominated=undominated,
                heuristic=heuristic,
                stop=never,
            )
            for source in sources
        )
        assert len(first.table) > 9
        assert all(same_bits(first.table, other.table) for other in others)
    assert sources[0].statistics.remembered > 0
    assert sources[0].statistics.memory_bytes > 20_000 > sources[3].statistics.memory_bytes
    assert sources[2].statistics.memory_bytes == 0


def test_a_heuristic_search_finds_some_of_the_families_and_says_so() -> None:
    data = random_dataset(6, variables=11, records=150)
    prices = prices_for(data, 6)
    quick, slow = (RecordSource(Request.of(data, 20, jobs=1)) for _ in range(2))
    for source in (quick, slow):
        source.seed(never)
    some = quick.within(prices, most=10, heuristic=True, stop=never)
    every = slow.within(prices, stop=never)
    assert not some.finished.any()
    assert "a heuristic search left 11 of 11 children unscored" in some.table.scope.shortfalls[0]
    assert 0 < len(some.table) <= 10 * 11
    found, all_found = costs_of(some.table), costs_of(every.table)
    assert len(found.items() & all_found.items()) > len(found) / 2
    for (child, parents, _), cost in found.items():
        assert cost <= price_of(prices[child], parents) + 2e-7


@pytest.mark.parametrize(("most", "is_exact"), [(2, True), (3, True), (4, False)])
def test_where_families_are_few_an_exact_search_replaces_the_heuristic_one(
    most: int, is_exact: bool
) -> None:
    data = random_dataset(6, variables=9, records=150)
    limit = Knowledge(max_parents=most).constraints(data.names)
    prices = prices_for(data, 6)
    sources = [
        RecordSource(Request.of(data, 20, relations=ALL, constraints=limit, jobs=1))
        for _ in range(2)
    ]
    for source in sources:
        source.seed(never)
    quick, every = (
        source.within(prices, heuristic=heuristic, stop=never)
        for source, heuristic in zip(sources, (True, False), strict=True)
    )
    assert len(every.table) > 9
    assert quick.finished.all() == is_exact
    assert same_bits(quick.table, every.table) or not is_exact


def test_a_child_without_a_price_has_nothing_to_offer() -> None:
    data = random_dataset(1, variables=6, records=100)
    source = RecordSource(Request.of(data, 20, jobs=1))
    source.seed(never)
    prices: list[list[Price]] = [[] for _ in data.names]
    prices[3] = [Price(1e9)]
    offer = source.within(prices, stop=never)
    assert offer.finished.all()
    assert set(offer.table.children.tolist()) == {3}


def test_full_tables_alone_are_all_in_the_seed() -> None:
    data = random_dataset(1, variables=6, records=100)
    source = RecordSource(Request.of(data, 20, relations=[CPT], jobs=1))
    source.seed(never)
    offer = source.within([[Price(1e9)] for _ in data.names], stop=never)
    assert offer.finished.all()
    assert len(offer.table) == 0


def test_the_least_costs_are_attained_where_all_parents_explain_the_child() -> None:
    data = random_dataset(2, variables=5, records=400)
    source = RecordSource(Request.of(data, 20, jobs=1))
    weight = math.log(400) / 2
    for child, least in enumerate(source.least_costs(lambda: False)):
        everyone = 0b11111 & ~(1 << child)
        loss = cpt_cost(data, child, everyone) - 16 * weight
        assert least == pytest.approx(loss + weight, abs=1e-6)


def test_stopping_the_seed_leaves_a_network() -> None:
    data = hard_dataset()
    required = Knowledge(required=[("v1", "v0"), ("v2", "v0")]).constraints(data.names)
    source = RecordSource(Request.of(data, 1000, constraints=required))
    started = time.monotonic()
    offer = source.seed(lambda: time.monotonic() - started > 0.3)
    assert time.monotonic() - started < 20
    assert set(offer.table.children.tolist()) == set(range(60))
    assert not offer.finished.all()
    assert "stopping left" in offer.table.scope.shortfalls[0]
    late = int(np.flatnonzero(~offer.finished)[0])
    (row,) = range(*offer.table.families_of(late).indices(len(offer.table)))
    assert int(offer.table.parents[row, 0]) == (0b110 if late == 0 else 0)


def test_stopping_ends_a_pass() -> None:
    data = hard_dataset()
    source = RecordSource(Request.of(data, 1000))
    source.seed(lambda: True)
    started = time.monotonic()
    offer = source.within(
        [[Price(1e9)] for _ in data.names], stop=lambda: time.monotonic() - started > 0.3
    )
    assert time.monotonic() - started < 20
    assert not offer.finished.all()


def test_ctrl_c_ends_a_pass_and_its_threads() -> None:
    data = hard_dataset()
    source = RecordSource(Request.of(data, 1000))
    source.seed(lambda: True)
    before = threading.active_count()
    with ctrl_c_after(0.5), pytest.raises(KeyboardInterrupt):
        source.within([[Price(1e9)] for _ in data.names], stop=never)
    assert threading.active_count() <= before + 1  # the timer's


def test_the_work_is_counted() -> None:
    data = random_dataset(6, variables=9, records=150)
    source = RecordSource(Request.of(data, 20, jobs=1))
    assert source.statistics.passes == 0
    source.seed(never)
    seeded = source.statistics
    assert seeded.passes == 1
    assert seeded.evaluated > 0
    assert seeded.fits == 0
    source.within(prices_for(data, 6), stop=never)
    priced = source.statistics
    assert priced.passes == 2
    assert priced.fits > 0
    assert priced.bounds > 0
    assert priced.final_fits > 0
    assert priced.unconverged == 0
    assert priced.memory_bytes > 0


def test_what_is_refused() -> None:
    data = random_dataset(1, variables=3, records=20)
    with pytest.raises(SettingsError, match="jobs is 0; it must be at least 1"):
        Request.of(data, jobs=0)
    with pytest.raises(SettingsError, match="must include cpt"):
        Request.of(data, relations=["noisy-or"])
    with pytest.raises(MismatchError, match="other variables"):
        Request.of(data, constraints=Constraints.none(("x", "y", "z")))


def test_without_time_the_least_costs_are_what_families_cost_besides_their_fit() -> None:
    """They stay lower bounds; -ln L is at least 0."""
    data = load_example("pump")
    source = RecordSource(Request.of(data, 20))
    asked = iter([False, False, *[True] * 1000])  # before the first child, for it, then never again
    exact, cut = source.least_costs(lambda: False), source.least_costs(lambda: next(asked))
    assert cut[0] == exact[0]
    assert (cut[1:] < exact[1:]).all()
    assert (cut[1:] > -1e-6).all()
