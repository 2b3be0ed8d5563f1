from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Dataset,
    Family,
    Knowledge,
    MismatchError,
    SettingsError,
)
from noisyor.core.pruning_rules import ALL_RULES, CUTTING_RULES, PruningRule
from noisyor.core.relations import Relation, all_relations, relation_of
from noisyor.core.variable_sets import from_words, variables_in
from noisyor.fitting import fit
from noisyor.scoring import CountBy, score
from tests.oracles.families import TOLERANCE, all_costs, keep
from tests.scoring.problems import costs_of, dataset, datasets, random_dataset, same_bits
from tests.support.effort import chosen, scaled

BOTH = (CPT, NOISY_OR)
ALL = all_relations()


def assert_matches_brute_force(
    data: Dataset,
    factor: float,
    relations: tuple[Relation, ...],
    constraints: Constraints | None = None,
    count_by: CountBy | None = None,
) -> None:
    scored = score(
        data, factor, relations=relations, constraints=constraints, count_by=count_by, jobs=1
    )
    found = costs_of(scored.table)
    expected = all_costs(data, relations, constraints or Constraints.none(data.names))
    slack = BayesFactor(factor).slack
    # Families within rounding of the boundary may go either way; all others are determined.
    assert keep(expected, slack, TOLERANCE / 2) <= found.keys() <= keep(expected, slack, 2e-7)
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)
    assert scored.table.scope.complete


@settings(max_examples=scaled(150))
@given(
    data=datasets(most_variables=chosen(quick=5, full=7)),
    factor=st.sampled_from([1.0, 3.0, 20.0, 150.0]),
    relations=st.sampled_from([(CPT,), BOTH, ALL, (CPT, LEAKY_NOISY_OR)]),
    count_by=st.sampled_from(CountBy),
)
def test_scoring_finds_what_brute_force_finds(
    data: Dataset, factor: float, relations: tuple[Relation, ...], count_by: CountBy
) -> None:
    assert_matches_brute_force(data, factor, relations, count_by=count_by)


@st.composite
def constraints_over(draw: st.DrawFn, data: Dataset) -> Constraints:
    names = data.names
    edges = st.tuples(st.integers(0, len(names) - 1), st.integers(0, len(names) - 1))
    pairs = [(a, b) for a, b in draw(st.lists(edges, max_size=6)) if a != b]
    # Required edges lead upwards, so that they form no cycle.
    required = [(names[a], names[b]) for a, b in pairs[:2] if a < b]
    forbidden = [(names[a], names[b]) for a, b in pairs if (names[a], names[b]) not in required]
    most = draw(st.one_of(st.none(), st.integers(2, 4)))
    return Knowledge(required=required, forbidden=forbidden, max_parents=most).constraints(names)


@settings(max_examples=scaled(80))
@given(st.data(), datasets(most_variables=6), st.sampled_from([1.0, 20.0]))
def test_constraints_are_kept_and_lose_nothing(
    draws: st.DataObject, data: Dataset, factor: float
) -> None:
    assert_matches_brute_force(data, factor, BOTH, draws.draw(constraints_over(data)))


def test_a_family_exactly_on_the_boundary_stays() -> None:
    # With 400 records a parameter costs ln(400)/2 = ln 20, the slack of a Bayes factor of 20.
    columns = [[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]]
    data = dataset(columns, copies=100)
    assert log(data.record_count) / 2 == pytest.approx(BayesFactor(20).slack, abs=1e-12)
    found = costs_of(score(data, 20).table)
    # Variable 2 is always absent: as the parent in a full table it only adds one parameter.
    assert found[0, 0b100, "cpt"] == pytest.approx(found[0, 0, "cpt"] + BayesFactor(20).slack)
    assert (0, 0b100, "cpt") not in costs_of(score(data, 19.9).table)


@pytest.mark.parametrize("rule", list(PruningRule))
@pytest.mark.parametrize("seed", range(chosen(quick=2, full=4)))
def test_switching_a_rule_off_changes_nothing(rule: PruningRule, seed: int) -> None:
    data = random_dataset(seed, variables=9, records=60 + 40 * seed)
    for count_by in CountBy:
        every = score(data, 20, relations=ALL, jobs=1, count_by=count_by)
        without = score(data, 20, relations=ALL, jobs=1, count_by=count_by, rules=ALL_RULES & ~rule)
        assert same_bits(every.table, without.table)
    assert without.statistics.kept == every.statistics.kept


