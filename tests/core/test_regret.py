"""The regret of the multinomial, against its definition and its recurrence."""

from itertools import pairwise, product
from math import log

import pytest

from noisyor.core import CPT
from noisyor.core.regret import log_regret
from noisyor.core.score import QNML
from tests.oracles.table_scores import regret


@pytest.mark.parametrize(("records", "values"), [(1, 3), (4, 2), (5, 3), (3, 6)])
def test_it_sums_the_largest_likelihoods_of_all_sequences(records: int, values: int) -> None:
    total = 0.0
    for sequence in product(range(values), repeat=records):
        likelihood = 1.0
        for value in sequence:
            likelihood *= sequence.count(value) / records
        total += likelihood
    assert log_regret(records, values) == pytest.approx(log(total))


@pytest.mark.parametrize("records", [1, 2, 17, 300])
@pytest.mark.parametrize("values", [1, 2, 3, 10, 400])
def test_it_agrees_with_the_recurrence(records: int, values: int) -> None:
    assert log_regret(records, values) == pytest.approx(regret(records, values), abs=1e-12)


@pytest.mark.parametrize("records", [200_000, 5_000_000])
def test_many_records_agree_with_the_recurrence(records: int) -> None:
    """C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K), over chunks of terms and to their end."""
    for values in (1, 2, 7, 100, 20_000):
        one, two, three = (log_regret(records, values + more) for more in range(3))
        expected = two + log(1 + records / values * 2.718281828459045 ** (one - two))
        assert three == pytest.approx(expected, abs=1e-8, rel=1e-12)


def test_nothing_is_regretted_of_one_value_or_no_record() -> None:
    assert log_regret(10, 1) == log_regret(0, 5) == 0


def test_the_penalty_of_qnml_does_not_fall_and_has_a_limit() -> None:
    for records in (1, 30, 1000):
        sizes = [QNML.penalty(CPT, 3, [2] * parents, records) for parents in range(60)]
        assert all(after >= before - 1e-9 for before, after in pairwise(sizes))
        assert sizes[-1] == pytest.approx(records * log(3), abs=1e-6)
        assert QNML.penalty(CPT, 3, [2] * 1100, records) == records * log(3)
