"""Relations: lookup by name and code, and registration."""

import pytest

from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, Relation, SettingsError
from noisyor.core.relations import (
    all_relations,
    cause_relation,
    registered,
    relation_named,
    relation_of,
    relations_from,
    root_relation,
)
from noisyor.core.relations.full_table import FullTable

NAMES = [
    "cpt",
    *("noisy-or", "leaky-noisy-or", "signed-noisy-or"),
    *("noisy-and", "leaky-noisy-and", "signed-noisy-and"),
]


def test_codes_and_names_never_change() -> None:
    assert [relation.code for relation in all_relations()] == list(range(7))
    assert [str(relation) for relation in all_relations()] == NAMES


def test_parameters_by_number_of_binary_parents() -> None:
    def counts(relation: Relation, sizes: range) -> list[int]:
        return [relation.parameter_count(2, (2,) * size) for size in sizes]

    assert counts(CPT, range(5)) == [1, 2, 4, 8, 16]
    assert counts(NOISY_OR, range(1, 5)) == [1, 2, 3, 4]
    assert counts(LEAKY_NOISY_OR, range(1, 5)) == [2, 3, 4, 5]


def test_parameters_of_a_table_by_numbers_of_states() -> None:
    assert CPT.parameter_count(3, ()) == 2
    assert CPT.parameter_count(3, (2, 4)) == 2 * 8
    assert CPT.parameter_count(1, (2, 4)) == 0


def test_relations_are_found_by_name_and_by_code() -> None:
    assert [relation_named(name) for name in NAMES] == list(all_relations())
    assert [relation_of(code) for code in range(7)] == list(all_relations())
    with pytest.raises(SettingsError, match="no relation 'xor'; allowed: cpt, noisy-or, leaky"):
        relation_named("xor")
    with pytest.raises(ValueError, match="no relation has the code 7"):
        relation_of(7)


def test_the_same_relation_is_called_max_or_min_for_a_child_of_more_states() -> None:
    for relation in all_relations()[1:]:
        name = relation.name.replace("-or", "-max").replace("-and", "-min")
        assert relation.name_for(3) == name
        assert relation.name_for(2) == relation.name
        assert relation_named(name) is relation
    assert CPT.name_for(3) == "cpt"


def test_a_group_stands_for_its_relations() -> None:
    assert relations_from("paper") == (CPT, NOISY_OR)
    assert relations_from("default") == (CPT, LEAKY_NOISY_OR)
    assert relations_from("all") == all_relations()
    assert relations_from(["paper", "noisy-min"]) == (CPT, NOISY_OR, relation_named("noisy-and"))
    with pytest.raises(SettingsError, match="or a group: paper, default, all"):
        relations_from("everything")


def test_parameters_of_causes_by_numbers_of_states() -> None:
    assert NOISY_OR.parameter_count(3, (2, 4)) == 2 * (1 + 3)
    assert LEAKY_NOISY_OR.parameter_count(3, (2, 4)) == 2 * (1 + 3 + 1)
    assert relation_named("signed-noisy-or").parameter_count(3, (2, 4)) == 2 * (1 + 3 + 1)


def test_relations_are_found_by_what_they_can_do() -> None:
    assert root_relation() is CPT
    assert cause_relation(leak=False) is NOISY_OR
    assert cause_relation(leak=True) is LEAKY_NOISY_OR


def test_a_choice_of_relations_is_in_the_order_of_codes() -> None:
    assert relations_from(["noisy-or", CPT, "noisy-or"]) == (CPT, NOISY_OR)


@pytest.mark.parametrize("names", [[], ["noisy-or"]])
def test_a_choice_without_full_tables_is_refused(names: list[str]) -> None:
    with pytest.raises(SettingsError, match="must include cpt"):
        relations_from(names)


def test_a_further_relation_is_known_for_as_long_as_its_context_lasts() -> None:
    another = FullTable("another-table", 200)
    with registered(another):
        assert relation_named("another-table") is another
        assert relation_of(200) is another
        assert all_relations()[-1] is another
    assert another not in all_relations()


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("cpt", 9, "already has the name or the code of cpt"),
        ("own", 1, "noisy-or already has the name or the code of own"),
        ("own", 256, "the code of own is 256; allowed: 0 to 255"),
        ("own", -1, "the code of own is -1; allowed: 0 to 255"),
    ],
)
def test_a_name_or_code_that_is_taken_or_out_of_range_is_refused(
    name: str, code: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message), registered(FullTable(name, code)):
        pass
    assert [str(relation) for relation in all_relations()] == NAMES
