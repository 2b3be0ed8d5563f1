"""The search for all cause models, on variables of any numbers of states, against brute force."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import BayesFactor, Constraints, Dataset, Knowledge
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import SIGNED_NOISY_AND, SIGNED_NOISY_OR, all_relations, relations_from
from noisyor.core.variable import Variable
from noisyor.fitting import fit
from noisyor.scoring import score
from tests.oracles.families import TOLERANCE, all_costs, keep
from tests.scoring.problems import costs_of, random_dataset, random_tables, same_bits, tables
from tests.support.effort import chosen, scaled

ALL = all_relations()
score_all = partial(score, relations=ALL, jobs=1)


@settings(max_examples=scaled(40))
@given(tables(most_variables=4, most_states=3), st.sampled_from([1.0, 20.0, 1e6]))
def test_scoring_finds_what_brute_force_finds(data: Dataset, factor: float) -> None:
    expected = all_costs(data, ALL, Constraints.none(data.names))
    found = costs_of(score_all(data, factor).table)
    slack = BayesFactor(factor).slack
    # Families within rounding of the boundary may go either way; all others are determined.
    assert keep(expected, slack, TOLERANCE / 2) <= found.keys() <= keep(expected, slack, 2e-7)
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(chosen(quick=1, full=3)))
def test_six_variables_of_two_to_four_states(seed: int) -> None:
    data = random_tables(seed, 6, 80, most_states=4)
    constraints = Knowledge(max_parents=3).constraints(data.names)
    expected = keep(all_costs(data, ALL, constraints), BayesFactor(20).slack)
    assert costs_of(score_all(data, 20, constraints=constraints).table).keys() == expected


@pytest.mark.parametrize("rule", [*PruningRule, ALL_RULES], ids=str)
def test_switching_a_rule_off_changes_nothing(rule: PruningRule) -> None:
    for data in (random_tables(5, 5, 90, most_states=3), random_dataset(6, 7, 100)):
        expected = score_all(data, 100)
        found = score_all(data, 100, rules=ALL_RULES & ~rule)
        assert same_bits(found.table, expected.table)


@pytest.mark.parametrize("jobs", [2, 5])
def test_the_table_is_the_same_for_any_number_of_threads(jobs: int) -> None:
    data = random_tables(7, 7, 150, most_states=3)
    assert same_bits(score(data, 20, relations=ALL, jobs=jobs).table, score_all(data, 20).table)


@pytest.mark.parametrize("variables", [31, 33, 65, 129, 257, 513])
def test_columns_beyond_a_word_and_beyond_a_set(variables: int) -> None:
    """With two columns a parent, records soon need more words than sets of variables do."""
    rng = np.random.default_rng(variables)
    wide = random_dataset(8, 5, 120)
    records = np.repeat(wide.codes, wide.weights, axis=0)
    noise = rng.integers(0, 2, (len(records), variables - 5), dtype=np.uint8)
    codes = np.concatenate([noise, records], axis=1)
    distinct, counts = np.unique(codes[:, ::-1], axis=0, return_counts=True)
    names = tuple(f"v{v}" for v in range(variables))
    data = Dataset(tuple(Variable(name) for name in names), distinct[:, ::-1].copy(), counts)
    own = ((1 << 5) - 1) << (variables - 5)
    allowed = tuple(own & ~(1 << v) for v in range(variables))
    none = Constraints.none(names)
    constraints = Constraints(names, allowed, none.required, none.max_parents)
    children = range(variables - 5, variables)
    found = costs_of(score_all(data, 1e3, constraints=constraints, children=children).table)
    shift = variables - 5
    expected = {
        (child + shift, parents << shift, name): cost
        for (child, parents, name), cost in costs_of(score_all(wide, 1e3).table).items()
    }
    assert found.keys() == expected.keys()
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8)


def test_parameters_are_those_of_a_single_fit() -> None:
    data = random_tables(3, 5, 150, most_states=3)
    table = score_all(data, 1e4).table
    signed = 0
    for place, (family, cost) in enumerate(table.families()):
        if family.relation.closed_form:
            continue
        single = fit(data, family)
        signed += family.relation.name.startswith("signed")
        assert single.cost == pytest.approx(cost, abs=2e-8)
        own = [data.column(parent) for parent in family.parent_indices()]
        states = [data.variables[parent].state_count for parent in family.parent_indices()]
        child = data.variables[family.child].state_count
        given = family.relation.distribution(table.parameters_of(place), child, states)
        chances = [one.chances(own, len(data.weights)) for one in (given, single.distribution)]
        assert chances[0] == pytest.approx(chances[1], abs=2e-3)
    assert signed > 0


def test_a_signed_family_that_needs_no_sign_is_left_to_the_leaky_relation() -> None:
    data = random_dataset(9, 6, 150)
    both = costs_of(score_all(data, 1e6).table)
    alone = relations_from(["cpt", SIGNED_NOISY_OR, SIGNED_NOISY_AND])
    signed = costs_of(score(data, 1e6, relations=alone, jobs=1).table)
    shared = 0
    for (child, parents, name), cost in signed.items():
        if name.startswith("signed"):
            usual = both.get((child, parents, name.replace("signed", "leaky")))
            same = usual is not None and abs(usual - cost) < TOLERANCE
            shared += same
            assert not (same and (child, parents, name) in both)
    assert shared > 0
