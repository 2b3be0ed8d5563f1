import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf  # type: ignore[import-untyped]

from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, Family, NoisyOr
from noisyor.core.errors import InfeasibleFitError
from noisyor.core.tolerance import is_tie
from noisyor.fitting import FittedFamily, fit
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles import noisy_or as oracle
from tests.oracles.noisy_or import Record
from tests.support.effort import scaled


def fitted(
    records: list[Record], *, leak: bool = False, child: int = 0, tolerance: float | None = None
) -> FittedFamily:
    data = dataset_of(records, child)
    relation = LEAKY_NOISY_OR if leak else NOISY_OR
    return fit(
        data, Family(child, all_but(child, len(records[0][0])), relation), tolerance=tolerance
    )


def parameters(one: FittedFamily) -> list[float]:
    assert isinstance(one.distribution, NoisyOr)
    leak = one.distribution.leak_q
    return [*one.distribution.q.tolist(), *([] if leak is None else [leak])]


def penalty(records: list[Record], *, leak: bool) -> float:
    size = sum(count for _, _, count in records)
    return (len(records[0][0]) + leak) * math.log(size) / 2


def check(records: list[Record], *, leak: bool = False, child: int = 0) -> list[float]:
    """Verify that a fit is optimal from its q's alone, and return them."""
    one = fitted(records, leak=leak, child=child)
    q = parameters(one)
    seen = oracle.with_leak(records) if leak else records
    # A dual bound is valid at any point; the kernel's may be from an earlier step, so
    # the oracle computes its own at the q's and at those of a fit to full double precision.
    tight = parameters(fitted(records, leak=leak, child=child, tolerance=0.0))
    attained = oracle.exact_cost(seen, q)
    bound = max(oracle.lower_bound(seen, q), oracle.lower_bound(seen, tight))
    extra = penalty(records, leak=leak)
    allowed = max(1e-8, 1e-13 * abs(one.cost))
    # A q is rounded to 53 bits: close to 1, half a unit in the last place counts for each record.
    size = sum(count for _, _, count in records)
    rounding = 1e-9 + 1e-14 * abs(one.cost) + 2**-54 * size
    assert one.converged
    assert one.certificate.gap <= allowed
    assert abs(attained + mpf(extra) - mpf(one.cost)) <= rounding
    assert attained - bound <= allowed + rounding + oracle.bound_rounding(seen, q)
    assert one.certificate.lower_bound - extra <= oracle.exact_cost(seen, tight) + rounding
    assert math.isclose(oracle.cost(seen, q) + extra, one.cost, rel_tol=1e-9, abs_tol=1e-6)
    for value, (first, second) in zip(q, oracle.stationarity(seen, q), strict=True):
        if value == 0:
            continue  # proven by the bound: derivatives by lambda do not exist there
        noise = 10 * (second * allowed) ** 0.5 + mpf("1e-9")
        assert first >= -noise
        assert value == 1 or first <= noise or -math.log(value) * first <= 2 * allowed
    return q


def test_a_strength_below_what_a_q_can_show_is_within_rounding() -> None:
    """A lambda of 1e-17 is a q of 1, and counts for each of 10^8 records."""
    check(
        [
            ((0, 0, 0, 1, 0), 0, 1),
            ((0, 0, 0, 1, 0), 1, 1),
            ((0, 0, 1, 0, 0), 0, 1),
            ((0, 1, 0, 1, 1), 1, 37273686),
            ((1, 0, 0, 0, 0), 0, 1),
            ((0, 1, 0, 0, 1), 0, 92897206),
            ((1, 0, 0, 0, 0), 1, 46),
            ((0, 1, 0, 0, 1), 1, 94),
            ((0, 1, 0, 0, 0), 0, 87968763),
            ((0, 0, 0, 1, 1), 0, 3),
            ((0, 0, 1, 0, 0), 1, 2006),
        ]
    )


@given(problems(), st.booleans())
@settings(max_examples=scaled(300))
def test_fits_of_random_problems_are_proven_optimal(records: list[Record], leak: bool) -> None:
    check(records, leak=leak)


@given(problems(covered=False))
@settings(max_examples=scaled(150))
def test_a_leak_fits_what_has_no_cause(records: list[Record]) -> None:
    check(records, leak=True)


@given(problems(covered=False))
@settings(max_examples=scaled(100))
def test_a_noisy_or_fits_iff_every_present_record_has_a_cause(records: list[Record]) -> None:
    lost = sum(count for parents, child, count in records if child and not any(parents))
    if not lost:
        check(records)
        return
    with pytest.raises(
        InfeasibleFitError, match=rf"'V0' fits: it is present in {lost} of \d+ records"
    ):
        fitted(records)


@given(problems(max_parents=1))
@settings(max_examples=scaled(100))
def test_one_parent_has_closed_form(records: list[Record]) -> None:
    q = parameters(fitted(records))
    assert q == pytest.approx([oracle.one_parent_q(records)], rel=1e-3, abs=1e-12)
    assert oracle.cost(records, q) == pytest.approx(
        oracle.cost(records, [oracle.one_parent_q(records)]), rel=1e-9, abs=1e-7
    )


@given(st.lists(st.integers(0, 30), min_size=7, max_size=7))
@settings(max_examples=scaled(40))
def test_two_parents_equal_a_ternary_search(counts: list[int]) -> None:
    cells: list[tuple[tuple[int, ...], int]]
    cells = [((1, 0), 0), ((0, 1), 0), ((1, 1), 0), ((1, 0), 1), ((0, 1), 1), ((1, 1), 1)]
    records = [(*cell, count) for cell, count in zip(cells, counts, strict=False) if count]
    records.append(((0, 0), 0, counts[6] + 1))
    one = fitted(records)
    found = one.cost - penalty(records, leak=False)
    lowest = oracle.two_parent_cost(records)
    # The search stops at exp(-12), where a q of 0 is still short by that much per record.
    assert found <= lowest + 1e-7
    assert found >= lowest - 1e-7 - math.exp(-12) * sum(counts)