def test_switching_all_rules_off_changes_nothing_but_the_work() -> None:
    data = random_dataset(5, variables=8, records=80)
    every = score(data, 20, relations=ALL, jobs=1)
    without = score(data, 20, relations=ALL, jobs=1, rules=PruningRule(0))
    assert same_bits(every.table, without.table)
    evaluated = [
        sum(one.evaluated for one in s.statistics.relations.values()) for s in (every, without)
    ]
    assert evaluated[1] == without.statistics.considered
    assert evaluated[0] < evaluated[1] / 2


def test_full_tables_of_weak_candidates_are_not_visited() -> None:
    data = random_dataset(7, variables=10, records=600)
    tables = partial(score, data, 20, relations=(CPT,), jobs=1, count_by=CountBy.CONFIGURATIONS)
    every = tables().statistics.relations[CPT]
    assert every.cut[PruningRule.PREFIX] > 0
    assert every.considered == sum(every.cut.values()) + every.evaluated
    assert_matches_brute_force(data, 20, (CPT,), count_by=CountBy.CONFIGURATIONS)
    bounds = PruningRule.LIKELIHOOD | PruningRule.PREFIX
    for off in (PruningRule.PREFIX, PruningRule.LIKELIHOOD, bounds, bounds | PruningRule.PENALTY):
        without = tables(rules=ALL_RULES & ~off)
        assert same_bits(tables().table, without.table)
        assert every.evaluated < without.statistics.relations[CPT].evaluated


@pytest.mark.parametrize("most", [1, 2, 3])
def test_full_tables_of_few_parents_are_those_of_brute_force(most: int) -> None:
    data = random_dataset(8, variables=9, records=400)
    known = Knowledge(max_parents=most, required=[("v0", "v5")]).constraints(data.names)
    for count_by in CountBy:
        assert_matches_brute_force(data, 20, (CPT,), constraints=known, count_by=count_by)


