"""Samples of credible sets: standard errors, and what contradicts itself."""

from dataclasses import replace

import numpy as np
import pytest

from noisyor.core.sampling import SampledMembers, Sampling

# Two families of one child, in four batches of ten draws.
BATCHES = np.array([[10, 0], [8, 2], [9, 1], [9, 1]])
SAMPLING = Sampling(3, 2, 1, np.array([30, 6, 4]), 1.01, 38.0, BATCHES)


def test_figures_that_follow_from_the_counts() -> None:
    assert (SAMPLING.draws, SAMPLING.length) == (40, 10)


def test_the_standard_error_is_that_of_the_batch_means() -> None:
    spread = np.array([0.0, 0.2, 0.1, 0.1]).std(ddof=1) / 2
    assert spread < np.sqrt(4.5 / 41 * 36.5 / 41 / 41)  # less than independent draws have
    wide = replace(SAMPLING, batches=np.array([[10, 0], [2, 8], [9, 1], [1, 9]]))
    expected = np.array([0.0, 0.8, 0.1, 0.9]).std(ddof=1) / 2
    assert wide.standard_error([1]) == pytest.approx(expected)
    assert wide.standard_error([0]) == pytest.approx(expected)


def test_the_standard_error_is_at_least_that_of_independent_draws() -> None:
    assert SAMPLING.standard_error([1]) == pytest.approx(np.sqrt(4.5 / 41 * 36.5 / 41 / 41))
    assert SAMPLING.standard_error([0, 1]) == pytest.approx(np.sqrt(40.5 / 41 * 0.5 / 41 / 41))


def test_one_batch_tells_nothing() -> None:
    one = replace(SAMPLING, batches=np.array([[30, 10]]))
    assert one.standard_error([0]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"times": np.array([41, -1])}, "0 times or more"),
        ({"times": np.array([], dtype=np.int64)}, "0 times or more"),
        ({"times": np.array([41])}, "41 draws in 4 batches"),
        ({"times": np.array([0])}, "0 draws in 4 batches"),
        ({"batches": np.zeros((0, 2), dtype=np.int64)}, "at least one batch"),
        ({"batches": BATCHES + 1}, "more often than it has draws"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(SAMPLING, **changes)  # type: ignore[arg-type]


def test_members_are_drawn_as_often_as_they_were() -> None:
    costs = np.array([5.0, 5.0 + np.log(2), 4.0])
    networks = np.array([[0], [1], [2]], dtype=np.uint32)
    members = SampledMembers(networks, costs, np.array([20, 10, 0]))
    assert members.best(2).families.tolist() == [[2], [0]]
    assert members.costliest().families.tolist() == [[1]]
    by_weight = members.sample(3000, 1, weighted=True).families.ravel()
    assert np.bincount(by_weight, minlength=3) / 3000 == pytest.approx([2 / 3, 1 / 3, 0], abs=0.05)
    alike = members.sample(3000, 1, weighted=False).families.ravel()
    assert np.bincount(alike, minlength=3) / 3000 == pytest.approx([0.5, 0.5, 0], abs=0.05)
