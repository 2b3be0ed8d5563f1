"""Profile-likelihood intervals are where an oracle, or a formula, says that they end."""

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Dataset,
    Family,
    NoisyOr,
    NumericalError,
    SettingsError,
    Variable,
)
from noisyor.core.relations import CAUSE_RELATIONS, CauseRelation
from noisyor.fitting import FittedFamily, constrained_fit, fit
from noisyor.networks import profile_likelihood
from noisyor.networks.profile_likelihood import (
    StrengthInterval,
    strength_intervals,
    threshold_of,
)
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles import profile as oracle
from tests.oracles.noisy_or import with_leak
from tests.oracles.profile import Record
from tests.support.effort import scaled

AT_95 = 1.9207294103470621  # half of 1.959963984540054 squared
TWO_CAUSES: list[Record] = [
    ((1, 0), 1, 17),
    ((1, 0), 0, 9),
    ((0, 1), 1, 5),
    ((0, 1), 0, 21),
    ((1, 1), 1, 6),
    ((1, 1), 0, 2),
    ((0, 0), 0, 40),
]


def fitted(records: list[Record], *, leak: bool = False) -> FittedFamily:
    relation = LEAKY_NOISY_OR if leak else NOISY_OR
    return fit(dataset_of(records), Family(0, all_but(0, len(records[0][0])), relation))


def intervals(
    records: list[Record], level: float = 0.95, *, leak: bool = False
) -> tuple[StrengthInterval, ...]:
    found = strength_intervals(dataset_of(records), fitted(records, leak=leak), level)
    return tuple(one for (one,) in found if one is not None)


def strengths(records: list[Record], *, leak: bool = False) -> list[float]:
    distribution = fitted(records, leak=leak).distribution
    assert isinstance(distribution, NoisyOr)
    leaks = [] if distribution.leak_q is None else [distribution.leak_q]
    return [1 - q for q in (*distribution.q.tolist(), *leaks)]


def check_ends(records: list[Record], *, leak: bool = False) -> None:
    """Ask the oracle for the rise at each end, which must be the threshold or a last strength."""
    seen = with_leak(records) if leak else records
    best = oracle.lowest(seen, {})
    for cause, found in enumerate(intervals(records, leak=leak)):
        for end, last in ((found.lower, 0.0), (found.upper, 1.0)):
            rise = oracle.lowest(seen, {cause: 1 - end}) - best
            if not found.determined:
                assert end == last
                assert rise == pytest.approx(0, abs=1e-8)
            elif end == last:
                assert rise <= AT_95 + 1e-6
            else:
                assert rise == pytest.approx(AT_95, abs=1e-6)


@pytest.mark.parametrize(
    ("level", "expected"),
    [(0.95, AT_95), (0.99, 3.317448300510607), (0.5, 0.2274682115597862)],
)
def test_the_threshold_is_half_a_quantile_of_chi_square(level: float, expected: float) -> None:
    assert threshold_of(level) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("level", [0.0, 0.009, 1.0, -1.0, 95.0, math.nan])
def test_levels_that_make_no_interval_are_refused(level: float) -> None:
    with pytest.raises(SettingsError, match=r"it must be between 0\.01 and 0\.999999"):
        intervals([((1,), 1, 3)], level)


def test_a_full_table_has_no_strengths() -> None:
    data = dataset_of([((1,), 1, 3)])
    with pytest.raises(TypeError, match="strengths belong to causes, and cpt has none"):
        strength_intervals(data, fit(data, Family(0, 0b10, CPT)))


@pytest.mark.parametrize(
    ("present", "absent"), [(30, 70), (1, 99), (99, 1), (1, 1), (500_000, 3), (7, 10**7)]
)
def test_a_single_cause_has_the_interval_of_a_share(present: int, absent: int) -> None:
    (found,) = intervals([((1,), 1, present), ((1,), 0, absent), ((0,), 0, 50)])
    assert found.determined
    for end, side in ((found.lower, -1), (found.upper, 1)):
        exact = oracle.one_cause_end(present, absent, mpf(AT_95), side)
        assert end == pytest.approx(float(exact), abs=1e-9)


def test_a_cause_that_never_failed_may_be_certain() -> None:
    # The likelihood of s is s^20: its logarithm falls by the threshold at s = exp(-threshold/20).
    (found,) = intervals([((1,), 1, 20), ((0,), 0, 7)])
    assert found.upper == 1
    assert found.lower == pytest.approx(math.exp(-AT_95 / 20), abs=1e-9)


def test_a_cause_that_never_acted_may_be_none() -> None:
    # Here it is (1 - s)^20.
    (found,) = intervals([((1,), 0, 20), ((0,), 0, 7)])
    assert found.lower == 0
    assert found.upper == pytest.approx(1 - math.exp(-AT_95 / 20), abs=1e-9)


