"""Relations: what each costs, and finding them by name."""

import math

import pytest

from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, RELATIONS, SettingsError
from noisyor.core.relation import relation_named, relations_from


def test_codes_are_positions() -> None:
    assert [relation.code for relation in RELATIONS] == [0, 1, 2]
    assert [str(relation) for relation in RELATIONS] == ["cpt", "noisy-or", "leaky-noisy-or"]


def test_parameters_by_number_of_parents() -> None:
    assert [CPT.parameter_count(k) for k in range(5)] == [1, 2, 4, 8, 16]
    assert [NOISY_OR.parameter_count(k) for k in range(1, 5)] == [1, 2, 3, 4]
    assert [LEAKY_NOISY_OR.parameter_count(k) for k in range(1, 5)] == [2, 3, 4, 5]


def test_penalty_is_half_the_logarithm_each() -> None:
    assert CPT.penalty(3, 100) == pytest.approx(8 * math.log(100) / 2)
    assert NOISY_OR.penalty(3, 100) == pytest.approx(3 * math.log(100) / 2)
    assert CPT.penalty(2, 1) == 0


def test_relations_are_found_by_name() -> None:
    assert [relation_named(relation.name) for relation in RELATIONS] == list(RELATIONS)
    with pytest.raises(SettingsError, match="no relation 'xor'; allowed: cpt, noisy-or, leaky"):
        relation_named("xor")


def test_a_choice_of_relations_is_in_the_order_of_codes() -> None:
    assert relations_from(["noisy-or", CPT, "noisy-or"]) == (CPT, NOISY_OR)


@pytest.mark.parametrize("names", [[], ["noisy-or"]])
def test_a_choice_without_full_tables_is_refused(names: list[str]) -> None:
    with pytest.raises(SettingsError, match="must include cpt"):
        relations_from(names)
