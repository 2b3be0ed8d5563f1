"""A credible set knows what is proven, and how much of it has each feature."""

from collections.abc import Iterator
from math import exp, inf
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    CredibleSet,
    Family,
    Labels,
    Member,
    SettingsError,
    Structure,
    Use,
)
from noisyor.core.credible_set import FamilyUse, MemberBatch

NAMES = ("a", "b")
TOTAL = 1 + exp(-1) + exp(-2)
FAMILIES = (
    FamilyUse(Family(0, 0), 4.0, 2, (1 + exp(-1)) / TOTAL, 10.0),
    FamilyUse(Family(0, 0b10), 5.0, 1, exp(-2) / TOTAL, 12.0),
    FamilyUse(Family(1, 0b01, NOISY_OR), 6.0, 1, 1 / TOTAL, 10.0),
    FamilyUse(Family(1, 0), 7.0, 2, (exp(-1) + exp(-2)) / TOTAL, 11.0),
)
NETWORKS = np.array([[0, 2], [0, 3], [1, 3]], dtype=np.uint32)
COSTS = np.array([10.0, 11.0, 12.0])


class ThreeMembers:
    """The networks a -> b, no edge, b -> a, at costs 10, 11 and 12; they come costliest first."""

    def stream(self) -> Iterator[MemberBatch]:
        yield MemberBatch(NETWORKS[:0:-1], COSTS[:0:-1])
        yield MemberBatch(NETWORKS[:1], COSTS[:1])

    def best(self, most: int) -> MemberBatch:
        return MemberBatch(NETWORKS[:most], COSTS[:most])

    def costliest(self) -> MemberBatch:
        return MemberBatch(NETWORKS[2:], COSTS[2:])

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        rows = np.full(size, seed if weighted else 0)
        return MemberBatch(NETWORKS[rows], COSTS[rows])


def credible(**changes: Any) -> CredibleSet:  # noqa: ANN401  (each field has its own type)
    fields: dict[str, Any] = {
        "names": NAMES,
        "bayes_factor": BayesFactor(20),
        "labels": Labels.BEST,
        "best": network(0, 2),
        "optimum": 10.0,
        "lower_bound": 10.0,
        "count": 3,
        "families": FAMILIES,
        "members": ThreeMembers(),
    }
    return CredibleSet(**(fields | changes))


def network(*places: int) -> Structure:
    return Structure(NAMES, tuple(FAMILIES[place].family for place in places))


def test_a_proven_set_is_complete() -> None:
    assert credible().complete
    assert credible().proven


def test_a_limit_makes_it_incomplete() -> None:
    unproven = credible(lower_bound=9.0, shortfalls=("time",))
    assert not unproven.complete
    assert not unproven.proven
    uncounted = credible(most=5, shortfalls=("too many sums",))
    assert not uncounted.complete
    assert uncounted.proven


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lower_bound": 10.5}, "the bound 10.5 exceeds the optimum 10.0"),
        ({"count": 0}, "at least the best network"),
        ({"lower_bound": 9.0}, "must say which limit was hit"),
        ({"most": 2, "shortfalls": ("time",)}, "at most 2 networks, but 3 were counted"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        credible(**changes)


def is_use(use: Use, networks: int, weight: float, costs: tuple[float, float | None]) -> bool:
    same_weight: bool = use.weight == pytest.approx(weight / TOTAL)
    return same_weight and use == Use(networks, networks / 3, use.weight, *costs)


def test_edges_are_counted_over_the_families_that_have_them() -> None:
    edges = credible().edges()
    assert edges.keys() == {("a", "b"), ("b", "a")}
    assert is_use(edges["a", "b"], 1, 1, (10.0, 11.0))
    assert is_use(edges["b", "a"], 1, exp(-2), (12.0, 10.0))


def test_parent_sets_are_counted_by_child() -> None:
    sets = credible().parent_sets()
    assert sets.keys() == {("a", ()), ("a", ("b",)), ("b", ()), ("b", ("a",))}
    assert is_use(sets["a", ()], 2, 1 + exp(-1), (10.0, 12.0))
    assert is_use(sets["b", ()], 2, exp(-1) + exp(-2), (11.0, 10.0))


def test_there_is_no_best_network_without_what_every_network_has() -> None:
    relations = credible().relations()
    assert relations.keys() == {("a", CPT), ("b", CPT), ("b", NOISY_OR)}
    assert is_use(relations["a", CPT], 3, TOTAL, (10.0, None))
    assert is_use(relations["b", NOISY_OR], 1, 1, (10.0, 11.0))


def test_members_are_structures_with_costs() -> None:
    whole = [Member(network(0, 2), 10.0), Member(network(0, 3), 11.0), Member(network(1, 3), 12.0)]
    assert list(credible().stream()) == [whole[2], whole[1], whole[0]]
    assert credible().best_members(2) == whole[:2]
    assert credible().costliest() == whole[2]
    assert credible().sample(2, seed=1, weighted=True) == [whole[1], whole[1]]
    assert credible().sample(1, seed=1) == [whole[0]]
    assert credible().sample(0, seed=1) == []


def test_impossible_numbers_of_members_are_refused() -> None:
    with pytest.raises(SettingsError, match="0 best members were asked for"):
        credible().best_members(0)
    with pytest.raises(SettingsError, match="a sample of -1"):
        credible().sample(-1, seed=1)


def test_labels_have_names() -> None:
    assert Labels.of("all") is Labels.ALL
    assert Labels.of(Labels.BEST) is Labels.BEST
    with pytest.raises(SettingsError, match="labels is 'some'; it must be one of: best, all"):
        Labels.of("some")


def test_families_of_no_counted_network_are_left_out_of_an_incomplete_set() -> None:
    unseen = FamilyUse(Family(1, 0b1), 5.0, 0, 0.0, inf)  # with the full table
    cut_off = credible(families=(*FAMILIES, unseen), shortfalls=("time",))
    assert cut_off.edges() == credible().edges()
    assert cut_off.parent_sets() == credible().parent_sets()
    assert cut_off.relations() == credible().relations()
