"""Fits of independent causes, for variables of any numbers of states."""

from math import log

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize  # type: ignore[import-untyped]

from noisyor.core import Dataset, Family, InfeasibleFitError, Relation, SettingsError, Variable
from noisyor.core.relations import CAUSE_RELATIONS, CauseDistribution, CauseRelation
from noisyor.fitting import FittedFamily, fit
from noisyor.fitting import causes as causes_module
from noisyor.fitting.causes import CauseColumns, with_an_idle_state
from tests.oracles.families import cause_cost
from tests.scoring.problems import coded, random_tables, tables
from tests.support.effort import chosen, scaled

EVERYONE = 0b1110
"""The parents of variable 0 in a table of four."""

WITH_LEAK = [relation for relation in CAUSE_RELATIONS if relation.model.leak]
PAIRS = [(a, b) for a, b in zip(CAUSE_RELATIONS[:3], CAUSE_RELATIONS[3:], strict=True)]


def deviance(data: Dataset, fitted: FittedFamily) -> float:
    """Return -ln L of the fitted distribution itself."""
    parents = [data.column(parent) for parent in fitted.family.parent_indices()]
    records = len(data.weights)
    logs = fitted.distribution.log_chances(parents, records)
    own = logs[data.column(fitted.family.child), np.arange(records)]
    return float(-(data.weights * own).sum())


def penalty(data: Dataset, family: Family) -> float:
    sizes = [data.variables[parent].state_count for parent in family.parent_indices()]
    count = family.relation.parameter_count(data.variables[family.child].state_count, sizes)
    return count * log(data.record_count) / 2


def reversed_codes(data: Dataset) -> Dataset:
    """Return the same records with the states of all variables in reverse."""
    states = [variable.state_count for variable in data.variables]
    codes = np.array(states) - 1 - np.repeat(data.codes, data.weights, axis=0)
    return coded(codes.T.tolist(), states)


@pytest.mark.parametrize("relation", WITH_LEAK, ids=str)
@pytest.mark.parametrize("seed", range(chosen(quick=1, full=4)))
def test_levels_maximise_the_joint_likelihood(relation: CauseRelation, seed: int) -> None:
    """One noisy-OR fit a level finds what a maximisation over all parameters at once finds."""
    data = random_tables(seed, 4, 150)
    family = Family(0, EVERYONE, relation)
    fitted = fit(data, family)
    sizes = fitted.distribution.parent_states
    columns = [data.column(parent) for parent in family.parent_indices()]
    everywhere = np.arange(len(data.weights))

    def loss(rates: npt.NDArray[np.float64]) -> float:
        one = relation.distribution(np.exp(-rates), fitted.distribution.child_states, sizes)
        logs = one.log_chances(columns, len(data.weights))[data.column(0), everywhere]
        value = float(-(data.weights * logs).sum())
        return value if np.isfinite(value) else 1e9

    size = fitted.distribution.parameters().size
    # It is convex in the rates, so one start is enough.
    start, within = np.full(size, 0.5), [(0, 40)] * size
    accurate = {"ftol": 1e-13, "maxfun": 10**5}
    best = minimize(loss, start, method="L-BFGS-B", bounds=within, options=accurate).fun
    assert fitted.cost - penalty(data, family) == pytest.approx(best, abs=1e-4)
    assert fitted.cost - penalty(data, family) <= best + 1e-8


def test_more_causes_than_the_kernel_holds_are_refused() -> None:
    columns = [[0, 1], *[[0, 15]] * 70]
    data = coded(columns, [2, *[16] * 70])
    family = Family(0, (1 << 71) - 2, WITH_LEAK[0])
    with pytest.raises(SettingsError, match=r"'v0' has 1050 causes, .* at most 1023 can be fitted"):
        fit(data, family)


@settings(max_examples=scaled(60))
@given(tables(most_variables=4, most_states=3), st.sampled_from(CAUSE_RELATIONS))
def test_fits_are_those_of_the_oracle_and_cost_what_their_parameters_do(
    data: Dataset, relation: CauseRelation
) -> None:
    """The oracle tries every choice of inactive states of a signed relation, each level apart."""
    parents = (1 << data.variable_count) - 2
    if not relation.supports(data.variables[0], data.variables[1:]):
        return
    expected = cause_cost(data, 0, parents, relation)
    family = Family(0, parents, relation)
    if np.isinf(expected):
        with pytest.raises(InfeasibleFitError, match="in which all of its parents are"):
            fit(data, family)
        return
    fitted = fit(data, family)
    assert fitted.cost == pytest.approx(expected, abs=2e-8, rel=1e-11)
    assert fitted.certificate.lower_bound <= expected + 1e-8
    assert deviance(data, fitted) == pytest.approx(fitted.cost - penalty(data, family), abs=1e-6)


