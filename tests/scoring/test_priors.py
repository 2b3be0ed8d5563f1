"""Scoring by extended BIC and with priors: penalties that may fall as parents are added."""

import pickle
from dataclasses import replace

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
    Knowledge,
    MismatchError,
    Prior,
    ebic,
)
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import Relation, all_relations
from noisyor.core.request import Request
from noisyor.scoring import CountBy, RecordSource, score
from noisyor.scoring.child_search import ChildScores, settings_for
from noisyor.scoring.cluster_tasks import PartTask, search_part
from noisyor.scoring.workload import count_affordable
from tests.oracles.families import TOLERANCE, Key, all_costs, keep
from tests.oracles.structure_costs import with_prior, with_sizes
from tests.scoring.problems import costs_of, datasets, random_dataset, same_bits
from tests.support.effort import chosen, scaled

ALL = all_relations()
SOME = ((CPT,), (CPT, NOISY_OR), (CPT, LEAKY_NOISY_OR), ALL)


def prior_of(arcs: dict[tuple[int, int], float], other: float, weights: dict[str, float]) -> Prior:
    """Return a prior over the variables v0, v1, ..."""
    named = {(f"v{parent}", f"v{child}"): own for (parent, child), own in arcs.items()}
    return Prior(named, other, weights)


@st.composite
def beliefs(
    draw: st.DrawFn, variables: int
) -> tuple[dict[tuple[int, int], float], float, dict[str, float]]:
    """Draw arcs' probabilities on both sides of 1/2, one for the others, and weights."""
    probability = st.sampled_from([0.001, 0.1, 0.4, 0.5, 0.6, 0.9, 0.999])
    pairs = [(a, b) for a in range(variables) for b in range(variables) if a != b]
    arcs = draw(st.dictionaries(st.sampled_from(pairs), probability, max_size=8)) if pairs else {}
    names = st.sampled_from([one.name for one in ALL])
    weights = draw(
        st.dictionaries(names, st.sampled_from([0.01, 0.5, 1.0, 3.0, 100.0]), max_size=3)
    )
    return arcs, draw(probability), weights


def assert_same_families(
    found: dict[Key, float], expected: dict[Key, float], factor: float
) -> None:
    slack = BayesFactor(factor).slack
    assert keep(expected, slack, TOLERANCE / 2) <= found.keys() <= keep(expected, slack, 2e-7)
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


@settings(max_examples=scaled(100))
@given(
    data=datasets(most_variables=chosen(quick=4, full=7)),
    factor=st.sampled_from([1.0, 20.0]),
    relations=st.sampled_from(SOME),
    gamma=st.sampled_from([0.5, 1.0, 5.0, 40.0]),
    count_by=st.sampled_from(CountBy),
)
def test_extended_bic_finds_what_brute_force_finds(
    data: Dataset, factor: float, relations: tuple[Relation, ...], gamma: float, count_by: CountBy
) -> None:
    scored = score(data, factor, score=ebic(gamma), relations=relations, count_by=count_by, jobs=1)
    plain = all_costs(data, relations, Constraints.none(data.names))
    expected = with_sizes(plain, gamma, data.variable_count)
    assert_same_families(costs_of(scored.table), expected, factor)


@settings(max_examples=scaled(150))
@given(
    draws=st.data(),
    data=datasets(most_variables=chosen(quick=4, full=6)),
    factor=st.sampled_from([1.0, 20.0]),
    relations=st.sampled_from(SOME),
    gamma=st.sampled_from([0.0, 1.0]),
    count_by=st.sampled_from(CountBy),
)
def test_a_prior_finds_what_brute_force_finds(  # noqa: PLR0913, PLR0917
    draws: st.DataObject,
    data: Dataset,
    factor: float,
    relations: tuple[Relation, ...],
    gamma: float,
    count_by: CountBy,
) -> None:
    arcs, other, weights = draws.draw(beliefs(data.variable_count))
    most = draws.draw(st.sampled_from([None, 2, 3]))
    constraints = Knowledge(max_parents=most).constraints(data.names)
    scored = score(
        data,
        factor,
        score=ebic(gamma),
        relations=relations,
        constraints=constraints,
        prior=prior_of(arcs, other, weights),
        count_by=count_by,
        jobs=1,
    )
    plain = all_costs(data, relations, constraints, weights)
    expected = with_prior(with_sizes(plain, gamma, data.variable_count), arcs, other, weights)
    assert_same_families(costs_of(scored.table), expected, factor)


def mixed_prior(seed: int, variables: int) -> Prior:
    """Return a prior with arcs of all probabilities, sparse otherwise."""
    rng = np.random.default_rng(seed)
    arcs = {
        (a, b): float(rng.choice([0.02, 0.3, 0.7, 0.98]))
        for a in range(variables)
        for b in range(variables)
        if a != b and rng.random() < 0.5
    }
    return prior_of(arcs, 0.3, {"leaky-noisy-or": 2.0, "noisy-and": 0.25})