def record(parents: str, child: int, count: int = 1) -> Record:
    return tuple(int(value) for value in parents), child, count


def test_a_parent_that_never_occurs_alone_has_q_0() -> None:
    assert check([record("1", 1, 7), record("0", 0, 5)]) == [0.0]


def test_a_copy_of_the_child_costs_nothing_but_its_penalty() -> None:
    records = [record("1", 1, 7), record("0", 0, 5)]
    assert fitted(records).cost == pytest.approx(math.log(12) / 2)


def test_the_negation_of_the_child_has_no_noisy_or() -> None:
    records = [record("0", 1, 3), record("1", 0, 4)]
    with pytest.raises(InfeasibleFitError, match="in 3 of 7 records"):
        fitted(records)
    assert check(records, leak=True)[0] == 1.0


def test_a_useless_parent_has_q_1() -> None:
    records = [record("10", 1, 30), record("11", 0, 20), record("10", 0, 2), record("00", 0, 5)]
    assert check(records)[1] == 1.0


def test_an_optimum_on_a_face_with_an_inner_part() -> None:
    records = [
        record("100", 1, 40),
        record("010", 1, 10),
        record("001", 0, 25),
        record("101", 1, 3),
        record("100", 0, 7),
        record("010", 0, 30),
        record("111", 0, 5),
    ]
    q = check(records)
    assert q[2] == 1.0
    assert 0 < q[0] < 1
    assert 0 < q[1] < 1


@pytest.mark.parametrize("child", [0, 1])
def test_one_record(child: int) -> None:
    assert check([record("11", child)]) == [1.0 - child, 1.0 - child]


def test_a_child_that_is_never_present_has_q_1() -> None:
    assert check([record("10", 0, 4), record("01", 0, 3), record("00", 0, 2)]) == [1.0, 1.0]


def test_a_child_that_is_always_present_has_q_0() -> None:
    assert check([record("10", 1, 4), record("01", 1, 3)]) == [0.0, 0.0]


def test_a_leak_without_any_absent_child() -> None:
    records = [record("10", 1, 4), record("00", 1, 3)]
    assert check(records, leak=True)[-1] == 0.0
    assert fitted(records, leak=True).cost == pytest.approx(3 * math.log(7) / 2)


def test_a_parent_absent_from_every_record_has_q_1() -> None:
    records = [record("100", 1, 4), record("100", 0, 3), record("010", 1, 2), record("000", 0, 1)]
    assert check(records) == pytest.approx([3 / 7, 0.0, 1.0])
    assert check(records, leak=True)[2] == 1.0


def test_configurations_without_records_change_nothing() -> None:
    records = [record("110", 1, 9), record("011", 1, 3), record("101", 0, 8), record("010", 0, 6)]
    check(records)


@pytest.mark.parametrize("leak", [False, True])
def test_duplicate_parents_cost_what_one_of_them_costs(leak: bool) -> None:
    single = [record("10", 1, 9), record("01", 1, 3), record("11", 0, 8), record("10", 0, 6)]
    double = [((*parents, parents[0]), child, count) for parents, child, count in single]
    check(double, leak=leak)
    extra = math.log(26) / 2
    assert is_tie(fitted(double, leak=leak).cost, fitted(single, leak=leak).cost + extra)


def test_collinear_parents() -> None:
    rows = ["110001", "011010", "101100", "110110", "011101", "101011"]
    records = [record(row, place % 2, 5 + 3 * place) for place, row in enumerate(rows)]
    check([*records, *(record(row, 1 - place % 2, 4) for place, row in enumerate(rows))])


@given(st.lists(st.integers(1, 1000), min_size=4, max_size=4))
@settings(max_examples=scaled(100))
def test_a_leaky_noisy_or_with_positive_association_ties_with_the_table(counts: list[int]) -> None:
    absent0, absent1, present0, present1 = counts
    if present1 * absent0 < present0 * absent1:  # make the association positive
        absent0, absent1, present0, present1 = absent1, absent0, present1, present0
    records = [
        record("0", 0, absent0),
        record("0", 1, present0),
        record("1", 0, absent1),
        record("1", 1, present1),
    ]
    data = dataset_of(records)
    leaky = fit(data, Family(0, 0b10, LEAKY_NOISY_OR))
    assert is_tie(leaky.cost, fit(data, Family(0, 0b10, CPT)).cost)


@pytest.mark.parametrize("width", [65, 100, 130, 200])
def test_more_parents_than_a_word_holds(width: int) -> None:
    random = np.random.default_rng(width)
    table = (random.random((60, width)) < 4 / width).astype(int)
    table[np.arange(60), random.integers(0, width, 60)] = 1
    records = [(tuple(row), int(place % 3 > 0), 1) for place, row in enumerate(table.tolist())]
    check(records, child=width // 2)
    check(records, leak=True, child=width // 2)


def test_the_message_of_an_infeasible_fit_says_what_is_allowed() -> None:
    records = [record("00", 1, 2), record("10", 1, 3), record("11", 0, 4)]
    with pytest.raises(InfeasibleFitError) as caught:
        fitted(records)
    message = str(caught.value)
    assert (
        "'V0' fits: it is present in 2 of 9 records in which all of its parents are absent"
        in message
    )
    assert "('V1', 'V2')" in message
    assert "leaky-noisy-or" in message
