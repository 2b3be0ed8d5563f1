"""A picture and a table of a network or a credible set, for notebooks."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from noisyor.core import CredibleSet, Network
from noisyor.core.html_table import html_table
from noisyor.core.relation_looks import Shape, look_of
from noisyor.core.relations import all_relations
from noisyor.reporting.content import arc_shares
from noisyor.reporting.network_content import network_content
from noisyor.reporting.page import asset, environment
from noisyor.reporting.picture import picture_of
from noisyor.reporting.relation_style import colour_rules
from noisyor.reporting.words import counted

MOST_DRAWN = 60
"""The most nodes of a picture in a notebook; names in a larger one would be illegible."""

_COLOURS = (
    ":root { --arc: #6f7888; --root: #9aa1ad; --surface: #ffffff; --ink: #1c2330; "
    "--soft: #5b6475; --strong-line: #c9c8c4; }\n"
)
_FONT = "svg { font-family: system-ui, sans-serif; background: #ffffff; }\n"

Json = Mapping[str, Any]


def network_html(network: Network) -> str:
    """Return the picture of a network, and what each node depends on."""
    families = network.structure.families
    rows = [
        (
            variable.name,
            ", ".join(variable.states),
            family.relation.name_for(variable.state_count) if family.parents else "no parents",
            ", ".join(network.names[parent] for parent in family.parent_indices()),
        )
        for variable, family in zip(network.variables, families, strict=True)
    ]
    arcs = sum(len(family.parent_indices()) for family in families)
    size = f"{counted(len(families), 'variable')}, {counted(arcs, 'arc')}"
    table = html_table(("variable", "states", "relation", "parents"), rows)
    return _cell(f"Network of {size}", network_content(network), table)


def set_html(
    credible: CredibleSet, best: Network, title: str, tiers: Sequence[int] | None = None
) -> str:
    """Return the averaged picture of a credible set, and its arcs by weight.

    Tiers of background knowledge become columns of the picture, as in the report.
    """
    arcs = arc_shares(credible)
    rows = [
        (
            credible.names[arc["parent"]],
            credible.names[arc["child"]],
            arc["weight"],
            "yes" if arc["in_best"] else "no",
        )
        for arc in arcs
    ]
    table = html_table(("parent", "child", "weight", "in the best"), rows)
    return _cell(title, _outline(credible, best, arcs, tiers), table)


def _outline(
    credible: CredibleSet, best: Network, arcs: object, tiers: Sequence[int] | None
) -> dict[str, Any]:
    """Return as much of a report's content as a picture needs, without any parameters."""
    nodes: list[dict[str, Any]] = [{"relations": {}, "no_parents": 0.0} for _ in credible.names]
    families = []
    for use in credible.families:
        family, node = use.family, nodes[use.family.child]
        name = family.relation.name
        node["relations"][name] = node["relations"].get(name, 0.0) + use.weight
        node["no_parents"] += 0.0 if family.parents else use.weight
        families.append(
            {"child": family.child, "parents": list(family.parent_indices()), "relation": name}
        )
    place_of = {use.family: place for place, use in enumerate(credible.families)}
    sampling = None if credible.sampling is None else {"draws": credible.sampling.draws}
    return {
        "variables": [{"name": one.name, "states": one.states} for one in best.variables],
        "set": {"sampling": sampling},
        "arcs": arcs,
        "families": families,
        "nodes": nodes,
        "best": [place_of[family] for family in credible.best.families],
        "members": [],
        "tiers": None if tiers is None else list(tiers),
    }


def _drawn(content: Json) -> str:
    """Return the address of the picture, which holds the picture itself."""
    used = {family["relation"] for family in content["families"]}
    relations = [one for one in all_relations() if one.name in used]
    svg = (
        environment()
        .get_template("picture.svg.j2")
        .render(
            picture=picture_of(content),
            hexagons=any(look_of(one).shape is Shape.HEXAGON for one in relations),
        )
    )
    light = colour_rules(relations).partition("@media")[0]  # a notebook's paper is white
    style = f"<style>{_COLOURS}{_FONT}{asset('picture.css')}{light}</style>"
    opening, _, rest = svg.partition(">")
    alone = f'{opening} xmlns="http://www.w3.org/2000/svg">{style}{rest}'
    data = base64.b64encode(alone.encode()).decode()
    return f"data:image/svg+xml;base64,{data}"


def _cell(title: str, content: Json, table: str) -> str:
    """Return the picture below its title, and the table, folded if there is a picture."""
    heading = f"<p><strong>{escape(title)}</strong></p>"
    if len(content["variables"]) > MOST_DRAWN:
        return f"<div>{heading}{table}</div>"
    style = "max-width: 100%; border-radius: 6px"
    image = f'<img alt="{escape(title)}" style="{style}" src="{_drawn(content)}">'
    return f"<div>{heading}{image}<details><summary>As a table</summary>{table}</details></div>"
