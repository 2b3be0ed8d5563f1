"""Scores of full tables alone: marginal likelihoods and qNML, compared with brute force."""

from dataclasses import replace
from decimal import Decimal, getcontext
from math import inf, log

import numpy as np
import pandas  # noqa: ICN001
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor._kernels import available_builds, load_build
from noisyor.core import CPT, BayesFactor, Constraints, Dataset, Family, Prior, SettingsError
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.request import Request
from noisyor.core.score import SCORES, Score, bdeu
from noisyor.core.variable_sets import set_of, variables_in
from noisyor.fitting import fit
from noisyor.interop.pyagrum_loading import load_pyagrum
from noisyor.learning import learn
from noisyor.scoring import CountBy, RecordSource, score
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.structure_cost import score_structure
from noisyor.scoring.workload import count_affordable
from tests.oracles.families import TOLERANCE, Key, keep, legal_sets
from tests.oracles.networks import credible_set
from tests.oracles.structure_costs import with_prior
from tests.oracles.table_scores import marginal_cost, qnml_cost
from tests.scoring.problems import (
    costs_of,
    dataset,
    random_dataset,
    random_tables,
    same_bits,
    tables,
)
from tests.support.effort import chosen, scaled

TABLE_SCORES = ("bdeu", "bdeu(10)", "bdeu(0.01)", "bds", "bds(5)", "k2", "qnml")


def naive_cost(data: Dataset, child: int, parents: int, name: str) -> float:
    if name == "qnml":
        return qnml_cost(data, child, parents)
    kind, _, number = name.partition("(")
    return marginal_cost(data, child, parents, kind, float(number.rstrip(")") or 1))


def naive_costs(data: Dataset, name: str) -> dict[Key, float]:
    nothing = Constraints.none(data.names)
    return {
        (child, parents, "cpt"): naive_cost(data, child, parents, name)
        for child in range(data.variable_count)
        for parents in legal_sets(nothing, child)
    }


@settings(max_examples=scaled(100))
@given(
    data=tables(most_variables=chosen(quick=4, full=6)),
    factor=st.sampled_from([1.0, 20.0]),
    name=st.sampled_from(TABLE_SCORES),
    count_by=st.sampled_from(CountBy),
)
def test_scoring_finds_what_brute_force_finds(
    data: Dataset, factor: float, name: str, count_by: CountBy
) -> None:
    found = costs_of(score(data, factor, score=name, count_by=count_by, jobs=1).table)
    expected = naive_costs(data, name)
    slack = BayesFactor(factor).slack
    assert keep(expected, slack, TOLERANCE / 2) <= found.keys() <= keep(expected, slack, 2e-7)
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


@pytest.mark.parametrize("rule", [PruningRule.PENALTY, PruningRule.LIKELIHOOD])
@pytest.mark.parametrize("name", chosen(quick=("bdeu", "bds(5)", "k2", "qnml"), full=TABLE_SCORES))
def test_switching_a_rule_off_changes_nothing(rule: PruningRule, name: str) -> None:
    data = random_dataset(3, variables=8, records=900)
    prior = Prior({("v0", "v4"): 0.9, ("v2", "v5"): 0.99}, 0.4)
    for count_by in CountBy:
        every, without = (
            score(data, 20, score=name, prior=prior, jobs=1, count_by=count_by, rules=rules)
            for rules in (ALL_RULES, ALL_RULES & ~rule)
        )
        assert same_bits(every.table, without.table)
    assert without.statistics.kept == every.statistics.kept


@pytest.mark.parametrize("count_by", CountBy)
@pytest.mark.parametrize("name", TABLE_SCORES)
def test_the_rules_prune_something(name: str, count_by: CountBy) -> None:
    data = random_dataset(3, variables=10, records=40)
    pruned, whole = (
        score(data, 2, score=name, jobs=1, count_by=count_by, rules=rules)
        for rules in (ALL_RULES, PruningRule(0))
    )
    assert same_bits(pruned.table, whole.table)
    work = [
        sum(one.evaluated for one in own.statistics.relations.values()) for own in (pruned, whole)
    ]
    assert work[0] < work[1]


@pytest.mark.parametrize("name", ["bdeu", "bds(5)"])
def test_the_bound_knows_states_that_stay_together(name: str) -> None:
    """Many equal records with different states of the child cannot be told apart by parents."""
    data = random_dataset(8, variables=9, records=20_000)
    pruned = score(data, 20, score=name, jobs=1, count_by=CountBy.CONFIGURATIONS)
    (work,) = pruned.statistics.relations.values()
    assert work.cut[PruningRule.LIKELIHOOD] > 0
    whole = score(data, 20, score=name, jobs=1, rules=PruningRule(0))
    assert costs_of(pruned.table).keys() == costs_of(whole.table).keys()


