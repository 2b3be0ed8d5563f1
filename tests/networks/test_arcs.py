"""The support of arcs in a credible set, checked by counting its members."""

import math

import numpy as np
import pytest

import noisyor
from noisyor.core import CredibleSet, SettingsError
from noisyor.networks.arcs import arc_strength, averaged_network

DATA = noisyor.load_example("pump")


@pytest.fixture(scope="module", params=["best", "all"])
def credible(request: pytest.FixtureRequest) -> CredibleSet:
    return noisyor.learn(DATA, 50, labels=request.param).credible


def test_strengths_are_those_of_the_members_counted_one_by_one(credible: CredibleSet) -> None:
    members = list(credible.stream())
    raw = [math.exp(credible.optimum - member.cost) for member in members]
    total = math.fsum(raw)
    edges = [set(member.structure.edges()) for member in members]
    found = arc_strength(credible)
    assert {(arc.parent, arc.child) for arc in found} == set().union(*edges)
    for arc in found:
        one, other = (arc.parent, arc.child), (arc.child, arc.parent)
        weight = math.fsum(w for w, has in zip(raw, edges, strict=True) if one in has) / total
        joined = [one in has or other in has for has in edges]
        strength = math.fsum(w for w, has in zip(raw, joined, strict=True) if has) / total
        assert arc.weight == pytest.approx(weight)
        assert arc.strength == pytest.approx(strength)
        assert arc.direction == pytest.approx(weight / strength)
        assert arc.fraction == pytest.approx(sum(one in has for has in edges) / len(members))


def test_the_strongest_come_first(credible: CredibleSet) -> None:
    weights = [arc.weight for arc in arc_strength(credible)]
    assert weights == sorted(weights, reverse=True)


def test_the_averaged_network_joins_what_is_strong_enough(credible: CredibleSet) -> None:
    for threshold in (0.0, 0.3, 0.5, 0.9, 1.0):
        structure = averaged_network(credible, threshold)
        joined = {frozenset(edge) for edge in structure.edges()}
        strong = {
            frozenset((arc.parent, arc.child))
            for arc in arc_strength(credible)
            if arc.strength > threshold
        }
        assert joined <= strong
        if threshold >= 0.5:
            # In these data, no arc with more than half of the weight closes a cycle, so none is
            # left out.
            assert joined == strong


def test_relations_are_those_of_most_weight(credible: CredibleSet) -> None:
    structure = averaged_network(credible, 0.5)
    for family in structure.families:
        weights = {
            use.family.relation: use.weight
            for use in credible.families
            if (use.family.child, use.family.parents) == (family.child, family.parents)
        }
        if weights:
            assert weights[family.relation] == max(weights.values())
        else:
            assert family.relation is noisyor.CPT


def test_an_arc_of_even_directions_points_to_the_later_variable() -> None:
    data = noisyor.read(np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [40, 40, 10, 10], axis=0))
    credible = noisyor.learn(data, 20, relations=["cpt"]).credible
    first, second = data.names
    assert {(arc.parent, arc.child): round(arc.direction, 6) for arc in arc_strength(credible)} == {
        (first, second): 0.5,
        (second, first): 0.5,
    }
    assert list(averaged_network(credible).edges()) == [(first, second)]


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_thresholds_are_shares(credible: CredibleSet, threshold: float) -> None:
    with pytest.raises(SettingsError, match="it must be between 0 and 1"):
        averaged_network(credible, threshold)