def test_a_cause_that_is_never_present_is_not_determined() -> None:
    found = intervals([((1, 0), 1, 5), ((1, 0), 0, 5)])
    assert found[1] == StrengthInterval(0, 1, determined=False)
    assert found[0].determined


def test_a_cause_in_the_shadow_of_a_certain_one_is_not_determined() -> None:
    # Both never failed and only occur together: either explains everything.
    found = intervals([((1, 1), 1, 5), ((0, 0), 0, 5)])
    assert found == (StrengthInterval(0, 1, determined=False),) * 2


def test_causes_that_always_occur_together_may_each_be_none() -> None:
    # Only the product of their q's matters; its interval is that of a single cause.
    found = intervals([((1, 1), 1, 30), ((1, 1), 0, 70)])
    upper = float(oracle.one_cause_end(30, 70, mpf(AT_95), 1))
    for one in found:
        assert one.lower == 0
        assert one.upper == pytest.approx(upper, abs=1e-6)
        assert one.determined


def test_a_record_with_no_other_cause_keeps_a_strength_from_zero() -> None:
    only: list[Record] = [
        ((1, 0), 1, 1),
        ((1, 0), 0, 500),
        ((1, 1), 1, 40),
        ((0, 1), 1, 40),
        ((0, 1), 0, 3),
    ]
    found = intervals(only)
    assert 0 < found[0].lower < 0.01
    check_ends(only)


@pytest.mark.parametrize("leak", [False, True])
def test_the_ends_for_two_causes_are_the_oracles(leak: bool) -> None:
    check_ends(TWO_CAUSES, leak=leak)


def test_on_a_grid_the_interval_holds_what_fits_and_nothing_else() -> None:
    grid = np.linspace(0.01, 0.99, 99)
    best = oracle.lowest(TWO_CAUSES, {})
    for cause, found in enumerate(intervals(TWO_CAUSES)):
        for strength in grid.tolist():
            fits = oracle.lowest(TWO_CAUSES, {cause: 1 - strength}) - best <= AT_95
            assert fits == (found.lower <= strength <= found.upper)


def test_the_ends_for_three_causes_are_the_oracles() -> None:
    rng = np.random.default_rng(6)
    q = (0.2, 0.7, 0.95)
    records: list[Record] = []
    for parents in product((0, 1), repeat=3):
        fails = math.prod(q[j] for j in range(3) if parents[j])
        present = int(rng.binomial(20, 1 - fails))
        records += [(parents, 1, present)] if present else []
        records += [(parents, 0, 20 - present)] if present < 20 else []
    check_ends(records)


@given(problems(max_parents=2).filter(lambda records: sum(one[2] for one in records) < 300))
@settings(max_examples=scaled(40))
def test_the_ends_of_random_problems_are_the_oracles(records: list[Record]) -> None:
    check_ends(records)


@given(problems(covered=False), st.floats(0.01, 0.9), st.floats(0.91, 0.999999))
@settings(max_examples=scaled(60))
def test_an_interval_contains_its_estimate_and_grows_with_its_level(
    records: list[Record], low: float, high: float
) -> None:
    narrow, wide = intervals(records, low, leak=True), intervals(records, high, leak=True)
    for estimate, inner, outer in zip(strengths(records, leak=True), narrow, wide, strict=True):
        assert 0 <= outer.lower <= inner.lower <= estimate <= inner.upper <= outer.upper <= 1
        assert inner.determined == outer.determined


@given(problems(), st.permutations(range(5)))
@settings(max_examples=scaled(60))
def test_the_order_of_causes_does_not_matter(records: list[Record], order: list[int]) -> None:
    width = len(records[0][0])
    kept = [place for place in order if place < width]
    moved = [(tuple(parents[j] for j in kept), child, n) for parents, child, n in records]
    here, there = intervals(records), intervals(moved)
    for place, original in enumerate(kept):
        assert here[original].lower == pytest.approx(there[place].lower, abs=1e-5)
        assert here[original].upper == pytest.approx(there[place].upper, abs=1e-5)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2020)
    truth = (0.8, 0.4)
    covered = np.zeros(2)
    trials = 100
    for _ in range(trials):
        records: list[Record] = [((0, 0), 0, 10)]
        for parents, count in (((1, 0), 40), ((0, 1), 40), ((1, 1), 20)):
            fails = math.prod(1 - truth[j] for j in range(2) if parents[j])
            present = int(rng.binomial(count, 1 - fails))
            records += [(parents, 1, present)] if present else []
            records += [(parents, 0, count - present)] if present < count else []
        found = intervals(records, 0.9)
        covered += [one.lower <= s <= one.upper for one, s in zip(found, truth, strict=True)]
    # Of 100 trials at 0.9 the share has a standard deviation of 3 %; three of them either way.
    assert (np.abs(covered / trials - 0.9) < 0.09).all()


