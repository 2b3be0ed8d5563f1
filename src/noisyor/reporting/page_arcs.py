"""The arcs that a page lists, and those that it holds for its script."""

from collections.abc import Mapping
from typing import Any

from noisyor.reporting.picture import listed_arcs
from noisyor.reporting.words import counted, share_words

MOST_ROWS = 400
"""The most arcs in the table; those beyond are in hardly any network.

The script of a page with a search box can list all arcs that the page holds.
"""

MOST_HELD = 10_000
"""The most arcs in the data of a page, besides those of the best network and the listed members."""

Json = Mapping[str, Any]


def held_arcs(content: Json) -> list[dict[str, Any]]:
    """Return the arcs that the page holds: all, unless they are very many."""
    arcs: list[dict[str, Any]] = content["arcs"]
    if len(arcs) <= MOST_HELD:
        return arcs
    listed = listed_arcs(content)
    return [
        arc
        for place, arc in enumerate(arcs)
        if place < MOST_HELD or (arc["parent"], arc["child"]) in listed
    ]


def arc_rows(content: Json) -> list[dict[str, Any]]:
    """Return the rows of the table of arcs, with their names and shares in words."""
    variables = content["variables"]
    return [
        {
            **arc,
            "parent_name": variables[arc["parent"]]["name"],
            "child_name": variables[arc["child"]]["name"],
            "weight_words": share_words(arc["weight"]),
            "fraction_words": share_words(arc["fraction"]),
        }
        for arc in content["arcs"][:MOST_ROWS]
    ]


def arcs_words(content: Json) -> str:
    """Return how many arcs there are, and whether the page lacks some."""
    count = len(content["arcs"])
    if not count:
        return "No credible network has an arc."
    words = f"{counted(count, 'arc')} that some credible network has."
    if count > MOST_HELD:
        most = counted(MOST_HELD, "arc")
        words += f" This page holds the {most} with the largest share of the weight."
    return words


def rows_words(content: Json) -> str:
    """Return which arcs the table shows, if not all."""
    if len(content["arcs"]) <= MOST_ROWS:
        return ""
    return f"Shown are the {MOST_ROWS} with the largest share of the weight."
