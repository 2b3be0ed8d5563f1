"""How strongly a credible set supports each arc, and the one graph that sums it up.

The names are those of R's bnlearn (Scutari, 2010): `arc.strength` and `averaged.network`.
"""

from dataclasses import dataclass
from math import isfinite

from noisyor.core import CredibleSet, Family, Relation, SettingsError, Structure
from noisyor.core.relations import root_relation

Edge = tuple[str, str]

_ROUNDING = 1e-9  # weights are sums of shares: two equal ones may differ by rounding


@dataclass(frozen=True, slots=True)
class ArcStrength:
    """An arc of some credible network.

    `strength` is the weight of the networks that join the two variables in either direction, and
    `direction` the part of it with this direction. `weight` is their product, and `fraction` the
    share of the networks that have the arc, each network counted equally. `standard_error` is that
    of the weight in a sampled set; None in an enumerated one, where the weight is exact.
    """

    parent: str
    child: str
    strength: float
    direction: float
    weight: float
    fraction: float
    standard_error: float | None = None


def arc_strength(credible: CredibleSet) -> tuple[ArcStrength, ...]:
    """Return the arcs of all credible networks, those of greatest weight first."""
    uses = credible.edges()
    arcs = []
    for (parent, child), use in uses.items():
        back = uses.get((child, parent))
        # An acyclic network has at most one of the two: their weights add up to at most 1.
        strength = _tidy(use.weight + (0.0 if back is None else back.weight))
        arcs.append(
            ArcStrength(
                parent,
                child,
                strength,
                # In a sampled set, the best network may have an arc that no draw has.
                _tidy(use.weight / strength) if strength else 0.0,
                _tidy(use.weight),
                use.fraction,
                use.standard_error,
            )
        )
    number = {name: place for place, name in enumerate(credible.names)}
    arcs.sort(key=lambda arc: (-arc.weight, number[arc.parent], number[arc.child]))
    return tuple(arcs)


def _tidy(share: float) -> float:
    """Return 1 for a share that is below 1 only by rounding."""
    return 1.0 if share > 1 - _ROUNDING else share


def averaged_network(credible: CredibleSet, threshold: float = 0.5) -> Structure:
    """Return the graph of the arcs that the credible set supports most.

    Variables whose `strength` is above the threshold are joined, in the direction of greater
    weight. Arcs are added from the strongest to the weakest, and one that would close a cycle with
    stronger ones is left out. A node gets the relation that has most weight among the credible
    families with exactly these parents; if there is none, it is a full table.

    Parameters
    ----------
    credible
        The credible set.
    threshold
        The strength that a pair of variables must exceed to be joined, from 0 to 1.

    """
    if not (isfinite(threshold) and 0 <= threshold <= 1):
        raise SettingsError(f"the threshold is {threshold}; it must be between 0 and 1")
    number = {name: place for place, name in enumerate(credible.names)}
    parents = [0] * len(number)
    for arc in sorted(arc_strength(credible), key=lambda arc: -arc.strength):
        above, below = number[arc.parent], number[arc.child]
        forward = arc.direction > 0.5 + _ROUNDING or (
            arc.direction >= 0.5 - _ROUNDING and above < below
        )
        if arc.strength <= threshold or not forward:
            continue
        if not _leads(parents, below, above):
            parents[below] |= 1 << above
    families = [
        Family(child, above, _relation(credible, child, above))
        for child, above in enumerate(parents)
    ]
    return Structure(credible.names, tuple(families))


def _leads(parents: list[int], start: int, end: int) -> bool:
    """Return whether a directed path leads from one variable to another."""
    reached, waiting = 1 << end, [end]
    while waiting:
        above = parents[waiting.pop()] & ~reached
        reached |= above
        waiting += [v for v in range(len(parents)) if above >> v & 1]
    return bool(reached >> start & 1)


def _relation(credible: CredibleSet, child: int, parents: int) -> Relation:
    weights: dict[Relation, float] = {}
    for use in credible.families:
        if (use.family.child, use.family.parents) == (child, parents):
            relation = use.family.relation
            weights[relation] = weights.get(relation, 0.0) + use.weight
    if not weights:
        return root_relation()
    return max(weights, key=lambda relation: (weights[relation], -relation.code))
