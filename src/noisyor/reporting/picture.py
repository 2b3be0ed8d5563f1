"""The picture that the template draws: each node and arc with its place, words and style.

The picture here is the first state of the page: the averaged network with the arcs of at least half
of the weight. The script changes what is shown, and never where. But with more than `MOST_PLAIN`
nodes, it can also show the neighbourhood of one, which it lays out itself.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from noisyor.core.relations import root_relation
from noisyor.reporting.arc_paths import head_path, line_path, number_words
from noisyor.reporting.layout import MOST_ROUTED, Layout, lay_out
from noisyor.reporting.relation_style import NO_PARENTS, relation_words, style_of
from noisyor.reporting.short_labels import short_label
from noisyor.reporting.words import count_words, counted, sample_words, share_words

FIRST_THRESHOLD = 0.5
"""The smallest share of the weight of the arcs that are shown at first."""

LEAST_THRESHOLD = 0.01
"""The low end of the slider; arcs with less weight are drawn only if a listed member has them."""

MOST_PLAIN = 15
"""The most nodes of a picture that needs neither a search box nor zooming."""

_MIX_WIDTH = 64.0
_LEAST_SCALE = 0.72  # below this, names are hardly legible
_SLIGHT = 0.02  # a share below this is not worth a mark

Json = Mapping[str, Any]


def picture_of(content: Json) -> dict[str, Any]:
    """Return the picture of a report's content in the form that the template needs."""
    best, listed = _arcs_of(content, content["best"]), listed_arcs(content)
    weights = {
        (arc["parent"], arc["child"]): arc["weight"]
        for arc in content["arcs"]
        if arc["weight"] >= LEAST_THRESHOLD or (arc["parent"], arc["child"]) in listed
    }
    count = len(content["variables"])
    if count > MOST_ROUTED:  # the script adds the weaker arcs, when they are asked for
        heavy, own = weights, set(best)
        weights = {arc: w for arc, w in heavy.items() if w >= FIRST_THRESHOLD or arc in own}
    layout = lay_out(count, best, weights, content["tiers"])
    arcs = [
        {
            "parent": parent,
            "child": child,
            "shown": weight >= FIRST_THRESHOLD,
            "line": line_path(layout.routes[parent, child], layout.grid),
            "head": head_path(layout.routes[parent, child], layout.grid),
            "width": f"{0.9 + 3.1 * weight:.1f}" if content["set"] else "1.6",
        }
        for (parent, child), weight in weights.items()
    ]
    shown = sum(arc["shown"] for arc in arcs)
    parents = _parents_shown(content)
    nodes = [_node(content, at, parents[at], layout) for at in range(count)]
    return {
        "is_mixed": any(node["mix"] for node in nodes),
        "layout": "routed" if count <= MOST_ROUTED else "compact",
        "title_middle": number_words(layout.title_height / 2),
        "tiers": [
            {
                "title": f"Tier {at}",
                "left": number_words(left),
                "middle": number_words((left + right) / 2),
            }
            for at, (left, right) in enumerate(layout.tiers, start=1)
        ],
        "is_large": count > MOST_PLAIN,
        "width": number_words(layout.width),
        "height": number_words(layout.height),
        "least_width": round(_LEAST_SCALE * layout.width),
        "nodes": nodes,
        # The lightest first, so that the heavier ones are drawn over them.
        "arcs": arcs[::-1],
        "view": "best" if content["set"] is None else "averaged",
        "status": _status(content, shown),
    }


def _status(content: Json, shown: int) -> str:
    """Return what the picture shows at first, in one sentence."""
    if content["set"] is None:
        return f"The network: {counted(shown, 'arc')}."
    return (
        f"The averaged network: {counted(shown, 'arc')} of {count_words(len(content['arcs']))} "
        f"with at least {share_words(FIRST_THRESHOLD)} of the weight"
        f"{sample_words(content['set']['sampling'])}."
    )


def _arcs_of(content: Json, places: Iterable[int]) -> list[tuple[int, int]]:
    families = (content["families"][place] for place in places)
    return [(parent, family["child"]) for family in families for parent in family["parents"]]


def listed_arcs(content: Json) -> set[tuple[int, int]]:
    """Return the arcs of the best network and of the listed members."""
    networks = [content["best"], *(member["families"] for member in content["members"])]
    return {arc for places in networks for arc in _arcs_of(content, places)}


def _parents_shown(content: Json) -> list[list[dict[str, str]]]:
    """Return the parents of each node that are shown at first, the heaviest first."""
    parents: list[list[dict[str, str]]] = [[] for _ in content["variables"]]
    for arc in content["arcs"]:
        if arc["weight"] >= FIRST_THRESHOLD:
            name = content["variables"][arc["parent"]]["name"]
            parents[arc["child"]].append({"name": name, "share": share_words(arc["weight"])})
    return parents


def _node(
    content: Json, number: int, parents: list[dict[str, str]], layout: Layout
) -> dict[str, Any]:
    name = content["variables"][number]["name"]
    kinds = kinds_of(content, number)
    kind = max(kinds, key=lambda one: kinds[one])
    relation = root_relation().name if kind == NO_PARENTS else kind
    x, y = layout.nodes[number]
    words = relation_words(kind, len(content["variables"][number]["states"]))
    return {
        "number": number,
        "name": name,
        "label": short_label(name),
        "style": style_of(kind),
        "relation": relation,
        "relation_words": words,
        "parents": parents,
        "words": f"{name}, {words}; parents: {', '.join(p['name'] for p in parents) or 'none'}",
        "x": number_words(x),
        "y": number_words(y),
        "mix": _mix(kinds),
    }


def kinds_of(content: Json, number: int) -> dict[str, float]:
    """Return the weight of each way to draw a node: `root` without parents, or its relation."""
    node = content["nodes"][number]
    kinds = {NO_PARENTS: node["no_parents"], **node["relations"]}
    root = root_relation().name
    if root in kinds:
        kinds[root] -= node["no_parents"]
    return kinds


def _mix(kinds: Mapping[str, float]) -> list[dict[str, str]]:
    """Return the parts of the strip that shows the shares of relations, if there are several."""
    shares = {kind: share for kind, share in kinds.items() if share >= _SLIGHT}
    if len(shares) < 2:  # noqa: PLR2004  (one relation needs no strip)
        return []
    left, total = -_MIX_WIDTH / 2, sum(shares.values())
    parts = []
    for kind, share in shares.items():
        width = _MIX_WIDTH * share / total
        parts.append(
            {"style": style_of(kind), "x": number_words(left), "width": number_words(width)}
        )
        left += width
    return parts
