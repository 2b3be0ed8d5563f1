"""The sets of parents near those of a network."""

import pytest

import noisyor
from noisyor.core import Constraints, Knowledge, Structure
from noisyor.core.relations import RelationChoice
from noisyor.core.request import Request
from noisyor.core.variable_sets import set_of
from noisyor.fitting import fit
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.parents_around import parents_around

NAMES = ("a", "b", "c", "d")
CHAIN = Structure.from_edges(NAMES, [("a", "b"), ("b", "c"), ("c", "d")])


def sets_of(structure: Structure, constraints: Constraints, most: int = 99) -> list[set[str]]:
    found = parents_around(structure, constraints, most)
    names = structure.names
    return [
        {"".join(n for v, n in enumerate(names) if own >> v & 1) for own in sets} for sets in found
    ]


def test_arcs_are_dropped_and_turned() -> None:
    assert sets_of(CHAIN, Constraints.none(NAMES)) == [
        {"b"},
        {"", "ac", "c"},
        {"", "bd", "d"},
        {""},
    ]


def test_constraints_are_kept() -> None:
    knowledge = Knowledge(required=[("a", "b")], forbidden=[("c", "b")], max_parents=1)
    assert sets_of(CHAIN, knowledge.constraints(NAMES)) == [{"b"}, set(), {"", "d"}, {""}]


def test_fewer_changes_come_first() -> None:
    star = Structure.from_edges(NAMES, [("a", "d"), ("b", "d"), ("c", "d")])
    first = parents_around(star, Constraints.none(NAMES), 4)[3]
    assert [own.bit_count() for own in first] == [2, 2, 2, 1]


def test_they_are_enough_for_every_network_equivalent_to_a_chain() -> None:
    around = parents_around(CHAIN, Constraints.none(NAMES), 99)
    known = [{family.parents, *sets} for family, sets in zip(CHAIN.families, around, strict=True)]
    for root in range(4):
        edges = [(v, v + 1) for v in range(root, 3)] + [(v, v - 1) for v in range(root, 0, -1)]
        for child in range(4):
            assert set_of(p for p, c in edges if c == child) in known[child]


@pytest.mark.parametrize("relations", ["paper", ["cpt"], "default"])
def test_climbers_tell_what_these_families_cost(relations: RelationChoice) -> None:
    data = noisyor.load_example("clinic")
    request = Request.of(data, 20.0, relations=relations, jobs=1)
    climbing = Climbing(request)
    climbing.run(lambda: False, rounds=1)
    best = climbing.structure()
    around = parents_around(best, request.constraints, 20)
    table = climbing.families(within=0.0, most=1, around=around)
    found = dict(table.families())
    for family in best.families:
        sets = {own.parents for own in found if own.child == family.child}
        assert {family.parents, *around[family.child]} <= sets
    for family, cost in found.items():
        assert cost == pytest.approx(fit(data, family, score=request.score).cost)
