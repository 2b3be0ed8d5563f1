"""Fits in which given parameters count like records."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize  # type: ignore[import-untyped]

from noisyor.core import (
    BIC,
    CPT,
    NOISY_OR,
    Cpt,
    Dataset,
    Distribution,
    Family,
    InfeasibleFitError,
    NumericalError,
    SettingsError,
)
from noisyor.core.relations import CAUSE_RELATIONS, CauseDistribution, CauseRelation
from noisyor.fitting import constrained_fit, expert_prior, fit, penalty_of
from noisyor.fitting.expert_prior import EqualRecords, PriorRecords
from noisyor.fitting.relations import fit_with_prior
from tests.oracles.expert_prior import imaginary_cost, real_cost
from tests.scoring.problems import coded, random_tables, tables
from tests.support.effort import chosen, scaled
from tests.toy.shared_strength import SHARED

UNSIGNED = [relation for relation in CAUSE_RELATIONS if not relation.signed]
LEAKY = [relation for relation in CAUSE_RELATIONS if relation.model.leak]
SIGNED = [relation for relation in CAUSE_RELATIONS if relation.signed]


class UnequalRecords(PriorRecords):
    """Imaginary records that differ between states and configurations."""

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def of_configurations(self, parent_states: Sequence[int]) -> npt.NDArray[np.float64]:
        shares = np.arange(float(np.prod(parent_states, dtype=int)))
        return np.asarray(self.weight * shares / max(shares.sum(), 1))

    def of_states(self, parent_states: Sequence[int]) -> list[npt.NDArray[np.float64]]:
        return [self.weight * np.arange(1.0, own + 1) / own**2 for own in parent_states]

    @property
    def of_node(self) -> float:
        return self.weight

    def of_causes(self, relation: CauseRelation, sizes: Sequence[int]) -> list[float]:
        """Return the weight of each cause, the leak's last."""
        by_state = self.of_states(sizes)
        own = [float(by_state[place][state]) for place, state in relation.columns(sizes)]
        return [*own, self.weight] if relation.model.leak else own


def expert_of(data: Dataset, relation: CauseRelation, seed: int = 1) -> CauseDistribution:
    """Return some distribution of variable 0 given all others."""
    sizes = [variable.state_count for variable in data.variables]
    size = relation.parameter_size(sizes[0], sizes[1:])
    q = np.random.default_rng(seed).uniform(0.05, 0.95, size)
    return relation.distribution(q, sizes[0], sizes[1:])


def everyone(data: Dataset) -> int:
    return (1 << data.variable_count) - 2


def fitted(
    data: Dataset, relation: CauseRelation, expert: Distribution, prior: PriorRecords
) -> CauseDistribution:
    found = fit_with_prior(data, Family(0, everyone(data), relation), expert, prior)
    assert isinstance(found, CauseDistribution)
    return found


@pytest.mark.parametrize("relation", LEAKY, ids=str)
@pytest.mark.parametrize("seed", range(chosen(quick=1, full=3)))
def test_the_fit_is_the_best_of_real_and_imaginary_records_together(
    relation: CauseRelation, seed: int
) -> None:
    """A maximisation over all parameters at once, from the definition, finds nothing better."""
    data = random_tables(seed, 3, 60, most_states=3)
    expert, prior = expert_of(data, relation, seed), UnequalRecords(15.0)
    sizes = expert.parent_states
    weights = prior.of_causes(relation, sizes)

    def cost(one: CauseDistribution) -> float:
        own = imaginary_cost(one.levels.tolist(), expert.levels.tolist(), weights)
        return real_cost(one, data) + own

    def loss(roots: npt.NDArray[np.float64]) -> float:
        value = cost(relation.distribution(np.exp(-(roots**2)), expert.child_states, sizes))
        return value if np.isfinite(value) else 1e9

    best = minimize(loss, np.full(expert.parameters().size, 0.7), method="L-BFGS-B")
    found = fitted(data, relation, expert, prior)
    there = relation.distribution(np.exp(-(best.x**2)), expert.child_states, sizes)
    assert np.allclose(found.expand().table, there.expand().table, atol=2e-3)
    if not relation.signed:  # a signed fit is given back with an idle state
        assert cost(found) <= best.fun + 1e-8
        assert cost(found) == pytest.approx(best.fun, abs=1e-3)


