import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, Family, NoisyOr
from noisyor.core.errors import InfeasibleFitError, SettingsError
from noisyor.fitting import FittedFamily, Fitter, fit
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles import noisy_or as oracle
from tests.oracles.noisy_or import Record
from tests.support.effort import scaled

CLASSICAL = (Fitter.GRADIENT, Fitter.EM)
classical = pytest.mark.parametrize("fitter", CLASSICAL)


def family_of(records: list[Record], *, leak: bool = False) -> Family:
    return Family(0, all_but(0, len(records[0][0])), LEAKY_NOISY_OR if leak else NOISY_OR)


def noisy_or(one: FittedFamily) -> NoisyOr:
    assert isinstance(one.distribution, NoisyOr)
    return one.distribution


def embedded(seed: int, q: tuple[float, ...], size: int = 4000) -> list[Record]:
    """Return records of a noisy-OR with these q's, half of each parent's records present."""
    random = np.random.default_rng(seed)
    parents = random.integers(0, 2, (size, len(q)))
    absent = np.prod(np.where(parents == 1, np.array(q), 1.0), axis=1)
    child = random.random(size) >= absent
    return [
        (tuple(row), int(one), 1) for row, one in zip(parents.tolist(), child.tolist(), strict=True)
    ]


@classical
@given(problems(), st.booleans())
@settings(max_examples=scaled(150))
def test_a_converged_fit_is_within_its_tolerance_of_the_proven_optimum(
    fitter: Fitter, records: list[Record], leak: bool
) -> None:
    data, family = dataset_of(records), family_of(records, leak=leak)
    optimum = fit(data, family)
    one = fit(data, family, fitter=fitter, max_iterations=3000)
    rounding = 1e-9 + 1e-13 * optimum.cost
    assert one.cost >= optimum.certificate.lower_bound - rounding
    assert one.certificate.lower_bound <= optimum.cost + rounding
    tolerance = max(1e-3, 1e-13 * one.cost)
    if one.converged:
        assert one.certificate.gap <= tolerance
        assert one.cost - optimum.cost <= tolerance


@classical
@given(problems(), st.booleans())
@settings(max_examples=scaled(100))
def test_the_cost_and_the_bound_are_those_of_the_returned_parameters(
    fitter: Fitter, records: list[Record], leak: bool
) -> None:
    data, family = dataset_of(records), family_of(records, leak=leak)
    one = fit(data, family, fitter=fitter, max_iterations=50)
    distribution = noisy_or(one)
    q = distribution.q.tolist() + ([distribution.leak_q] if leak else [])
    seen = oracle.with_leak(records) if leak else records
    penalty = len(q) * math.log(data.record_count) / 2
    rounding = 1e-6 + 1e-9 * one.cost
    assert abs(float(oracle.exact_cost(seen, q)) + penalty - one.cost) <= rounding
    exact = float(oracle.lower_bound(seen, q)) + penalty
    # The kernel's bound is a Taylor bound of the oracle's, so it may be below it, never above.
    assert one.certificate.lower_bound <= exact + rounding


@pytest.mark.parametrize("fitter", Fitter)
@pytest.mark.parametrize("leak", [False, True])
def test_embedded_parameters_are_found(fitter: Fitter, leak: bool) -> None:
    truth = (0.2, 0.5, 0.9, 0.4)
    records = embedded(3, truth)
    one = fit(dataset_of(records), family_of(records, leak=leak), fitter=fitter)
    assert one.converged
    assert one.iterations > 0
    assert noisy_or(one).q.tolist() == pytest.approx(truth, abs=0.08)
    if leak:
        assert noisy_or(one).leak_q == pytest.approx(1.0, abs=0.01)


@classical
def test_the_classical_fitters_agree_with_the_optimum_far_below_their_tolerance(
    fitter: Fitter,
) -> None:
    records = embedded(4, (0.3, 0.6, 0.8, 0.1, 0.5))
    data, family = dataset_of(records), family_of(records)
    one, optimum = fit(data, family, fitter=fitter), fit(data, family)
    assert one.cost - optimum.cost < 1e-5
    assert noisy_or(one).q == pytest.approx(noisy_or(optimum).q, abs=1e-4)


@classical
def test_too_few_iterations_are_reported(fitter: Fitter) -> None:
    records = embedded(5, (0.3, 0.6, 0.8))
    data, family = dataset_of(records), family_of(records)
    one = fit(data, family, fitter=fitter, max_iterations=2)
    assert not one.converged
    assert one.iterations == 2
    assert one.certificate.lower_bound <= fit(data, family).cost <= one.cost