@pytest.mark.parametrize("rule", list(PruningRule))
@pytest.mark.parametrize(
    ("gamma", "believed"),
    chosen(
        quick=[(5.0, False), (1.0, True)],
        full=[(1.0, False), (5.0, False), (0.0, True), (1.0, True)],
    ),
)
def test_switching_a_rule_off_changes_nothing(
    rule: PruningRule, gamma: float, believed: bool
) -> None:
    data = random_dataset(3, variables=7, records=120)
    prior = mixed_prior(7, 7) if believed else Prior.none()
    for count_by in CountBy:
        every, without = (
            score(
                data,
                20,
                score=ebic(gamma),
                relations=ALL,
                prior=prior,
                jobs=1,
                count_by=count_by,
                rules=rules,
            )
            for rules in (ALL_RULES, ALL_RULES & ~rule)
        )
        assert same_bits(every.table, without.table)
    assert without.statistics.kept == every.statistics.kept


def test_switching_all_rules_off_changes_nothing_but_the_work() -> None:
    data = random_dataset(5, variables=8, records=80)
    settings = {"score": ebic(5), "relations": ALL, "prior": mixed_prior(2, 8), "jobs": 1}
    every = score(data, 20, **settings)  # type: ignore[arg-type]
    without = score(data, 20, rules=PruningRule(0), **settings)  # type: ignore[arg-type]
    assert same_bits(every.table, without.table)
    assert every.statistics.considered == without.statistics.considered


@pytest.mark.parametrize("seed", range(chosen(quick=2, full=6)))
def test_no_family_costs_less_than_the_least_cost_of_its_child(seed: int) -> None:
    data = random_dataset(seed, variables=5, records=40)
    constraints = Knowledge(required=[("v0", "v1")], max_parents=3).constraints(data.names)
    request = Request.of(
        data,
        1e6,
        score=ebic(1 + seed),
        relations=(CPT, NOISY_OR, LEAKY_NOISY_OR),
        constraints=constraints,
        prior=mixed_prior(seed, 5) if seed % 2 else Prior.none(),
    )
    least = RecordSource(request).least_costs(lambda: False)
    plain = with_sizes(all_costs(data, request.relations, constraints), 1 + seed, 5)
    named = {name: place for place, name in enumerate(data.names)}
    arcs = {
        (named[parent], named[child]): own
        for (parent, child), own in request.prior.probabilities().items()
    }
    costs = with_prior(plain, arcs, request.prior.arc, dict(request.prior.relations))
    for (child, _, _), cost in costs.items():
        assert cost >= least[child] - 1e-9


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("gamma", [1.0, 5.0])
def test_sets_between_affordable_ones_are_counted_as_well(seed: int, gamma: float) -> None:
    data = random_dataset(seed, variables=6, records=20)
    prior = mixed_prior(seed, 6) if seed % 2 else None
    found = score(data, 20, score=ebic(gamma), relations=(CPT,), prior=prior).statistics
    request = Request.of(data, 20, score=ebic(gamma), relations=(CPT,), prior=prior)
    assert found.relations[CPT].evaluated <= count_affordable(request)[CPT]


@pytest.mark.parametrize("seed", range(4))
def test_no_more_families_are_affordable_than_the_workload_says(seed: int) -> None:
    data = random_dataset(seed, variables=7, records=60)
    request = Request.of(
        data, 20, score=ebic(3), relations=ALL, prior=mixed_prior(seed, 7) if seed else None
    )
    affordable = count_affordable(request)
    for relation in ALL:
        alone = score(data, 20, score=ebic(3), relations=(CPT, relation), prior=request.prior)
        evaluated = alone.statistics.relations[relation].evaluated
        assert evaluated <= affordable[relation]
    plain = replace(request, prior=Prior.none())
    if not seed:
        assert count_affordable(plain) == affordable


@pytest.mark.parametrize("name", ["ebic(2)", "bdeu(3)", "qnml"])
def test_a_worker_gets_the_score_and_the_prior(name: str) -> None:
    data = random_dataset(2, variables=6, records=80)
    request = Request.of(data, 20, score=name, prior=mixed_prior(4, 6))
    whole = score(data, 20, score=name, prior=request.prior, jobs=1)
    sent = pickle.loads(pickle.dumps(settings_for(request)))  # noqa: S301  (our own bytes)
    assert sent.request.prior == request.prior
    for child in range(data.variable_count):
        result = search_part(sent, lambda: False, PartTask(child, seconds=1000.0), None)
        assert isinstance(result, ChildScores)
        assert result.columns == whole.children[child].columns


def test_tables_with_different_priors_are_not_joined() -> None:
    data = random_dataset(2, variables=4, records=30)
    tables = [score(data, 2, prior=Prior(arc=own), jobs=1).table for own in (0.2, 0.3)]
    with pytest.raises(
        MismatchError, match=r"one table has the prior 0.2 for every arc, the other"
    ):
        tables[0].joined(tables[1])
