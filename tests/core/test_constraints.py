"""Knowledge becomes constraints; errors name the two pieces that contradict each other."""

import pytest

from noisyor.core import ConstraintError, Constraints, Knowledge, SettingsError
from noisyor.core.constraints import find_cycle

NAMES = ("a", "b", "c", "d")


def test_no_knowledge_excludes_nothing() -> None:
    constraints = Knowledge().constraints(NAMES)
    assert constraints == Constraints.none(NAMES)
    assert constraints.is_trivial
    assert constraints.allowed == (0b1110, 0b1101, 0b1011, 0b0111)
    assert constraints.required == (0, 0, 0, 0)


def test_edges_roots_and_sinks() -> None:
    constraints = Knowledge(
        required=[("a", "b")], forbidden=[("c", "b")], roots=["a"], sinks=["d"], max_parents=2
    ).constraints(NAMES)
    assert constraints.allowed == (0, 0b0001, 0b0011, 0b0111)
    assert constraints.required == (0, 0b0001, 0, 0)
    assert constraints.max_parents == 2
    assert not constraints.is_trivial


def test_no_edge_leads_from_a_later_tier_to_an_earlier_one() -> None:
    constraints = Knowledge(tiers=[["a"], ["b", "c"]]).constraints(NAMES)
    assert constraints.allowed == (0b1000, 0b1101, 0b1011, 0b0111)


@pytest.mark.parametrize(
    ("knowledge", "tiers"),
    [
        (Knowledge(tiers=[["a", "b"], ["c"], ["d"]]), (0, 0, 1, 2)),
        (Knowledge(tiers=[["d"], ["a", "b", "c"]], forbidden=[("d", "a")]), (1, 1, 1, 0)),
        (Knowledge(roots=["a"], sinks=["d"]), (0, 1, 1, 2)),
        (Knowledge(tiers=[["d"], ["b", "c"], ["a"]]), (2, 1, 1, 0)),  # whatever comes first
        (Knowledge(), None),
        (Knowledge(forbidden=[("a", "b")]), None),
        (Knowledge(tiers=[["a"], ["c"]]), None),
        (Knowledge(forbidden=[("a", "b"), ("b", "c"), ("c", "a")]), None),
    ],
)
def test_tiers_are_found_in_constraints(
    knowledge: Knowledge, tiers: tuple[int, ...] | None
) -> None:
    assert knowledge.constraints(NAMES).tiers() == tiers


def test_a_limit_of_parents_is_not_trivial() -> None:
    assert not Knowledge(max_parents=0).constraints(NAMES).is_trivial


@pytest.mark.parametrize(
    ("knowledge", "message"),
    [
        (
            Knowledge(required=[("a", "b")], forbidden=[("a", "b")]),
            "the edge 'a' -> 'b' is required, but also forbidden",
        ),
        (
            Knowledge(required=[("a", "b")], roots=["b"]),
            "the edge 'a' -> 'b' is required, but 'b' is a root",
        ),
        (
            Knowledge(required=[("a", "b")], sinks=["a"]),
            "the edge 'a' -> 'b' is required, but 'a' is a sink",
        ),
        (
            Knowledge(required=[("a", "b")], tiers=[["c"], ["b"], ["a"]]),
            "the edge 'a' -> 'b' is required, but 'a' is in tier 3 and 'b' in the earlier tier 2",
        ),
        (
            Knowledge(required=[("a", "b"), ("b", "c"), ("c", "a")]),
            "the required edges form a cycle: 'b' -> 'c' -> 'a' -> 'b'",
        ),
        (Knowledge(required=[("a", "a")]), "a required edge leads from 'a' to itself"),
        (
            Knowledge(required=[("a", "c"), ("b", "c")], max_parents=1),
            "'c' has 2 required parents, but max_parents is 1; the parents are: 'a', 'b'",
        ),
        (Knowledge(max_parents=-1), "max_parents is -1; it must be 0 or more"),
        (Knowledge(tiers=[["a", "b"], ["b"]]), "'b' is in tier 1 and in tier 2"),
        (Knowledge(tiers=[["a"], ["b", "c", "b"]]), "'b' is in tier 2 twice"),
        (Knowledge(tiers=["ab", "c"]), "tier 1: expected a list of names, not the text 'ab'"),
        (Knowledge(roots="ab"), "roots: expected a list of names, not the text 'ab'"),
        (Knowledge(sinks="a"), "sinks: expected a list of names, not the text 'a'"),
        (
            Knowledge(required=[("a", "b", "c")]),  # type: ignore[list-item]
            r"a required edge is \('a', 'b', 'c'\); it must be a pair \(parent, child\)",
        ),
        (
            Knowledge(forbidden=["ab"]),  # type: ignore[list-item]
            r"a forbidden edge is 'ab'; it must be a pair \(parent, child\)",
        ),
        (
            Knowledge(tiers=[["a"], ["x"]]),
            "tier 2 names 'x', which is not a variable; the table has",
        ),
        (Knowledge(required=[("a", "x")]), "a required edge names 'x', which is not a variable"),
        (Knowledge(forbidden=[("x", "a")]), "a forbidden edge names 'x'"),
        (
            Knowledge(roots=["x"]),
            "roots names 'x', which is not a variable; the table has: a, b, c, d",
        ),
        (Knowledge(sinks=["x"]), "sinks names 'x'"),
    ],
)
def test_contradictions_say_what_contradicts(knowledge: Knowledge, message: str) -> None:
    with pytest.raises(ConstraintError, match=message):
        knowledge.constraints(NAMES)


def test_a_contradiction_is_a_matter_of_settings() -> None:
    assert issubclass(ConstraintError, SettingsError)


def test_constraints_check_themselves() -> None:
    with pytest.raises(ConstraintError, match="'b' -> 'a' is both required and excluded"):
        Constraints(("a", "b"), (0, 0b01), (0b10, 0))
    with pytest.raises(ValueError, match="impossible parents for variable 0"):
        Constraints(("a", "b"), (0b01, 0b01), (0, 0))
    with pytest.raises(ValueError, match="impossible parents for variable 1"):
        Constraints(("a", "b"), (0, 0b101), (0, 0))
    with pytest.raises(ValueError, match="per variable"):
        Constraints(("a", "b"), (0,), (0, 0))


@pytest.mark.parametrize(
    ("parents", "cycle"),
    [
        ([], ()),
        ([0, 0b1, 0b11], ()),
        ([0b10, 0b1], (1, 0)),
        ([0b100, 0b1, 0b10, 0b1], (1, 2, 0)),
        ([0b1000, 0, 0b1000, 0b100], (2, 3)),
    ],
)
def test_cycles_are_found_in_the_direction_of_their_edges(
    parents: list[int], cycle: tuple[int, ...]
) -> None:
    found = find_cycle(parents)
    assert found == cycle
    for above, below in zip(found, (*found[1:], *found[:1]), strict=True):
        assert parents[below] >> above & 1
