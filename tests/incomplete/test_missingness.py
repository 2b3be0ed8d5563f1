"""Where cells are missing, and whether that goes with other columns."""

import numpy as np
import pytest

from noisyor import IncompleteDataset, Variable, missingness
from noisyor.core.incomplete_dataset import GAP
from noisyor.incomplete import missingness as module
from tests.incomplete.tables import chain, with_gaps


def test_counts_by_column_and_record() -> None:
    data = with_gaps(chain(4), 200, 0.2)
    found = missingness(data)
    gaps = [int(data.weights[data.codes[:, place] == GAP].sum()) for place in range(4)]
    assert [column.missing for column in found.columns] == gaps
    assert found.cells == sum(gaps)
    assert (found.records, found.incomplete) == (200, data.incomplete_count)
    assert found.tested == 12


def test_gaps_at_random_are_seldom_named() -> None:
    named = sum(bool(missingness(with_gaps(chain(4), 150, 0.2, seed=s)).pairs) for s in range(20))
    assert named <= 4  # at a level of 5 %, four or more of twenty have a chance of 2 %


def test_gaps_that_depend_on_a_seen_value_are_named() -> None:
    data = with_gaps(chain(4), 300, 0.0, seed=1)
    random = np.random.default_rng(0)
    codes = np.repeat(data.codes, data.weights, axis=0)
    lost = random.random(len(codes)) < np.where(codes[:, 0] == 1, 0.5, 0.1)
    codes[lost, 3] = GAP
    found = missingness(IncompleteDataset(data.variables, codes, np.ones(len(codes), np.int64)))
    pair = found.pairs[0]
    assert (pair.missing, pair.goes_with) == ("v3", "v0")
    assert pair.shares[1] == pytest.approx(0.5, abs=0.1)
    assert pair.chance < 0.01
    assert found.tested == 3


def test_the_chance_is_that_of_fishers_test() -> None:
    # 2 x 2, by hand: of 20 records 5 lack the column, all of them among the 8 with the other state.
    table = np.array([[12, 3], [0, 5]])
    expected = 56 / 15504  # C(8, 5) of C(20, 5); no other table is as uneven
    random = np.random.default_rng(1)
    found = np.mean([module._chance(table, random) for _ in range(10)])
    assert found == pytest.approx(expected, rel=0.3)


def test_many_columns_are_tested_in_part() -> None:
    random = np.random.default_rng(2)
    codes = random.integers(0, 2, (30, 101)).astype(np.uint8)
    codes[random.random(codes.shape) < 0.1] = GAP
    variables = tuple(Variable(f"v{number}") for number in range(101))
    found = missingness(IncompleteDataset(variables, codes, np.ones(30, dtype=np.int64)))
    assert found.tested == 1000