@pytest.mark.parametrize("jobs", [2, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_the_same_for_any_number_of_threads(jobs: int, seed: int) -> None:
    data = random_dataset(seed, variables=11, records=150)
    assert same_bits(score(data, 20, jobs=1).table, score(data, 20, jobs=jobs).table)


@settings(max_examples=scaled(30))
@given(datasets(), st.sampled_from([1.0, 20.0]))
def test_both_ways_of_counting_agree(data: Dataset, factor: float) -> None:
    tables = [costs_of(score(data, factor, count_by=way, jobs=1).table) for way in CountBy]
    assert tables[0].keys() == tables[1].keys()
    for key, cost in tables[0].items():
        assert tables[1][key] == pytest.approx(cost, abs=1e-9, rel=1e-13)


@settings(max_examples=scaled(30))
@given(st.data(), datasets(most_variables=6))
def test_renaming_variables_commutes_with_scoring(draws: st.DataObject, data: Dataset) -> None:
    order = draws.draw(st.permutations(range(data.variable_count)))
    columns = [data.column(old).repeat(data.weights).astype(int).tolist() for old in order]
    moved = {old: new for new, old in enumerate(order)}
    original = costs_of(score(data, 20, jobs=1).table)
    renamed = costs_of(score(dataset(columns), 20, jobs=1).table)
    expected = {
        (moved[child], sum(1 << moved[p] for p in variables_in(parents)), relation): cost
        for (child, parents, relation), cost in original.items()
    }
    assert renamed.keys() == expected.keys()
    for key, cost in renamed.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


@settings(max_examples=scaled(30))
@given(datasets(most_variables=6))
def test_a_larger_bayes_factor_loses_no_family(data: Dataset) -> None:
    previous: set[tuple[int, int, str]] = set()
    for factor in (1, 2, 20, 500):
        found = costs_of(score(data, factor, jobs=1).table).keys()
        assert previous <= found
        previous = set(found)


@pytest.mark.parametrize("variables", [64, 65, pytest.param(129, marks=pytest.mark.slow)])
def test_sets_wider_than_a_word(variables: int) -> None:
    data = random_dataset(1, variables=variables, records=40)
    few = Knowledge(
        roots=data.names[1:-1],
        max_parents=2,
        forbidden=[(n, data.names[0]) for n in data.names[3:-2]],
    ).constraints(data.names)
    scored = score(data, 20, constraints=few, relations="paper")
    expected = all_costs(data, BOTH, few)
    kept = keep(expected, BayesFactor(20).slack)
    assert costs_of(scored.table).keys() == kept
    assert any(parents >> (variables - 2) for _, parents, _ in kept)


def test_every_family_is_accounted_for() -> None:
    data = random_dataset(3, variables=10, records=120)
    for most in (None, 3):
        limits = Knowledge(max_parents=most).constraints(data.names)
        statistics = score(data, 20, relations=ALL, constraints=limits, jobs=1).statistics
        for one in statistics.relations.values():
            assert one.considered == sum(one.cut.values()) + one.evaluated
            assert 0 < one.kept <= one.evaluated
        assert statistics.considered == sum(one.considered for one in statistics.relations.values())
    assert 0 < statistics.pruned_percent < 100


def test_every_rule_that_cuts_does_cut_somewhere() -> None:
    cut = dict.fromkeys(CUTTING_RULES, 0)
    for seed, records in ((3, 120), (4, 3000)):
        data = random_dataset(seed, variables=10, records=records)
        for one in score(data, 20, relations="paper", jobs=1).statistics.relations.values():
            for rule, families in one.cut.items():
                cut[rule] += families
    assert min(cut.values()) > 0


def test_large_counts_lose_no_precision() -> None:
    # One parent that only ever raises the child: a leaky noisy-OR is then equivalent to the full
    # table, with as many parameters, so their costs tie, whatever the number of records.
    for copies in (1, 10**4, 10**8, 10**11):
        data = dataset([[0] * 6 + [1] * 4, [0] * 5 + [1] + [0] + [1] * 3], copies=copies)
        cpt = costs_of(score(data, 20, jobs=1).table)[1, 0b01, "cpt"]
        leaky = fit(data, Family(1, 0b01, LEAKY_NOISY_OR)).cost
        assert leaky == pytest.approx(cpt, abs=3e-8, rel=2e-13)


def test_costs_are_certified() -> None:
    table = score(random_dataset(2, variables=10, records=200), 20, relations=ALL).table
    assert table.gaps.max() <= 1e-8
    assert (table.gaps[table.relations == CPT.code] == 0).all()
    sizes = [row.bit_count() for row in table.parents[:, 0].tolist()]
    for family, (size, code) in enumerate(zip(sizes, table.relations.tolist(), strict=True)):
        relation = relation_of(code)
        expected = 0 if relation is CPT else relation.parameter_size(2, (2,) * size)
        q = table.parameters_of(family)
        assert len(q) == expected
        assert ((q >= 0) & (q <= 1)).all()


def test_a_single_record_and_a_single_variable() -> None:
    found = costs_of(score(dataset([[1], [0], [1]])).table)
    assert all(cost == pytest.approx(0, abs=1e-12) for cost in found.values())
    assert costs_of(score(dataset([[1, 0, 1]])).table).keys() == {(0, 0, "cpt")}


def test_options_out_of_range_are_refused() -> None:
    data = dataset([[0, 1], [1, 0]])
    with pytest.raises(SettingsError, match="jobs is 0; it must be at least 1"):
        score(data, jobs=0)
    with pytest.raises(SettingsError, match=r"time limit is -1; it must be above 0"):
        score(data, time_limit=-1)
    with pytest.raises(SettingsError, match="must include cpt"):
        score(data, relations=["noisy-or"])
    with pytest.raises(MismatchError, match="other variables"):
        score(data, constraints=Constraints.none(("x", "y", "z")))


def test_with_very_many_distinct_records_a_sample_orders_the_candidates_and_nothing_else() -> None:
    rng = np.random.default_rng(4)
    rows = np.sort(rng.permutation(2**16)[:33_000]).astype(np.uint64).reshape(-1, 1)
    names = tuple(f"v{v}" for v in range(16))
    data = Dataset.from_bits(names, rows, rng.integers(1, 4, size=len(rows)))
    known = Knowledge(max_parents=1).constraints(names)
    table = score(data, 20, constraints=known, children=[3]).table
    # No single parent covers every record with the child, so there is no noisy-OR of one.
    every = {parents: fit(data, Family(3, parents)).cost for parents in (0, *single_parents(3, 16))}
    kept = {
        (parents, CPT): cost
        for parents, cost in every.items()
        if cost <= min(every[0], cost) + BayesFactor(20).slack
    }
    found = zip(from_words(table.parents), table.relations.tolist(), table.costs, strict=True)
    costs = {(parents, relation_of(code)): cost for parents, code, cost in found}
    assert costs == pytest.approx(kept, rel=1e-11)
    assert 1 < len(kept) < len(every)


def single_parents(child: int, variables: int) -> list[int]:
    return [1 << v for v in range(variables) if v != child]


def test_a_relation_that_needs_more_parents_than_allowed_is_not_searched() -> None:
    data = random_dataset(4, variables=12, records=80)
    one = Knowledge(max_parents=1).constraints(data.names)
    both = score(data, 20, constraints=one, relations="default", jobs=1)
    alone = score(data, 20, constraints=one, relations=["cpt"], jobs=1)
    assert costs_of(both.table) == costs_of(alone.table)
    assert both.statistics.fits.made == 0
