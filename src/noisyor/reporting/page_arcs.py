"""The arcs that a page lists, and those that it holds for its script."""

from collections.abc import Mapping
from typing import Any

from noisyor.reporting.picture import listed_arcs
from noisyor.reporting.words import counted, error_words, share_words

MOST_ROWS = 400
"""The most arcs in the table; those beyond are in hardly any network.

The script of a page with a search box can list all arcs that the page holds.
"""

MOST_HELD = 10_000
"""The most arcs in the data of a page, besides those of the best network and the listed members."""

Json = Mapping[str, Any]


def with_held_arcs(content: Json) -> dict[str, Any]:
    """Return the content with the arcs that the page holds: all, unless they are very many."""
    arcs, known = content["arcs"], content["set"]
    if len(arcs) <= MOST_HELD:
        return dict(content)
    listed = listed_arcs(content)
    held = [
        place
        for place, arc in enumerate(arcs)
        if place < MOST_HELD or (arc["parent"], arc["child"]) in listed
    ]
    if known is not None and known["sampling"] is not None:
        errors = known["sampling"]["arc_errors"]
        sampling = {**known["sampling"], "arc_errors": [errors[place] for place in held]}
        known = {**known, "sampling": sampling}
    resampled = content["bootstrap"]
    if resampled is not None:
        lists = {key: resampled[key] for key in ("shares", "errors", "weights")}
        resampled = {
            **resampled,
            **{key: own and [own[place] for place in held] for key, own in lists.items()},
        }
    return {
        **content,
        "set": known,
        "bootstrap": resampled,
        "arcs": [arcs[place] for place in held],
    }


def arc_rows(content: Json) -> list[dict[str, Any]]:
    """Return the rows of the table of arcs, with their names and shares in words."""
    variables, sampling = content["variables"], _sampling(content)
    arcs = content["arcs"][:MOST_ROWS]
    errors = [None] * len(arcs) if sampling is None else sampling["arc_errors"][:MOST_ROWS]
    return [
        {
            **arc,
            "parent_name": variables[arc["parent"]]["name"],
            "child_name": variables[arc["child"]]["name"],
            "weight_words": share_words(arc["weight"]) + error_words(error),
            "fraction_words": share_words(arc["fraction"]),
            "bootstrap_words": bootstrap_words(content["bootstrap"], at),
        }
        for at, (arc, error) in enumerate(zip(arcs, errors, strict=True))
    ]


def bootstrap_words(resampled: Json | None, place: int) -> str | None:
    """Return the share of the resamples that have an arc; None without a bootstrap."""
    if resampled is None:
        return None
    return share_words(resampled["shares"][place]) + error_words(resampled["errors"][place])


def bootstrap_said(content: Json) -> str:
    """Return how many tables were resampled, and which arcs only they have."""
    resampled, variables = content["bootstrap"], content["variables"]
    if resampled is None:
        return ""
    asked = "" if resampled["resamples"] == resampled["asked"] else f" of {resampled['asked']:,}"
    words = (
        f" Bootstrap: the share of {resampled['resamples']:,}{asked} resampled tables whose best "
        "network has the arc, ± the standard error of the resampling."
    )
    if resampled["unproven"]:
        words += f" {resampled['unproven']:,} of these networks are not proven to be optimal."
    beyond = resampled["beyond"]
    if beyond:
        first = beyond[0]
        parent, child = (variables[first[end]]["name"] for end in ("parent", "child"))
        words += (
            f" {counted(len(beyond), 'arc')} in no credible network, but in some resample; most "
            f"often {parent} → {child}, with {share_words(first['share'])}."
        )
    return words


def _sampling(content: Json) -> Json | None:
    return None if content["set"] is None else content["set"]["sampling"]


def arcs_words(content: Json) -> str:
    """Return how many arcs there are, and whether the page lacks some."""
    count = len(content["arcs"])
    if not count:
        if not content["set"]:
            return "There are no arcs."
        is_whole = content["set"]["complete"]
        return f"No {'credible network' if is_whole else 'network that was found'} has an arc."
    sampling = _sampling(content)
    if content["set"] is None:
        words = f"{counted(count, 'arc')}."
    elif sampling is None:
        found = "credible network" if content["set"]["complete"] else "network that was found"
        words = f"{counted(count, 'arc')} that some {found} has."
    else:
        words = (
            f"{counted(count, 'arc')} that some network of the sample has. Shares of the weight "
            f"are estimated from {counted(sampling['draws'], 'network')} that "
            f"{counted(sampling['chains'], 'Markov chain')} drew; their standard errors follow "
            "after ±."
        )
    if count > MOST_HELD:
        most = counted(MOST_HELD, "arc")
        words += f" This page holds the {most} with the largest share of the weight."
    return words + bootstrap_said(content)


def rows_words(content: Json) -> str:
    """Return which arcs the table shows, if not all."""
    if len(content["arcs"]) <= MOST_ROWS:
        return ""
    if content["set"] is None:
        return f"Shown are the first {MOST_ROWS}."
    return f"Shown are the {MOST_ROWS} with the largest share of the weight."