@pytest.mark.parametrize("method", ["table", "price", "layers"])
@pytest.mark.parametrize(
    "name", chosen(quick=["bdeu(2)", "qnml"], full=["bdeu(2)", "bds", "k2", "qnml"])
)
def test_every_method_finds_all_credible_networks(name: str, method: str) -> None:
    data = random_dataset(6, variables=5, records=50)
    arcs = {(0, 1): 0.9, (3, 2): 0.05}
    prior = Prior({(f"v{a}", f"v{b}"): own for (a, b), own in arcs.items()}, 0.3)
    learned = learn(data, 20, score=name, prior=prior, method=method, jobs=1, quiet=True)
    costs = with_prior(naive_costs(data, name), arcs, 0.3, {})
    coded = {(child, parents, CPT.code): own for (child, parents, _), own in costs.items()}
    expected = credible_set(coded, 5, log(20))
    assert expected is not None
    assert learned.complete
    assert learned.optimum == pytest.approx(expected.optimum, abs=1e-6)
    found = {
        tuple((one.child, one.parents, one.relation.code) for one in member.structure.families)
        for member in learned.members()
    }
    assert found == expected.networks
    assert learned.best.cost == pytest.approx(learned.optimum)
    assert learned.networks().optimum == pytest.approx(learned.optimum)
    assert learned.report_content()["records"] == 50


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", TABLE_SCORES)
def test_single_families_cost_what_records_predict(name: str, seed: int) -> None:
    data = random_tables(seed, variables=5, records=60)
    nodes = []
    for child in range(data.variable_count):
        parents = [v for v in range(child) if (seed + v + child) % 3]
        fitted = fit(data, Family(child, set_of(parents)), score=name)
        assert fitted.cost == pytest.approx(naive_cost(data, child, set_of(parents), name))
        nodes += [(data.names[parent], data.names[child]) for parent in parents]
    scored = score_structure(data, nodes, score=name)
    assert scored.total == pytest.approx(
        sum(
            naive_cost(data, family.child, family.parents, name)
            for family in scored.structure.families
        )
    )


@pytest.mark.parametrize("name", ["bdeu(3)", "bds", "k2", "qnml"])
def test_climbers_know_the_score(name: str) -> None:
    data = random_tables(5, variables=6, records=80)
    climbing = Climbing(Request.of(data, 20, score=name, jobs=1), climbers=1)
    climbing.run(lambda: False, rounds=2)
    scored = score_structure(data, climbing.structure(), score=name)
    assert climbing.cost == pytest.approx(scored.total)


def test_parameters_are_the_means_of_the_posterior() -> None:
    data = dataset([[0, 0, 0, 1], [0, 0, 1, 1]])
    table = fit(data, Family(1, 0b01), score="bdeu(2)").distribution.expand()
    # The rows a = 0 and a = 1 have records (2, 1) and (0, 1); each cell begins with 1/2.
    assert table.table.tolist() == pytest.approx(np.array([[2.5 / 4, 1.5 / 4], [0.25, 0.75]]))
    given_prior = fit(data, Family(1, 0b01), score="bdeu(2)", prior=1.0)
    assert given_prior.distribution.expand().table[1].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert given_prior.cost == fit(data, Family(1, 0b01), score="bdeu(2)").cost
    largest = fit(data, Family(1, 0b01), score="qnml").distribution.expand()
    assert largest.table[1].tolist() == [0, 1]


SEEN = random_tables(1, variables=5, records=200)
"""Records in which every state occurs: other programs know no others."""


def _frame() -> pandas.DataFrame:
    codes = SEEN.codes.repeat(SEEN.weights, axis=0)
    columns = {name: codes[:, place].astype(str) for place, name in enumerate(SEEN.names)}
    return pandas.DataFrame(columns).astype("category")


def _families() -> list[tuple[Family, tuple[str, ...]]]:
    return [
        (Family(child, own), tuple(SEEN.names[v] for v in variables_in(own)))
        for child in range(5)
        for own in {parents & ~(1 << child) for parents in (0, 0b1, 0b110, 0b11001)}
    ]


