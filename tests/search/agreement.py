"""Compares the result of a search with that of the oracle."""

from collections import Counter
from collections.abc import Hashable, Mapping
from math import log
from typing import TypeVar

import pytest

from noisyor.core.credible_set import CredibleSet, Labels, Member, Use
from noisyor.core.relations import relation_of
from noisyor.core.variable_sets import set_of
from noisyor.search import search
from tests.oracles.networks import (
    NaiveSet,
    NaiveUse,
    Network,
    better_relations,
    bits,
    credible_set,
)
from tests.search.tables import Case

Subject = TypeVar("Subject", bound=Hashable)


def oracle(case: Case, labels: str = "best") -> NaiveSet:
    """Return what brute force finds."""
    costs = better_relations(case.costs) if labels == "best" else case.costs
    found = credible_set(costs, case.n, log(case.factor))
    assert found is not None
    return found


def found(case: Case, labels: str = "best", bounds: str = "lp", jobs: int = 1) -> CredibleSet:
    """Return what the search finds without limits."""
    credible = search(case.table(), case.factor, labels=labels, bounds=bounds, jobs=jobs).credible
    assert credible.complete
    assert credible.proven
    assert credible.labels is Labels.of(labels)
    return credible


def network_of(member: Member) -> Network:
    return tuple((f.child, f.parents, f.relation.code) for f in member.structure.families)


def check_same(credible: CredibleSet, naive: NaiveSet) -> None:
    """Check everything that a credible set reports about its members."""
    assert credible.optimum == near(naive.optimum)
    assert credible.count == len(naive.members)
    best = tuple((f.child, f.parents, f.relation.code) for f in credible.best.families)
    assert {network: cost for cost, network in naive.members}[best] == near(naive.optimum)
    check_uses(credible, naive)
    check_members(credible, naive)


def check_members(credible: CredibleSet, naive: NaiveSet) -> None:
    costs = {network: cost for cost, network in naive.members}
    streamed = list(credible.stream())
    assert Counter(map(network_of, streamed)) == Counter(naive.networks)
    for member in streamed:
        assert member.cost == near(costs[network_of(member)])
    best = credible.best_members(len(costs) + 1)
    assert {network_of(member) for member in best} == naive.networks
    assert [member.cost for member in best] == near(naive.costs)
    assert [member.cost for member in best] == sorted(member.cost for member in best)
    for most in {1, (len(costs) + 1) // 2}:
        some = credible.best_members(most)
        assert len({network_of(member) for member in some}) == most
        assert [member.cost for member in some] == near(naive.costs[:most])
    assert credible.costliest().cost == near(naive.costs[-1])
    assert network_of(credible.costliest()) in naive.networks


def check_uses(credible: CredibleSet, naive: NaiveSet) -> None:
    names = credible.names
    uses = {
        (use.family.child, use.family.parents, use.family.relation.code): use
        for use in credible.families
    }
    expected = naive.families()
    assert uses.keys() == expected.keys()
    for key, use in uses.items():
        assert use.networks == expected[key].networks
        assert use.weight == pytest.approx(expected[key].weight, rel=1e-7)
        assert use.best_with == near(expected[key].best_with)
    order = [(use.family.child, use.cost) for use in credible.families]
    assert order == sorted(order)
    same_uses(
        credible.edges(), {(names[p], names[v]): use for (p, v), use in naive.edges().items()}
    )
    same_uses(
        {
            (child, set_of(map(names.index, parents))): use
            for (child, parents), use in credible.parent_sets().items()
        },
        {(names[v], parents): use for (v, parents), use in naive.parent_sets().items()},
    )
    same_uses(
        credible.relations(),
        {(names[v], relation_of(code)): use for (v, code), use in naive.relations().items()},
    )


def same_uses(got: Mapping[Subject, Use], expected: Mapping[Subject, NaiveUse]) -> None:
    assert got.keys() == expected.keys()
    for subject, use in got.items():
        other = expected[subject]
        assert use.networks == other.networks
        assert use.fraction == pytest.approx(other.fraction, rel=1e-12)
        assert use.weight == pytest.approx(other.weight, rel=1e-7)
        assert use.best_with == near(other.best_with)
        assert (use.best_without is None) == (other.best_without is None)
        if use.best_without is not None and other.best_without is not None:
            assert use.best_without == near(other.best_without)


def near(expected: float | list[float]) -> object:
    """Return something equal to costs that differ by the search's rounding only."""
    return pytest.approx(expected, rel=1e-13, abs=1e-8)


def renamed_network(network: Network, order: list[int]) -> Network:
    moved = [
        (order[v], sum(1 << order[p] for p in bits(above)), code) for v, above, code in network
    ]
    return tuple(sorted(moved))