def test_huge_counts_keep_their_accuracy() -> None:
    # With many records the likelihood is nearly normal: a hundred times as many make the interval
    # ten times narrower.
    few, many = (
        intervals([(parents, child, times * count) for parents, child, count in TWO_CAUSES])
        for times in (10**6, 10**8)
    )
    for estimate, before, after in zip(strengths(TWO_CAUSES), few, many, strict=True):
        ratio = (before.upper - before.lower) / (after.upper - after.lower)
        assert ratio == pytest.approx(10, rel=1e-4)
        assert after.lower < estimate < after.upper


def test_a_proof_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constrained_fit, "_MAX_STEPS", 1)
    with pytest.raises(NumericalError, match=r"is uncertain by .* nats"):
        intervals(TWO_CAUSES)


def test_an_end_that_is_not_found_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_likelihood, "_MAX_EVALUATIONS", 1)
    with pytest.raises(NumericalError, match="was not found in 1 steps"):
        intervals(TWO_CAUSES)


def lowest(records: list[Record], held: tuple[int, float] | None) -> float:
    """Return the least negative log-likelihood, with one strength held, by a general optimiser."""
    there = np.array([causes for causes, _, _ in records], dtype=float)
    effect = np.array([child for _, child, _ in records], dtype=bool)
    base = np.zeros(len(records))
    if held is not None:
        place, strength = held
        rate = -math.log1p(-min(strength, 1 - 1e-12))
        base = rate * there[:, place]
        there = np.delete(there, place, axis=1)
    fixed = base[~effect].sum()

    def value(rates: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        sums = np.maximum(base + there @ rates, 1e-300)
        with np.errstate(over="ignore"):
            slopes = np.where(effect, -1 / np.expm1(sums), 1.0)
        cost = fixed + (there @ rates)[~effect].sum() - np.log(-np.expm1(-sums[effect])).sum()
        return float(cost), there.T @ slopes

    found = minimize(
        value,
        np.full(there.shape[1], 0.5),
        jac=True,
        bounds=[(0, 40)] * there.shape[1],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000},
    )
    return float(found.fun)


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_every_level_of_every_relation_has_the_profile_of_its_records(
    relation: CauseRelation,
) -> None:
    """The records of a level are written out by hand, as causes that are there or not."""
    random = np.random.default_rng(11)
    codes = np.stack(
        [random.integers(0, 3, 80), random.integers(0, 2, 80), random.integers(0, 3, 80)], axis=1
    )
    if not relation.model.leak:  # every record above the first level needs a cause
        idle = (codes[:, 0] == (0 if relation is NOISY_OR else 2)) & (
            codes[:, 1] == (0 if relation is NOISY_OR else 1)
        )
        codes[idle, 2] = 0 if relation is NOISY_OR else 2
    rows, weights = np.unique(codes[:, ::-1], axis=0, return_counts=True)
    data = Dataset(
        (Variable("a", ("x", "y", "z")), Variable("b"), Variable("c", ("0", "1", "2"), True)),
        np.ascontiguousarray(rows[:, ::-1]).astype(np.uint8),
        weights.astype(np.int64),
    )
    found = fit(data, Family(2, 0b011, relation))
    causes = found.distribution.causes()
    intervals_found = strength_intervals(data, found)
    lowest_first = relation.name.endswith("or")
    for level in (1, 2):
        acting = [at for at, own in enumerate(intervals_found) if own[level - 1] is not None]
        left_out = len(causes) - len(acting)
        assert left_out == (2 if relation.signed else 0)  # an idle state of each parent
        records: list[Record] = []
        for a, b, c in codes.tolist():
            reached = c if lowest_first else 2 - c
            if reached > level:
                continue
            there = tuple(
                int(causes[at].parent is None or (a, b)[causes[at].parent or 0] == causes[at].state)
                for at in acting
            )
            records.append((there, int(reached == level), 1))
        best = lowest(records, None)
        for place, at in enumerate(acting):
            interval = intervals_found[at][level - 1]
            assert interval is not None
            assert interval.lower <= 1 - causes[at].levels[level - 1] <= interval.upper
            for end, last in ((interval.lower, 0.0), (interval.upper, 1.0)):
                rise = lowest(records, (place, end)) - best
                if end == last:
                    assert rise <= AT_95 + 1e-4
                else:
                    assert rise == pytest.approx(AT_95, abs=1e-4)
