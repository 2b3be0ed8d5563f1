"""The best known member with each family, put together from parts."""

import numpy as np
import pytest

from noisyor.search.members.best_with import BestWith


def test_without_members_no_family_has_ticks() -> None:
    best = BestWith.none(3)
    assert best.known.tolist() == [False] * 3
    with pytest.raises(ValueError, match="no known member has family 1"):
        best.of(1)


def test_another_set_enters_only_members_that_are_known_and_better() -> None:
    best, other = BestWith.none(6), BestWith.none(4)
    best.put(np.array([0, 1, 2]), np.array([5, -5, 7]))
    other.put(np.array([0, 1, 2]), np.array([6, -6, 0]))
    best.lower(np.array([0, 1, 4, 2]), other)
    assert best.known.tolist() == [True, True, True, False, True, False]
    assert [best.of(family) for family in (0, 1, 2, 4)] == [5, -6, 7, 0]
