"""The contents of a page on a single network, of which no records are known."""

import math
from collections import Counter
from typing import Any

from noisyor.core import Distribution, Family, Network
from noisyor.core.relations import CauseModel
from noisyor.networks.cause_words import presence_of
from noisyor.reporting.content import FORMAT, VERSION
from noisyor.reporting.content_shape import (
    ArcShare,
    CauseParameters,
    Content,
    FamilyShare,
    Node,
    Parameters,
    TableParameters,
)
from noisyor.reporting.family_content import (
    MOST_CONFIGURATIONS,
    kind_of,
    other_parameters,
    rounded_share,
    strongest,
)
from noisyor.reporting.live_content import live_network


def network_content(network: Network, title: str | None = None) -> dict[str, Any]:
    """Return the contents of a page on a network.

    Parameters
    ----------
    network
        The network.
    title
        What the page calls it; by default the title that its file gave it, if any.

    """
    families = [
        _family(network, family, distribution)
        for family, distribution in zip(
            network.structure.families, network.distributions, strict=True
        )
    ]
    content: Content = {
        "format": FORMAT,
        "version": VERSION,
        "title": title or network.appearance.title or "A network",
        "records": None,
        "variables": [
            {
                "name": name,
                "states": list(variable.states),
                "presence": presence_of(variable),
                "records": None,
            }
            for name, variable in zip(displayed_names(network), network.variables, strict=True)
        ],
        "set": None,
        "arcs": _arcs(network),
        "families": families,
        "nodes": [_node(at, family) for at, family in enumerate(families)],
        "best": list(range(len(families))),
        "members": [],
        "bootstrap": None,
        "tiers": None,
        "live": live_network(network),
        "run": {},
    }
    return dict(content)


def displayed_names(network: Network) -> tuple[str, ...]:
    """Return what a page calls each variable: the title its file displays, or else its name.

    A title that could stand for two variables is not used: names on a page are distinct.
    """
    titles = [" ".join((network.appearance.of(name).title or "").split()) for name in network.names]
    uses = Counter([*network.names, *titles])
    return tuple(
        title if title and uses[title] == 1 + (title == name) else name
        for name, title in zip(network.names, titles, strict=True)
    )


def _arcs(network: Network) -> list[ArcShare]:
    return [
        {
            "parent": parent,
            "child": family.child,
            "networks": 1,
            "fraction": 1.0,
            "weight": 1.0,
            "in_best": True,
        }
        for family in network.structure.families
        for parent in family.parent_indices()
    ]


def _node(place: int, family: FamilyShare) -> Node:
    return {
        "relations": {family["relation"]: 1.0},
        "no_parents": 0.0 if family["parents"] else 1.0,
        "families": [place],
        "others": None,
    }


def _family(network: Network, family: Family, distribution: Distribution) -> FamilyShare:
    parameters: Parameters
    model = family.relation.causes
    if model is not None:
        parameters = strongest(_causes(network, family, distribution, model))
    elif kind_of(family.relation) == "table":
        parameters = _table(distribution)
    else:
        parameters = other_parameters(distribution)
    return {
        "child": family.child,
        "parents": list(family.parent_indices()),
        "relation": family.relation.name,
        "cost": None,
        "networks": 1,
        "weight": 1.0,
        "parameters": parameters,
        "note": None,
    }


def _table(distribution: Distribution) -> TableParameters:
    rows = math.prod(distribution.parent_states)
    table = distribution.expand().table[:MOST_CONFIGURATIONS]
    return {
        "kind": "table",
        "configurations": list(range(len(table))),
        "chances": [[rounded_share(one) for one in row] for row in table[:, 1:].tolist()],
        "records": None,
        "left_out": rows - len(table),
    }


def _causes(
    network: Network, family: Family, distribution: Distribution, model: CauseModel
) -> CauseParameters:
    """Return the causes; states that do nothing at any level are left out."""
    effects = model.level_states(network.variables[family.child].state_count)[1:]
    parents = family.parent_indices()
    listed: CauseParameters = {
        "kind": "causes",
        "parents": [],
        "states": [],
        "effects": [],
        "strengths": [],
        "unseen": [],
        "left_out": 0,
        "explained": None,
    }
    for cause in distribution.causes():
        if cause.parent is not None and all(q == 1 for q in cause.levels):
            continue
        unseen = cause.unseen or (False,) * len(cause.levels)
        for effect, q, is_unseen in zip(effects, cause.levels, unseen, strict=True):
            if is_unseen:
                listed["unseen"].append(len(listed["parents"]))
            listed["parents"].append(None if cause.parent is None else parents[cause.parent])
            listed["states"].append(cause.state)
            listed["effects"].append(effect)
            listed["strengths"].append(rounded_share(1 - q))
    return listed