@classical
def test_a_loose_threshold_with_a_strict_tolerance_is_reported(fitter: Fitter) -> None:
    records = embedded(6, (0.3, 0.6, 0.8))
    data, family = dataset_of(records), family_of(records)
    one = fit(data, family, fitter=fitter, threshold=0.05, tolerance=1e-9)
    assert not one.converged
    assert one.iterations < 1000


def test_newton_reports_too_few_steps() -> None:
    records = embedded(7, (0.3, 0.6, 0.8))
    data, family = dataset_of(records), family_of(records)
    one = fit(data, family, max_iterations=0)
    assert not one.converged
    assert one.certificate.gap > 1e-8


@classical
def test_a_warm_start_is_used_and_a_good_one_saves_iterations(fitter: Fitter) -> None:
    records = embedded(8, (0.05, 0.1, 0.95, 0.9), 6000)
    # Without these records a subset of the parents covers every record with the child present.
    records = [one for one in records if one[0][0] or one[0][1] or not one[1]]
    data = dataset_of(records)
    subset = fit(data, Family(0, 0b0110, NOISY_OR))
    cold = fit(data, family_of(records), fitter=fitter)
    hot = fit(data, family_of(records), fitter=fitter, start=subset)
    again = fit(data, family_of(records), fitter=fitter, start=hot)
    assert hot.converged
    assert hot.cost == pytest.approx(cold.cost, abs=1e-3)
    assert hot.cost != cold.cost  # another path to the same optimum
    assert again.iterations < cold.iterations


@classical
def test_a_start_with_certain_causes_is_no_trap(fitter: Fitter) -> None:
    few: list[Record] = [((1, 0), 1, 5), ((0, 1), 1, 1), ((0, 1), 0, 3), ((0, 0), 0, 2)]
    more: list[Record] = [*few, ((1, 0), 0, 4), ((1, 1), 0, 2)]
    start = fit(dataset_of(few), family_of(few))
    assert noisy_or(start).q[0] == 0
    one = fit(dataset_of(more), family_of(more), fitter=fitter, start=start)
    assert one.converged
    assert one.cost == pytest.approx(fit(dataset_of(more), family_of(more)).cost, abs=1e-3)


def test_a_face_that_em_only_approaches() -> None:
    records: list[Record] = [((1, 0), 1, 30), ((1, 1), 0, 20), ((1, 0), 0, 2), ((0, 0), 0, 5)]
    records.append(((1, 1), 1, 1))
    data, family = dataset_of(records), family_of(records)
    assert noisy_or(fit(data, family)).q[1] == 1.0
    one = fit(data, family, fitter="em")
    assert one.converged
    assert noisy_or(one).q[1] == pytest.approx(1.0, abs=1e-6)
    assert noisy_or(fit(data, family, fitter="gradient")).q[1] == 1.0


@pytest.mark.parametrize("fitter", Fitter)
def test_every_fitter_refuses_an_infeasible_problem(fitter: Fitter) -> None:
    records: list[Record] = [((0, 0), 1, 2), ((1, 0), 1, 3), ((1, 1), 0, 4)]
    with pytest.raises(InfeasibleFitError, match="in 2 of 9 records"):
        fit(dataset_of(records), family_of(records), fitter=fitter)


RECORDS: list[Record] = [((1,), 1, 3), ((1,), 0, 1)]


def test_an_unknown_fitter_is_refused() -> None:
    with pytest.raises(
        SettingsError, match="fitter is 'lbfgs'; it must be one of: newton, gradient, em"
    ):
        fit(dataset_of(RECORDS), family_of(RECORDS), fitter="lbfgs")


@pytest.mark.parametrize(
    ("fitter", "options", "message"),
    [
        ("em", {"tolerance": -1.0}, "tolerance is -1.0"),
        ("em", {"threshold": float("nan")}, "threshold is nan"),
        ("gradient", {"max_iterations": -1}, "max_iterations is -1"),
        ("newton", {"threshold": 1e-3}, "takes no threshold and no start"),
    ],
)
def test_invalid_settings_are_refused(fitter: str, options: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        fit(dataset_of(RECORDS), family_of(RECORDS), fitter=fitter, **options)  # type: ignore[arg-type]


def test_a_start_of_another_relation_is_refused() -> None:
    data = dataset_of(RECORDS)
    table = fit(data, Family(0, 0b10, CPT))
    with pytest.raises(SettingsError, match="not from cpt of variable 0"):
        fit(data, family_of(RECORDS), fitter="em", start=table)
