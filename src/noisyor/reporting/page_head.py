"""The head of a page: title, lead and facts, of a credible set or of a single network."""

from collections.abc import Mapping
from typing import Any

from noisyor.core.relations import Relation, relation_named
from noisyor.core.variable import BINARY
from noisyor.reporting.run_section import gap_words
from noisyor.reporting.words import count_words, counted

Json = Mapping[str, Any]


def page_head(content: Json) -> dict[str, Any]:
    """Return the title, the lead, the facts, and what is incomplete or to be noted."""
    known = content["set"]
    if known is None:
        facts = _network_facts(content)
        head: dict[str, Any] = {"title": content["title"], "lead": _network_lead(content)}
        return {**head, "incomplete": None, "notes": [], "facts": _as_facts(facts)}
    return {
        "title": _title(known, len(content["variables"])),
        "lead": _lead(content),
        "incomplete": _incomplete(known),
        "notes": known["notes"],
        "facts": _as_facts(_facts(content)),
    }


Fact = tuple[str, str, str]


def _as_facts(facts: tuple[Fact, ...]) -> list[dict[str, str]]:
    return [{"label": label, "value": value, "under": under} for label, value, under in facts]


def _network_lead(content: Json) -> str:
    sizes = [len(one["states"]) for one in content["variables"]]
    states = f"{min(sizes)}" if len(set(sizes)) == 1 else f"{min(sizes)} to {max(sizes)}"
    variables = counted(len(sizes), "variable")
    return f"A Bayesian network of {variables} with {states} states."


def _network_facts(content: Json) -> tuple[Fact, ...]:
    families = [content["families"][at] for at in content["best"]]
    causes = _with_causes(families)
    roots = sum(not family["parents"] for family in families)
    most = max(len(family["parents"]) for family in families)
    numbers = content["live"]["numbers"] if content["live"] else 0
    with_parents = len(families) - roots
    return (
        ("Variables", count_words(len(families)), f"{count_words(roots)} without parents"),
        ("Arcs", count_words(len(content["arcs"])), f"at most {counted(most, 'parent')} each"),
        (
            "Noisy-ORs" if _only_ors(content, causes) else "Nodes with causes",
            count_words(len(causes)),
            f"of {counted(with_parents, 'node')} with parents",
        ),
        ("Parameters", count_words(numbers), "numbers in tables and causes"),
    )


def _with_causes(families: list[Json]) -> list[Relation]:
    return [one for family in families if (one := relation_named(family["relation"])).causes]


def _only_ors(content: Json, causes: list[Relation]) -> bool:
    binary = all(len(one["states"]) == BINARY for one in content["variables"])
    return binary and all(one.is_noisy_or for one in causes)


def _title(known: Json, variables: int) -> str:
    of_variables = f"of {counted(variables, 'variable')}"
    if known["sampling"] is not None:
        return f"{counted(known['networks'], 'sampled network')} {of_variables}"
    if not known["proven"]:
        return f"{counted(known['networks'], 'network')} found, {of_variables}"
    at_least = "" if known["complete"] else "At least "
    return f"{at_least}{counted(known['networks'], 'credible network')} {of_variables}"


def _lead(content: Json) -> str:
    known = content["set"]
    which = f"within a Bayes factor of {known['bayes_factor']:g} of the best one"
    if known["temperature"] != 1:
        which += f" at temperature {known['temperature']:.4g}"
    from_records = f"Learned from {counted(content['records'], 'record')}"
    if known["sampling"] is not None:
        return f"{from_records}: a sample of the networks {which}, drawn by their weight."
    if not known["complete"]:
        return f"{from_records}: the networks {which} that were found."
    if known["networks"] == 1:
        return f"{from_records}: no other network is {which}."
    return f"{from_records}: all networks {which}."


def _incomplete(known: Json) -> dict[str, Any] | None:
    if known["complete"]:
        return None
    if known["proven"]:
        meaning = "The best network is proven optimal, but not every credible network was found."
    else:
        meaning = (
            "A limit was hit before the best network was proven: the one shown is the best that "
            f"was found. Its distance from the optimum: {gap_words(known)}."
        )
    if known["sampling"] is None:
        meaning += " Shares are shares of the networks found."
    else:
        meaning += " Shares are estimates from a sample, with standard errors."
    return {"meaning": meaning, "shortfalls": known["shortfalls"]}


def _facts(content: Json) -> tuple[Fact, ...]:
    known = content["set"]
    best = [content["families"][at] for at in content["best"]]
    with_parents = sum(bool(family["parents"]) for family in best)
    causes = _with_causes(best)
    arcs = sum(len(family["parents"]) for family in best)
    certain = sum(arc["networks"] == known["networks"] for arc in content["arcs"])
    return (
        (
            "Credible networks" if known["complete"] or known["sampling"] else "Networks found",
            count_words(known["networks"]),
            _which(known),
        ),
        (
            "Best cost",
            f"{known['optimum']:,.2f}",
            "nats, proven optimal" if known["proven"] else "nats, not proven optimal",
        ),
        (
            "Bayes factor",
            f"{known['bayes_factor']:g}",
            f"up to {known['slack']:.2f} nats above the best",
        ),
        (
            "Noisy-ORs in the best"
            if _only_ors(content, causes)
            else "Nodes with causes in the best",
            str(len(causes)),
            f"of {counted(with_parents, 'node')} with parents",
        ),
        (
            "Arcs in the best",
            str(arcs),
            f"{certain} in every {'credible network' if known['complete'] else 'network found'}",
        ),
    )


def _which(known: Json) -> str:
    """Return which of the credible networks are known."""
    if known["sampling"] is not None:
        return f"different ones in {counted(known['sampling']['draws'], 'draw')}"
    return "all of them" if known["complete"] else "there may be others"