@settings(max_examples=scaled(100))
@given(
    tables(most_variables=4, most_states=3),
    st.sampled_from(UNSIGNED),
    st.sampled_from([1e-3, 1.0, 30.0, 1e5]),
)
def test_no_small_change_of_a_parameter_is_better(
    data: Dataset, relation: CauseRelation, weight: float
) -> None:
    """The problem is convex in -ln q, so what is best nearby in each of these is best."""
    assume(data.variable_count > 1 and data.variables[0].state_count > 1)
    expert, prior = expert_of(data, relation), UnequalRecords(weight)
    weights = prior.of_causes(relation, expert.parent_states)
    try:
        found = fitted(data, relation, expert, prior)
    except InfeasibleFitError:
        assert not relation.model.leak
        return

    def cost(levels: npt.NDArray[np.float64]) -> float:
        one = CauseDistribution(relation, levels, expert.parent_states)
        own = imaginary_cost(levels.tolist(), expert.levels.tolist(), weights)
        return real_cost(one, data) + own

    least = cost(found.levels)
    for place in np.ndindex(found.levels.shape):
        for step in (-1e-2, 1e-2):
            levels = found.levels.copy()
            levels[place] = min(1.0, levels[place] * np.exp(-step))
            assert cost(levels) >= least - 1e-7 - 1e-12 * abs(least)


def symptoms(relation: CauseRelation) -> Dataset:
    """Return forty records of an effect and two causes, of which only the first occurs."""
    idle = 1 if relation.name.endswith("and") else 0
    other = [idle if number % 2 else 1 - idle for number in range(40)]
    effect = [idle if other[number] == idle or number % 4 else 1 - idle for number in range(40)]
    return coded([effect, other, [idle] * 40], [2, 2, 2])


@pytest.mark.parametrize("relation", UNSIGNED, ids=str)
@pytest.mark.parametrize("weight", [0.0, 0.01, 5.0])
def test_a_cause_that_no_record_has_keeps_its_strength_exactly(
    relation: CauseRelation, weight: float
) -> None:
    """A fault that did not occur in forty records is not thereby known to be harmless."""
    data = symptoms(relation)
    expert = expert_of(data, relation)
    found = fitted(data, relation, expert, EqualRecords(weight))
    assert found.levels[1] == expert.levels[1]
    assert found.levels[0] != expert.levels[0]


@pytest.mark.parametrize("relation", SIGNED, ids=str)
def test_a_state_that_nothing_tells_of_keeps_its_strength_against_the_idle_one(
    relation: CauseRelation,
) -> None:
    expert = relation.distribution([1.0, 0.4, 0.5, 1.0, 0.3, 0.8], 2, (2, 3))
    data = coded([[0, 1, 1, 0, 1], [0, 1, 1, 0, 0], [1, 1, 2, 2, 1]], [2, 2, 3])
    found = fitted(data, relation, expert, EqualRecords(0.0))
    assert found.levels[2, 0] == 0.5
    assert max(found.levels[3:5, 0]) == 1.0


@pytest.mark.parametrize("relation", UNSIGNED, ids=str)
def test_no_strength_between_0_and_1_reaches_either(relation: CauseRelation) -> None:
    """Not even where every record, or none, has the effect with the cause."""
    for effect in (0, 1):
        data = coded([[effect] * 1000, [1 - relation.name.endswith("and")] * 1000], [2, 2])
        expert = expert_of(data, relation)
        found = fitted(data, relation, expert, EqualRecords(1e-3))
        assert ((found.levels > 0) & (found.levels < 1)).all()


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_a_weight_of_zero_is_maximum_likelihood(relation: CauseRelation) -> None:
    for seed in range(3):
        data = random_tables(seed, 4, 100, most_states=3)
        family = Family(0, everyone(data), relation)
        try:
            best = fit(data, family)
        except InfeasibleFitError:
            with pytest.raises(InfeasibleFitError, match="allowed: parents that cover"):
                fitted(data, relation, expert_of(data, relation), EqualRecords(0.0))
            continue
        found = fitted(data, relation, expert_of(data, relation), EqualRecords(0.0))
        assert real_cost(found, data) <= best.cost - penalty_of(data, family, BIC) + 1e-7


