"""The section on the run: it shows whatever the content has, and requires nothing."""

from collections.abc import Iterator, Mapping
from typing import Any

from noisyor.core.relations import all_relations
from noisyor.reporting.relation_style import relation_words
from noisyor.reporting.setting_words import (
    REPEATED,
    count_label,
    setting_label,
    setting_value,
)
from noisyor.reporting.words import count_words, value_words

Fact = dict[str, str]
Json = Mapping[str, Any]

_GROUPING = {"relations", "by_relation"}  # keys that only hold one key per relation
_ELSEWHERE = {  # shown in the head of the page, in its picture and tables, or with the set below
    "best",
    "bootstrap",
    "columns_left_out",
    "edges",
    "layers",
    "shortfalls",
    "notes",
    "networks",
    "complete",
    "proven",
    "optimum",
    "lower_bound",
    "bayes_factor",
    "temperature",
    "slack",
    "seconds",
    "families",
}


def run_section(run: Json, known: Json) -> dict[str, Any]:
    """Return the parts of the section from the content's `run` and `set`."""
    seconds, families = run.get("seconds"), run.get("families")
    settings = run.get("settings")
    known_settings = settings if isinstance(settings, Mapping) else {}
    skipped = _ELSEWHERE | (REPEATED | {"settings"} if known_settings else set())
    rest = {key: value for key, value in run.items() if key not in skipped and value != []}
    missing = rest.pop("missing", None)
    if missing is not None and not isinstance(missing, Mapping):
        rest["missing"], missing = missing, None
    memory = {key: rest.pop(key) for key in [*rest] if key.startswith("memory")}
    odd = (("seconds", seconds), ("families", families))
    rest |= {key: one for key, one in odd if one is not None and not isinstance(one, Mapping)}
    return {
        "facts": _proof(known),
        "seconds": _seconds(seconds) if isinstance(seconds, Mapping) else [],
        "memory": _facts(memory),
        "families": _families(families if isinstance(families, Mapping) else {}),
        "settings": [
            {"label": setting_label(key), "value": setting_value(key, value)}
            for key, value in known_settings.items()
        ],
        "missing": None if missing is None else _missing(missing),
        "rest": _facts(rest),
    }


def label_words(path: tuple[str, ...]) -> str:
    """Return the words of a key: underscores become spaces, and `mib` becomes (MiB)."""
    words = ": ".join(key.replace("_", " ") for key in path)
    words = words.replace(" mib", " (MiB)")
    return words[:1].upper() + words[1:]


def gap_words(known: Json) -> str:
    """Return the proven gap between the best network and the optimum."""
    if known["proven"]:
        return "none: proven optimal"
    if known["lower_bound"] is None:
        return "not known"
    return f"at most {known['optimum'] - known['lower_bound']:,.2f} nats"


def _proof(known: Json) -> list[Fact]:
    bound, most = known["lower_bound"], known["most"]
    facts = {
        "Cost of the best network": f"{known['optimum']:,.4f} nats",
        "Proven lower bound": "none" if bound is None else f"{bound:,.4f} nats",
        "Gap": gap_words(known),
        "Credible networks": count_words(known["networks"])
        + ("" if known["complete"] else " found; there may be more"),
        **_sample_facts(known["sampling"]),
        "At most": None if most is None else count_words(most),
        "Bayes factor": value_words(known["bayes_factor"]),
        "Temperature": None
        if known["temperature"] == 1
        else f"{known['temperature']:.4g}: costs are divided by it",
        "Slack": f"{known['slack']:.4f} nats",
        "What counts as a network": "graphs"
        if known["labels"] == "best"
        else "graphs with relations",
    }
    return [{"label": key, "value": value} for key, value in facts.items() if value is not None]


def _sample_facts(sampling: Json | None) -> dict[str, str]:
    if sampling is None:
        return {}
    r_hat = sampling["r_hat"]
    return {
        "Sample": f"{count_words(sampling['draws'])} draws of {sampling['chains']} Markov chains",
        "Effective draws": f"at least {sampling['effective']:,.0f}",
        "R-hat (near 1 if the chains agree)": "not known" if r_hat is None else f"{r_hat:.3f}",
    }


def _seconds(seconds: Json) -> list[dict[str, Any]]:
    """Return the steps with their share of the whole, the total last."""
    steps = {
        key: float(value)
        for key, value in seconds.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    total = max([steps.get("total", 0.0), sum(v for k, v in steps.items() if k != "total")])
    ordered = sorted(steps, key=lambda key: key == "total")
    return [
        {
            "label": label_words((key,)),
            "value": _duration(steps[key]),
            "share": min(1.0, max(0.0, steps[key] / total)) if total else 0.0,
        }
        for key in ordered
    ]


def _duration(seconds: float) -> str:
    if seconds < 60:  # noqa: PLR2004  (a minute)
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes / 60:.1f} h"  # noqa: PLR2004


def _families(families: Json) -> dict[str, Any]:
    """Return a table with a column per relation; a number without a relation covers all."""
    names = [relation.name for relation in all_relations()]
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for path, value in _leaves(families):
        relation = next((key for key in path if key in names), "all")
        row = tuple(key for key in path if key != relation and key not in _GROUPING)
        cells.setdefault(row, {})[relation] = value_words(value)
    used = {relation for row in cells.values() for relation in row}
    columns = [name for name in (*names, "all") if name in used]
    return {
        "columns": [relation_words(name) if name in names else name for name in columns],
        "rows": [
            {"label": label_words(row), "values": [cells[row].get(one, "") for one in columns]}
            for row in cells
        ],
    }


def _missing(missing: Json) -> dict[str, Any]:
    """Return what was done about missing cells, with a table of steps for each start of EM."""
    starts = missing.get("starts")
    listed = [one for one in starts if isinstance(one, Mapping)] if isinstance(starts, list) else []
    facts = {key: value for key, value in missing.items() if key != "starts"}
    return {
        "facts": _facts(facts),
        "starts": [_start(number, one) for number, one in enumerate(listed, 1)],
    }


def _start(number: int, start: Json) -> dict[str, Any]:
    said = start.get("steps")
    steps = [one for one in said if isinstance(one, Mapping)] if isinstance(said, list) else []
    columns = list(steps[0]) if steps else []
    return {
        "title": f"Start {number}, from {start.get('begins_with')}: {start.get('ended')}, "
        f"{value_words(start.get('observed_cost'))} nats on the observed cells, "
        f"{value_words(start.get('different_arcs'))} arcs unlike the best",
        "columns": ["Step", *(label_words((key,)) for key in columns)],
        "rows": [
            [str(step), *(value_words(one.get(key)) for key in columns)]
            for step, one in enumerate(steps, 1)
        ],
    }


def _facts(values: Json) -> list[Fact]:
    return [
        {"label": count_label(path) or label_words(path), "value": value_words(value)}
        for path, value in _leaves(values)
    ]


def _leaves(value: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, one in value.items():
        if isinstance(one, Mapping):
            yield from _leaves(one, (*path, key))
        else:
            yield (*path, key), one