@pytest.mark.parametrize("size", [1.0, 7.0])
def test_pgmpy_computes_the_same_bdeu(size: float) -> None:
    theirs = pytest.importorskip("pgmpy.structure_score").BDeu(
        _frame(), equivalent_sample_size=size
    )
    for family, names in _families():
        ours = fit(SEEN, family, score=bdeu(size)).cost
        assert -theirs.local_score(SEEN.names[family.child], names) == pytest.approx(ours)


def test_pyagrum_computes_the_same_k2() -> None:
    """Its scores are logarithms to base 2, by an approximation, which for BDeu is a coarse one."""
    learner = load_pyagrum().BNLearner(_frame().astype(str))
    learner.useScoreK2()
    for family, names in _families():
        theirs = -learner.score(SEEN.names[family.child], list(names)) * log(2)
        assert theirs == pytest.approx(fit(SEEN, family, score="k2").cost, rel=1e-6)


@pytest.mark.parametrize("name", ["bdeu", "bds", "k2", "qnml"])
def test_other_relations_are_refused_and_full_tables_the_default(name: str) -> None:
    data = random_dataset(1, variables=3, records=20)
    assert Request.of(data, 20, score=name).relations == (CPT,)
    message = f"the score {name} is not defined for leaky-noisy-or; allowed: cpt"
    with pytest.raises(SettingsError, match=message):
        learn(data, 20, score=name, relations="default", quiet=True)
    with pytest.raises(SettingsError, match=message):
        score_structure(data, [], score=name, relations="default")


def test_completions_have_no_marginal_likelihood() -> None:
    data = replace(random_dataset(1, variables=3, records=20), copies=2)
    for name in ("bdeu", "bds", "k2"):
        with pytest.raises(SettingsError, match="not defined for completions"):
            Request.of(data, 20, score=name)
    assert Request.of(data, 20, score="qnml").score is SCORES["qnml"]


def test_more_configurations_than_a_number_can_count_are_refused() -> None:
    wide = random_dataset(1, variables=1100 - 80, records=4)
    with pytest.raises(SettingsError, match="more configurations than the score bdeu can count"):
        score(wide, 20, score="bdeu", children=[0], jobs=1)
    limited = Constraints.none(wide.names)
    scored = score(
        wide,
        20,
        score="bdeu",
        constraints=replace(limited, max_parents=1),
        children=[0],
        jobs=1,
    )
    assert len(scored.children) == 1


@pytest.mark.parametrize("name", TABLE_SCORES)
def test_no_family_costs_less_than_the_least_cost_of_its_child(name: str) -> None:
    data = random_tables(3, variables=5, records=50)
    request = Request.of(data, 20, score=name)
    least = RecordSource(request).least_costs(lambda: False)
    for (child, _, _), cost in naive_costs(data, name).items():
        assert cost >= least[child]
    (evaluated,) = score(data, 20, score=name, jobs=1).statistics.relations.values()
    assert evaluated.evaluated <= count_affordable(request)[CPT]


@pytest.mark.parametrize("size", [1e-250, 1e-9, 0.5, 1.0, 40.0, 1e6])
@pytest.mark.parametrize("build", available_builds())
def test_the_kernel_computes_large_and_small_pseudo_counts(build: str, size: float) -> None:
    """A child that is always in one state costs ln (2 a)_n - ln (a)_n, a being the pseudo-count."""
    kernels = load_build(build)
    settings = kernels.SearchSettings()
    settings.candidates = [1]
    prior = kernels.DirichletPrior(size, kernels.DividedBy.NOTHING)
    penalty = kernels.Penalty.of_parameters(0.0, 0.0, 0.0, 0.0)
    settings.relations = [kernels.RelationSpec.full_table(0, penalty, prior)]
    getcontext().prec = 60
    for count in (1, 2, 15, 16, 17, 18, 1000):
        codes, weights = np.zeros((1, 2), dtype=np.uint8), np.array([count])
        search = kernels.ChildSearch(codes, weights, [2, 2], 0, settings)
        wanted = kernels.PassSettings()
        wanted.slack = inf
        wanted.relations = [0]
        wanted.first, wanted.end = [0], [2]
        search.begin(wanted)
        search.work(kernels.Cancellation())
        exact = sum(((2 * Decimal(size) + i) / (Decimal(size) + i)).ln() for i in range(count))
        assert min(search.result().costs) == pytest.approx(float(exact), rel=1e-12, abs=1e-8)


def test_every_score_is_a_score_of_some_relation() -> None:
    for own in SCORES.values():
        assert isinstance(own, Score)
        assert CPT in own.default_relations
