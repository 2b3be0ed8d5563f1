"""Looks of relations: each has one, and no two known relations look the same."""

import re
from collections.abc import Sequence
from dataclasses import astuple

import numpy.typing as npt
import pytest

from noisyor.core.relation_looks import look_of
from noisyor.core.relations import Distribution, Relation, all_relations, relation_named


class Unheard(Relation):
    """A relation without a look of its own."""

    __slots__ = ()

    def parameter_count(self, child_states: int, parent_states: Sequence[int]) -> int:
        raise NotImplementedError

    def distribution(
        self, parameters: npt.ArrayLike, child_states: int, parent_states: Sequence[int]
    ) -> Distribution:
        raise NotImplementedError


@pytest.mark.parametrize("relation", [*all_relations(), Unheard("unheard-of", 77)])
def test_colours_are_written_as_css_and_graphviz_read_them(relation: Relation) -> None:
    look = look_of(relation)
    for colours in (look.paper, look.light, look.dark):
        for colour in astuple(colours):
            assert re.fullmatch("#[0-9a-f]{6}", colour)


def test_labels_are_those_of_the_field() -> None:
    labels = [look_of(relation).label for relation in all_relations()]
    assert labels == [
        "full table",
        *("noisy-OR", "leaky noisy-OR", "signed noisy-OR"),
        *("noisy-AND", "leaky noisy-AND", "signed noisy-AND"),
    ]
    assert look_of(relation_named("cpt")).short_label == "CPT"


def test_no_two_relations_look_the_same() -> None:
    looks = [look_of(relation) for relation in (*all_relations(), Unheard("unheard-of", 77))]
    assert len({(look.shape, look.outline) for look in looks[:-1]}) == len(looks) - 1
    assert len({(look.shape, look.outline, look.paper) for look in looks}) == len(looks)


def test_a_relation_without_a_look_is_shown_by_its_name() -> None:
    look = look_of(Unheard("unheard-of", 77))
    assert (look.label, look.short_label) == ("unheard-of", "unheard-of")


def test_for_more_states_or_is_called_max_and_and_is_called_min() -> None:
    labels = [look_of(one).label_for(3) for one in all_relations()]
    assert labels == [
        "full table",
        "noisy-MAX",
        "leaky noisy-MAX",
        "signed noisy-MAX",
        "noisy-MIN",
        "leaky noisy-MIN",
        "signed noisy-MIN",
    ]
    assert [look_of(one).label_for(2) for one in all_relations()] == [
        look_of(one).label for one in all_relations()
    ]
