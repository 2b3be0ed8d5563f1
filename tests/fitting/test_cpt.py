import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from mpmath import mp, mpf  # type: ignore[import-untyped]

from noisyor.core import CPT, NOISY_OR, Cpt, Dataset, Family, Relation, Score, Variable
from noisyor.core.errors import SettingsError
from noisyor.fitting import Fitter, fit
from noisyor.fitting.cpt import fit_cpt
from tests.fitting.problems import all_but, dataset_of, problems
from tests.oracles.noisy_or import Record
from tests.support.effort import scaled


def naive_cost(records: list[Record]) -> float:
    cells: Counter[tuple[tuple[int, ...], int]] = Counter()
    rows: Counter[tuple[int, ...]] = Counter()
    for parents, child, count in records:
        cells[parents, child] += count
        rows[parents] += count
    likelihood = sum(
        count * mp.log(mpf(count) / rows[parents]) for (parents, _), count in cells.items()
    )
    negative = float(-likelihood)
    return negative + 2.0 ** len(records[0][0]) * math.log(sum(rows.values())) / 2


@given(problems(covered=False))
@settings(max_examples=scaled(150))
def test_costs_equal_those_of_a_plain_counter(records: list[Record]) -> None:
    one = fit(dataset_of(records), Family(0, all_but(0, len(records[0][0]))))
    assert one.cost == pytest.approx(naive_cost(records), rel=1e-13, abs=1e-11)
    assert one.certificate.gap == 0
    assert one.converged
    assert one.iterations == 0


def test_the_table_holds_frequencies_and_marks_what_no_record_had() -> None:
    records: list[Record] = [((1, 0), 1, 3), ((1, 0), 0, 1), ((0, 1), 0, 2), ((1, 1), 1, 5)]
    table = fit(dataset_of(records, child=1), Family(1, 0b101, CPT)).distribution
    assert isinstance(table, Cpt)
    assert table.present.tolist() == [0.5, 0.75, 0.0, 1.0]
    assert table.unseen.tolist() == [True, False, False, False]


def test_a_node_without_parents() -> None:
    records: list[Record] = [((1,), 1, 3), ((0,), 0, 1)]
    one = fit(dataset_of(records), Family(0, 0))
    entropy = 3 * math.log(4 / 3) + math.log(4)
    assert one.cost == pytest.approx(entropy + math.log(4) / 2)


def test_no_fitter_changes_a_table() -> None:
    records: list[Record] = [((1,), 1, 3), ((0,), 0, 1)]
    costs = {fit(dataset_of(records), Family(0, 2), fitter=one).cost for one in Fitter}
    assert len(costs) == 1


def test_twenty_parents_are_the_most() -> None:
    random = np.random.default_rng(5)
    table = random.integers(0, 2, (30, 21)).tolist()
    records: list[Record] = [(tuple(row), place % 2, 1) for place, row in enumerate(table)]
    data = dataset_of(records)
    one = fit(data, Family(0, all_but(0, 20)))
    shorter: list[Record] = [(parents[:20], child, count) for parents, child, count in records]
    assert one.cost == pytest.approx(naive_cost(shorter))
    with pytest.raises(SettingsError, match=r"'V0' with 21 parents .* at most 1048576 are"):
        fit(data, Family(0, all_but(0, 21)))


def test_a_family_of_other_data_is_refused() -> None:
    records: list[Record] = [((1,), 1, 3), ((0,), 0, 1)]
    with pytest.raises(ValueError, match="beyond the 2 of the table"):
        fit(dataset_of(records), Family(0, 0b110))


def test_a_prior_adds_records_of_each_state_to_each_configuration() -> None:
    records: list[Record] = [((1,), 1, 3), ((1,), 0, 1), ((0,), 0, 2)]
    one = fit_cpt(dataset_of(records), Family(0, 0b10), prior=0.5)
    assert isinstance(one.distribution, Cpt)
    assert one.distribution.present.tolist() == [0.5 / 3, 3.5 / 5]
    likelihood = 2 * math.log(2.5 / 3) + 3 * math.log(3.5 / 5) + math.log(1.5 / 5)
    assert one.upper == pytest.approx(-likelihood)
    assert one.lower == fit_cpt(dataset_of(records), Family(0, 0b10)).upper
    assert one.lower < one.upper


@pytest.mark.parametrize(("score", "price"), [("bic", math.log(6) / 2), ("aic", 1.0)])
def test_a_score_charges_for_each_parameter(score: str, price: float) -> None:
    records: list[Record] = [((1,), 1, 3), ((1,), 0, 1), ((0,), 0, 2)]
    data, family = dataset_of(records), Family(0, 0b10)
    one = fit(data, family, score=score, prior=0.5)
    found = fit_cpt(data, family, prior=0.5)
    assert one.cost == pytest.approx(found.upper + 2 * price)
    assert one.certificate.lower_bound == pytest.approx(found.lower + 2 * price)


def test_states_beyond_two_are_counted_in_mixed_radix() -> None:
    variables = (Variable("c", ("x", "y", "z")), Variable("a"), Variable("b", ("1", "2", "3")))
    codes = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 1], [0, 0, 2]], dtype=np.uint8)
    data = Dataset(variables, codes, np.array([2, 3, 4, 1]))
    one = fit(data, Family(0, 0b110))
    assert isinstance(one.distribution, Cpt)
    # The first parent, a, is the fastest digit: row 0 is a=0, b=0; row 3 a=1, b=1; row 4 a=0, b=2.
    expected = np.full((6, 3), 1 / 3)
    expected[0], expected[3], expected[4] = [0.4, 0.6, 0], [0, 0, 1], [1, 0, 0]
    assert one.distribution.table.tolist() == pytest.approx(expected)
    assert one.distribution.unseen.tolist() == [False, True, True, False, False, True]
    loss = 2 * math.log(5 / 2) + 3 * math.log(5 / 3)
    assert one.cost == pytest.approx(loss + 12 * math.log(10) / 2)
    assert one.certificate.gap == 0


def test_a_prior_leaves_unseen_configurations_at_even_chances() -> None:
    one = fit_cpt(dataset_of([((1,), 1, 3)]), Family(0, 0b10), prior=2)
    assert isinstance(one.distribution, Cpt)
    assert one.distribution.present.tolist() == [0.5, 5 / 7]
    assert one.distribution.unseen.tolist() == [True, False]


class OnlyTables(Score):
    """A score that is defined for full tables alone."""

    def is_defined_for(self, relation: Relation) -> bool:
        return relation.closed_form


def test_a_score_is_refused_for_relations_it_is_not_defined_for() -> None:
    data = dataset_of([((1,), 1, 3), ((0,), 0, 2)])
    tables = OnlyTables("only-tables", lambda _: 1.0)
    assert fit(data, Family(0, 0b10), score=tables).cost > 0
    with pytest.raises(SettingsError, match="only-tables is not defined for noisy-or"):
        fit(data, Family(0, 0b10, NOISY_OR), score=tables)
