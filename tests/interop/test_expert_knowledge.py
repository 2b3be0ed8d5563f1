"""pgmpy's ExpertKnowledge, and what only looks like it."""

from types import SimpleNamespace

import pytest
from pgmpy.causal_discovery import ExpertKnowledge  # type: ignore[import-untyped]

from noisyor.core import ConstraintError, FormatError, Knowledge
from noisyor.interop.expert_knowledge import knowledge_from_pgmpy

NAMES = ("a", "b", "c")


def test_edges_and_temporal_order_become_knowledge() -> None:
    expert = ExpertKnowledge(
        required_edges=[("b", "c"), ("a", "b")],
        forbidden_edges=[("c", "a")],
        temporal_order=[["a"], ["b", "c"]],
    )
    known = knowledge_from_pgmpy(expert)
    assert known == Knowledge(
        required=[("a", "b"), ("b", "c")],
        forbidden=[("c", "a")],
        tiers=(("a",), ("b", "c")),
    )
    assert known.constraints(NAMES).allowed == (0b000, 0b101, 0b011)


def test_an_expert_who_says_nothing_excludes_nothing() -> None:
    assert knowledge_from_pgmpy(ExpertKnowledge()).constraints(NAMES).is_trivial


def test_a_search_space_forbids_all_other_edges_as_in_pgmpy() -> None:
    space = [("a", "b"), ("b", "c")]
    expert = ExpertKnowledge(search_space=space, forbidden_edges=[("b", "c")])
    known = knowledge_from_pgmpy(expert, NAMES)
    expert.limit_search_space(list(NAMES))
    assert set(known.forbidden) == expert.forbidden_edges
    assert known.constraints(NAMES).allowed == (0, 0b001, 0)


def test_a_search_space_needs_the_names_of_the_variables() -> None:
    expert = ExpertKnowledge(search_space=[("a", "b")])
    with pytest.raises(ConstraintError, match=r"names=data\.names"):
        knowledge_from_pgmpy(expert)
    with pytest.raises(ConstraintError, match="search_space names 'b', which is not a variable"):
        knowledge_from_pgmpy(expert, ("a", "c"))


def test_contradictions_name_both_sides() -> None:
    outside = ExpertKnowledge(search_space=[("a", "b")], required_edges=[("b", "c")])
    with pytest.raises(ConstraintError, match="'b' -> 'c' is required, but not in the search"):
        knowledge_from_pgmpy(outside, NAMES)
    late = ExpertKnowledge(required_edges=[("b", "a")], temporal_order=[["a"], ["b"]])
    with pytest.raises(ConstraintError, match="'b' is in tier 2 and 'a' in the earlier tier 1"):
        knowledge_from_pgmpy(late).constraints(NAMES)


def test_any_object_with_the_same_attributes_will_do() -> None:
    expert = SimpleNamespace(required_edges=None, forbidden_edges=[["a", "b"]])
    assert knowledge_from_pgmpy(expert) == Knowledge(required=[], forbidden=[("a", "b")])


@pytest.mark.parametrize(
    ("expert", "message"),
    [
        (object(), "is a object without 'required_edges'; expected: an object like pgmpy's"),
        (SimpleNamespace(required_edges=()), "without 'forbidden_edges'"),
        (
            SimpleNamespace(required_edges=(), forbidden_edges=[("a", 1)]),
            "forbidden_edges names 1, which is a int",
        ),
        (
            SimpleNamespace(required_edges=[("a", "b", "c")], forbidden_edges=()),
            r"required_edges has \('a', 'b', 'c'\); expected: \(parent, child\)",
        ),
        (
            SimpleNamespace(required_edges=["ab"], forbidden_edges=()),
            "required_edges has 'ab'; expected: a list or a set",
        ),
        (
            SimpleNamespace(required_edges=(), forbidden_edges=(), temporal_order=["ab"]),
            "temporal_order has 'ab'; expected: a list or a set",
        ),
        (
            SimpleNamespace(required_edges=3, forbidden_edges=()),
            "required_edges has 3; expected: a list or a set",
        ),
    ],
)
def test_what_is_no_expert_knowledge_is_refused(expert: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        knowledge_from_pgmpy(expert)
