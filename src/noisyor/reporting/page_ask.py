"""The words of the section in which the networks are asked."""

from collections.abc import Mapping
from typing import Any

from noisyor.reporting.words import count_words, counted, share_words

FEW = 12
"""The most variables of a section without a search box."""

Json = Mapping[str, Any]


def ask_section(content: Json) -> dict[str, Any] | None:
    """Return what the template needs; None if the content has no networks to ask."""
    live = content["live"]
    if live is None:
        return None
    alone = live["count"] == 1
    return {
        "title": "Ask the network" if alone else "Ask the networks",
        "words": _words(live),
        "asked": bool(live["networks"]),
        "searched": len(content["variables"]) > FEW,
    }


def _words(live: Json) -> str:
    held = len(live["networks"])
    if not held:
        return (
            f"The network has {count_words(live['numbers'])} parameters, too many for a page that "
            "answers questions; \u201cnoisyor query\u201d does."
        )
    how = "Click a state that you know, and all chances follow, computed exactly in this page."
    if live["count"] == 1:
        return how
    if live["draws"] is not None:
        of = (
            f"the {counted(held, 'network')} that {counted(live['draws'], 'draw')} from the "
            "credible ones gave, each as often as it was drawn"
        )
    elif held < live["count"]:
        of = (
            f"the {count_words(held)} best of {count_words(live['count'])} networks, which have "
            f"{share_words(live['share'])} of the weight"
        )
    else:
        of = f"all {counted(held, 'network')}, by their weight"
    return f"{how} They are averaged over {of}."
