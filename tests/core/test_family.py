"""Families and the certificates of their fits."""

import dataclasses
import math

import pytest

from noisyor.core import CPT, NOISY_OR, Family, FitCertificate


def test_parents_are_a_set() -> None:
    family = Family(1, 0b1101, NOISY_OR)
    assert family.parent_count == 3
    assert family.parent_indices() == (0, 2, 3)
    assert family == Family(1, 0b1101, NOISY_OR)
    assert family != Family(1, 0b1101)
    assert len({family, Family(1, 0b1101, NOISY_OR)}) == 1


def test_a_full_table_is_the_default() -> None:
    assert Family(0, 0).relation is CPT


@pytest.mark.parametrize(("child", "parents"), [(-1, 0), (0, -1)])
def test_variables_are_numbered_from_zero(child: int, parents: int) -> None:
    with pytest.raises(ValueError, match="numbered from 0"):
        Family(child, parents)


def test_nobody_is_its_own_parent() -> None:
    with pytest.raises(ValueError, match="variable 2 is among its own parents"):
        Family(2, 0b100)


def test_a_root_is_always_a_full_table() -> None:
    with pytest.raises(ValueError, match="always cpt, not noisy-or"):
        Family(0, 0, NOISY_OR)


def test_it_is_frozen_and_slotted() -> None:
    family = Family(0, 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        family.child = 1  # type: ignore[misc]
    assert not hasattr(family, "__dict__")


def test_the_gap_of_a_certificate() -> None:
    assert FitCertificate(5.0, 4.75).gap == 0.25
    assert FitCertificate(5.0, 5.0).gap == 0
    assert FitCertificate(5.0, -math.inf).gap == math.inf


@pytest.mark.parametrize(
    ("cost", "bound"), [(1.0, 1.5), (math.inf, 0.0), (math.nan, 0.0), (1.0, math.nan)]
)
def test_a_certificate_that_proves_nothing_is_refused(cost: float, bound: float) -> None:
    with pytest.raises(ValueError, match="the optimum cannot lie in"):
        FitCertificate(cost, bound)
