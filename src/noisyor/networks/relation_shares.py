"""How often nodes have each relation in credible networks, and the paper's table 2."""

from collections.abc import Mapping
from dataclasses import dataclass

from noisyor.core import CredibleSet, Relation


@dataclass(frozen=True, slots=True)
class RelationShares:
    """The share of networks in which each node is a noisy-OR, with or without a leak.

    Only nodes that are a noisy-OR in some network are listed, in the order of the variables.
    `fractions` are shares of the networks, `weights` of their weight. The properties are the
    columns of table 2 in Sharma et al. (2020), where the average is over the listed nodes; they
    are None where there is none. `by_relation` has, for each node that any relation explains by
    causes in some network, the share of the networks in which each such relation does.
    """

    variables: int
    fractions: Mapping[str, float]
    weights: Mapping[str, float]
    by_relation: Mapping[str, Mapping[Relation, float]]

    @property
    def nodes(self) -> int:
        """The number of nodes that are a noisy-OR in some network."""
        return len(self.fractions)

    @property
    def average_percent(self) -> float | None:
        """Share of networks in which a listed node is a noisy-OR, on average, in percent."""
        if not self.fractions:
            return None
        return 100 * sum(self.fractions.values()) / len(self.fractions)

    @property
    def maximum_percent(self) -> float | None:
        """Largest share of networks in which any one node is a noisy-OR, in percent."""
        return 100 * max(self.fractions.values()) if self.fractions else None


def relation_shares(credible: CredibleSet) -> RelationShares:
    """Return how often each node is a noisy-OR, and how often it has each relation with causes."""
    number = {name: place for place, name in enumerate(credible.names)}
    networks = dict.fromkeys(credible.names, 0)
    weights = dict.fromkeys(credible.names, 0.0)
    by_relation: dict[str, dict[Relation, float]] = {}
    uses = sorted(credible.relations().items(), key=lambda one: number[one[0][0]])
    for (name, relation), use in uses:
        if relation.causes is not None:
            by_relation.setdefault(name, {})[relation] = use.networks / credible.count
        if relation.is_noisy_or:
            networks[name] += use.networks
            weights[name] += use.weight
    found = [name for name, count in networks.items() if count]
    return RelationShares(
        len(credible.names),
        {name: networks[name] / credible.count for name in found},
        {name: min(1.0, weights[name]) for name in found},
        by_relation,
    )
