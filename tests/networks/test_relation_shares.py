"""How often nodes are noisy-ORs in credible networks, checked by counting."""

import math

import pytest

import noisyor
from noisyor.core import CPT
from noisyor.networks.relation_shares import relation_shares


@pytest.mark.parametrize("labels", ["best", "all"])
def test_shares_are_those_of_the_members(labels: str) -> None:
    credible = noisyor.learn(noisyor.load_example("pump"), 50, labels=labels).credible
    shares = relation_shares(credible)
    members = list(credible.stream())
    raw = [math.exp(credible.optimum - member.cost) for member in members]
    for child, name in enumerate(credible.names):
        having = [member.structure.families[child].relation is not CPT for member in members]
        assert shares.fractions.get(name, 0.0) == pytest.approx(sum(having) / len(members))
        weight = sum(w for w, has in zip(raw, having, strict=True) if has) / sum(raw)
        assert shares.weights.get(name, 0.0) == pytest.approx(weight)
        assert (name in shares.fractions) is any(having)
    percents = [100 * share for share in shares.fractions.values()]
    assert shares.nodes == len(percents) > 0
    assert shares.average_percent == pytest.approx(sum(percents) / len(percents))
    assert shares.maximum_percent == pytest.approx(max(percents))


def test_without_noisy_ors_there_is_no_average() -> None:
    credible = noisyor.learn(noisyor.load_example("pump"), relations=["cpt"]).credible
    shares = relation_shares(credible)
    assert (shares.nodes, shares.average_percent, shares.maximum_percent) == (0, None, None)


def test_each_relation_with_causes_has_its_share() -> None:
    credible = noisyor.learn(noisyor.load_example("clinic"), 20, relations="all").credible
    shares = relation_shares(credible)
    members = list(credible.stream())
    assert shares.by_relation
    for child, name in enumerate(credible.names):
        used = [member.structure.families[child].relation for member in members]
        counts = {one: used.count(one) / len(members) for one in used if one.causes is not None}
        assert shares.by_relation.get(name, {}) == pytest.approx(counts)