@pytest.mark.parametrize(("maximum", "minimum"), PAIRS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_and_is_the_or_of_the_complement(maximum: Relation, minimum: Relation, seed: int) -> None:
    data = random_tables(seed, 4, 120)
    for this, other in ((maximum, minimum), (minimum, maximum)):
        try:
            cost = fit(data, Family(0, EVERYONE, this)).cost
        except InfeasibleFitError:
            with pytest.raises(InfeasibleFitError):
                fit(reversed_codes(data), Family(0, EVERYONE, other))
            continue
        again = fit(reversed_codes(data), Family(0, EVERYONE, other))
        assert again.cost == pytest.approx(cost, abs=1e-7)


@settings(max_examples=scaled(100))
@given(st.integers(0, 2**32), st.lists(st.integers(2, 4), min_size=1, max_size=3))
def test_an_idle_state_of_each_parent_changes_no_probability(seed: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    q = rng.choice([0.0, 1.0, 0.5, 1e-9], (sum(sizes) + 1, 2)) * rng.random((sum(sizes) + 1, 2))
    signed = CAUSE_RELATIONS[2]
    seen = np.ones(q.shape, dtype=np.bool_)
    moved = with_an_idle_state(q, sizes, seen)
    before, after = (CauseDistribution(signed, one, sizes).expand().table for one in (q, moved))
    assert after == pytest.approx(before, abs=1e-12)
    first = 0
    for states in sizes:
        assert (moved[first : first + states].max(axis=0) == 1).all()
        first += states


def test_a_level_without_records_and_a_state_that_never_occurs_have_no_strength() -> None:
    child = Variable("child", ("low", "middle", "high"), ordered=True)
    parent = Variable("parent", ("none", "some", "much"))
    other = Variable("other")
    # No record has the middle level; none has the parent in its last state.
    codes = np.array([[0, 0, 0], [2, 1, 0], [0, 1, 1], [2, 1, 1]], dtype=np.uint8)
    order = np.lexsort(codes.T)
    data = Dataset((child, parent, other), codes[order], np.array([5, 3, 2, 4])[order])
    fitted = fit(data, Family(0, 0b110, CAUSE_RELATIONS[1]))
    some, much, another, leak = (cause.levels for cause in fitted.distribution.causes())
    assert [levels[0] for levels in (some, much, another, leak)] == [1, 1, 1, 1]
    assert much == (1, 1)
    assert some[1] < 1


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_merging_equal_records_changes_no_bit(
    relation: CauseRelation, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_tables(3, 7, 900, 3)
    family = Family(0, 0b110, relation)
    merged = CauseColumns.of(data, family)
    assert len(merged.weights) < len(data.weights) / 4
    assert merged.weights.sum() == data.weights.sum()
    monkeypatch.setattr(causes_module, "_MUCH_FEWER", len(data.weights))
    whole = CauseColumns.of(data, family)
    assert len(whole.weights) == len(data.weights)
    for level in range(1, whole.level_count + 1):
        assert _counted(merged.records_of(level)) == _counted(whole.records_of(level))
    assert (merged.unseen() == whole.unseen()).all()
    assert merged.without_cause() == whole.without_cause()
    if whole.without_cause() and not relation.model.leak:
        return
    apart = fit(data, family)
    monkeypatch.undo()
    together = fit(data, family)
    assert together.certificate == apart.certificate
    assert (together.distribution.parameters() == apart.distribution.parameters()).all()


def _counted(
    records: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]],
) -> list[tuple[bytes, int]]:
    """Return how many records each row has; rows in the order in which they first occur."""
    counts: dict[bytes, int] = {}
    for row, weight in zip(*records, strict=True):
        counts[row.tobytes()] = counts.get(row.tobytes(), 0) + int(weight)
    return list(counts.items())
