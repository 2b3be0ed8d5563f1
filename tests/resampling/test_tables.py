"""Resampled tables and folds have the records that they should."""

from dataclasses import replace

import numpy as np
import pytest

from noisyor.core import Dataset, SettingsError
from noisyor.resampling.tables import check_seed, folds, resampled, with_counts
from tests.scoring.problems import random_dataset

DATA = random_dataset(1, 5, 60)


def counts_in(part: Dataset, whole: Dataset = DATA) -> np.ndarray:
    """Return how often each row of the whole is in a part."""
    found = dict(zip(map(bytes, part.codes), part.weights.tolist(), strict=True))
    counts = np.array([found.pop(bytes(row), 0) for row in whole.codes])
    assert not found
    return counts


def test_a_resample_has_as_many_records_and_no_new_rows() -> None:
    one = resampled(DATA, seed=3, number=0)
    assert one.record_count == DATA.record_count
    assert one.variables == DATA.variables
    assert counts_in(one).sum() == DATA.record_count


def test_resamples_depend_on_seed_and_number_alone() -> None:
    assert resampled(DATA, 3, 7) == resampled(DATA, 3, 7)
    assert resampled(DATA, 3, 7) != resampled(DATA, 3, 8)
    assert resampled(DATA, 3, 7) != resampled(DATA, 4, 7)


def test_on_average_a_resample_is_the_table() -> None:
    drawn = np.mean([counts_in(resampled(DATA, 0, number)) for number in range(400)], axis=0)
    error = np.sqrt(DATA.weights * (1 - DATA.weights / DATA.record_count) / 400)
    assert (np.abs(drawn - DATA.weights) < 5 * error).all()


@pytest.mark.parametrize("count", [2, 7, 60])
def test_each_record_is_in_one_fold(count: int) -> None:
    pairs = folds(DATA, count, seed=5)
    assert len(pairs) == count
    together = np.sum([counts_in(inside) for _, inside in pairs], axis=0)
    assert together.tolist() == DATA.weights.tolist()
    sizes = {inside.record_count for _, inside in pairs}
    assert max(sizes) - min(sizes) <= 1
    for outside, inside in pairs:
        assert (counts_in(outside) + counts_in(inside)).tolist() == DATA.weights.tolist()


def test_folds_depend_on_the_seed() -> None:
    assert folds(DATA, 3, seed=1) == folds(DATA, 3, seed=1)
    assert folds(DATA, 3, seed=1) != folds(DATA, 3, seed=2)


@pytest.mark.parametrize("count", [-1, 0, 1, 61])
def test_other_numbers_of_folds_are_refused(count: int) -> None:
    with pytest.raises(SettingsError, match=f"{count} folds of 60 records .* 2 to 60"):
        folds(DATA, count, seed=0)


def test_a_fold_leaves_records_to_learn_from() -> None:
    data = Dataset(DATA.variables, DATA.codes[:2], np.array([1, 1]))
    with pytest.raises(SettingsError, match="2 folds of 2 records leave a single one to learn"):
        folds(data, 2, seed=0)


def test_completed_records_are_refused() -> None:
    copied = replace(DATA, weights=2 * DATA.weights, copies=2)
    with pytest.raises(SettingsError, match="completed"):
        with_counts(copied, copied.weights)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(SettingsError, match=f"the seed is {seed}"):
        check_seed(seed)