@pytest.mark.parametrize("relation", LEAKY, ids=str)
def test_a_large_weight_keeps_the_expert(relation: CauseRelation) -> None:
    data = random_tables(5, 3, 50, most_states=3)
    expert = expert_of(data, relation)
    found = fitted(data, relation, expert, EqualRecords(1e9))
    assert np.allclose(found.expand().table, expert.expand().table, atol=1e-6)


@pytest.mark.parametrize("relation", LEAKY, ids=str)
def test_more_of_both_records_changes_nothing(relation: CauseRelation) -> None:
    data = random_tables(6, 3, 50, most_states=3)
    expert = expert_of(data, relation)
    more = Dataset(data.variables, data.codes, data.weights * 1000)
    once, again = (
        fitted(records, relation, expert, EqualRecords(weight))
        for records, weight in ((data, 0.25), (more, 250.0))
    )
    assert np.allclose(once.expand().table, again.expand().table, atol=1e-6)


def test_certain_causes_stay_certain_until_a_record_speaks_against_them() -> None:
    expert = NOISY_OR.distribution([0.0, 1.0])
    data = coded([[1, 1], [1, 1], [0, 1]], [2, 2, 2])
    found = fitted(data, NOISY_OR, expert, EqualRecords(3.0))
    assert found.levels[:, 0].tolist() == [0.0, 1.0]
    data = coded([[0, 1], [1, 1], [0, 1]], [2, 2, 2])
    found = fitted(data, NOISY_OR, expert, EqualRecords(3.0))
    assert 0 < found.levels[0, 0] < 1


@settings(max_examples=scaled(60))
@given(tables(most_variables=3, most_states=4), st.sampled_from([0.0, 0.5, 20.0]))
def test_rows_of_a_table_are_means_of_dirichlet_posteriors(data: Dataset, weight: float) -> None:
    sizes = [variable.state_count for variable in data.variables]
    rng = np.random.default_rng(len(data.weights))
    rows = int(np.prod(sizes[1:], dtype=int))
    expert = Cpt(rng.dirichlet(np.ones(sizes[0]), rows), np.zeros(rows, np.bool_), tuple(sizes[1:]))
    prior = UnequalRecords(weight)
    found = fit_with_prior(data, Family(0, everyone(data), CPT), expert, prior).expand()
    weights = prior.of_configurations(sizes[1:])
    for row in range(rows):
        codes, number = [], row
        for states in sizes[1:]:
            codes.append(number % states)
            number //= states
        counts = [Fraction(0)] * sizes[0]
        for record, times in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
            if record[1:] == codes:
                counts[record[0]] += times
        imaginary = Fraction(float(weights[row]))
        total = sum(counts) + imaginary
        wanted = [
            (own + imaginary * Fraction(chance)) / total if total else Fraction(chance)
            for own, chance in zip(counts, expert.table[row].tolist(), strict=True)
        ]
        assert found.table[row] == pytest.approx([float(one) for one in wanted], abs=1e-14)
        assert bool(found.unseen[row]) == (not sum(counts) and weight == 0)


def test_a_row_stays_unseen_until_a_record_has_it() -> None:
    data = coded([[0, 1], [1, 1]], [2, 2])
    expert = Cpt.binary([0.5, 0.5], [True, True])
    found = fit_with_prior(data, Family(0, 0b10, CPT), expert, EqualRecords(4.0)).expand()
    assert found.unseen.tolist() == [True, False]


def test_a_relation_without_such_a_fit_is_refused() -> None:
    data = coded([[0, 1], [1, 1]], [2, 2])
    family = Family(0, 0b10, SHARED)
    expert = SHARED.distribution([0.5], 2, (2,))
    with pytest.raises(
        SettingsError, match="cannot be fitted with a prior; allowed: cpt, noisy-or"
    ):
        fit_with_prior(data, family, expert, EqualRecords(1.0))


def test_an_optimum_that_is_not_proven_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constrained_fit, "_MAX_STEPS", 1)
    monkeypatch.setattr(expert_prior, "FIT_GAP", 0.0)
    data = random_tables(1, 3, 500)
    relation = LEAKY[0]
    with pytest.raises(NumericalError, match="'v0' are only proven to"):
        fitted(data, relation, expert_of(data, relation), EqualRecords(2.0))
