"""A set of networks in plain values, whichever solver found it."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from noisyor.core.credible_set import CredibleSet, Member, Use
from noisyor.core.variable_sets import set_of
from tests.oracles.networks import NaiveSet, NaiveUse, Network
from tests.search.agreement import network_of

MOST_LISTED = 1000
"""Members of a larger set are counted only."""


@dataclass(frozen=True)
class Told:
    """The number of networks with a feature, their share of the weight, and the best of them."""

    networks: int
    weight: float
    best_with: float
    best_without: float | None


@dataclass(frozen=True)
class Seen:
    """A set of networks: its size, what they have, and the networks themselves if they are few.

    `has` tells of families, edges, parent sets and relations, each by numbers of variables.
    """

    optimum: float
    count: int
    costliest: float
    has: Mapping[str, Mapping[Hashable, Told]]
    members: Mapping[Network, float] | None
    shortfalls: tuple[str, ...] = ()
    best: Network | None = None  # the one that is called best


def seen(credible: CredibleSet) -> Seen:
    """Return what the package found; a repeated member is an error."""
    number = {name: v for v, name in enumerate(credible.names)}
    families: dict[Hashable, Told] = {
        (use.family.child, use.family.parents, use.family.relation.code): Told(
            use.networks, use.weight, use.best_with, None
        )
        for use in credible.families
    }
    return Seen(
        credible.optimum,
        credible.count,
        credible.costliest().cost if credible.complete else credible.optimum,
        {
            "family": families,
            "edge": {
                (number[parent], number[child]): _told(use)
                for (parent, child), use in credible.edges().items()
            },
            "parent set": {
                (number[child], set_of(number[parent] for parent in parents)): _told(use)
                for (child, parents), use in credible.parent_sets().items()
            },
            "relation": {
                (number[child], relation.code): _told(use)
                for (child, relation), use in credible.relations().items()
            },
        },
        _members(credible) if credible.count <= MOST_LISTED and credible.complete else None,
        credible.shortfalls,
        network_of(Member(credible.best, credible.optimum)),
    )


def seen_by_brute_force(naive: NaiveSet) -> Seen:
    """Return the summary of a list of networks."""
    families: dict[Hashable, Told] = {
        key: Told(use.networks, use.weight, use.best_with, None)
        for key, use in naive.families().items()
    }
    return Seen(
        naive.optimum,
        len(naive.members),
        naive.costs[-1],
        {
            "family": families,
            "edge": {key: _told(use) for key, use in naive.edges().items()},
            "parent set": {key: _told(use) for key, use in naive.parent_sets().items()},
            "relation": {key: _told(use) for key, use in naive.relations().items()},
        },
        {network: cost for cost, network in naive.members},
    )


def _told(use: Use | NaiveUse) -> Told:
    return Told(use.networks, use.weight, use.best_with, use.best_without)


def _members(credible: CredibleSet) -> dict[Network, float]:
    listed = [(network_of(member), member.cost) for member in credible.stream()]
    distinct = dict(listed)
    if len(distinct) != len(listed):
        raise AssertionError(f"{len(listed)} members were streamed, {len(distinct)} are distinct")
    return distinct
