"""Time and memory of learning all credible networks, on the paper's sixteen data sets.

    python -m benchmarks.timings.learn [--only NAME ...] [--method auto table price]
                               [--relations both cpt] [--limit SECONDS] [--jobs N]
                               [--datasets FOLDER]

Bayes factor 20, full tables and noisy-ORs (both) or full tables only (cpt). Each data set runs in
a process of its own: at the limit it returns what it has, at twice the limit it is
killed. Results are added to benchmarks/results/learn.json, and the tables in
benchmarks/results/learn.md are written from it.
benchmarks.paper.table2 compares some of these results with the paper's.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measured_learning import measure
from benchmarks.harness.measuring import (
    RELATIONS,
    Results,
    add_results,
    dataset_file,
    goal_by_dataset,
    try_apart,
)
from benchmarks.harness.options import add_run_options, parser_of
from benchmarks.harness.provenance import provenance
from noisyor.runs.learned import Method

RESULTS = RESULTS_FOLDER / "learn.json"
GOAL_SECONDS = goal_by_dataset(
    {
        3: ("zoo", "nltcs", "adult", "msnbc", "hepatitis"),
        15: ("letter", "parkinsons", "autos", "horse", "flag"),
        300: ("soybean", "alarm", "bands", "spectf", "wdbc", "sensors"),
    }
)
DATASETS = tuple(GOAL_SECONDS)
LIMIT = 600.0
STEPS = {
    "load": ("load",),
    "scoring": ("scoring", "seed"),
    "bounds": ("bounds",),
    "pricing": ("pricing", "collecting"),
    "branching": ("branching",),
    "optimum": ("optimum",),
    "members": ("members",),
}
HEADINGS = (
    "data",
    "n",
    "N",
    "method",
    "optimum",
    "LP gap",
    "gap",
    "rounds",
    "cuts",
    "branches",
    "fits",
    "remembered",
    "families",
    "subsets",
    "members",
    *(f"{step}, s" for step in STEPS),
    "total, s",
    "goal, s",
    "peak MiB",
)
TITLES = {
    (Method.AUTO, "both"): "As `noisyor learn` does it",
    (Method.AUTO, "cpt"): "The same with full tables only",
    (Method.PRICE, "both"): "All by price",
    (Method.PRICE, "cpt"): "All by price, full tables only",
    (Method.TABLE, "both"): "All by table",
    (Method.TABLE, "cpt"): "All by table, full tables only",
}
INTRODUCTION = """\
# Learning from all sixteen data sets

Bayes factor 20, full tables and noisy-ORs unless a heading says otherwise; made by
`python -m benchmarks.timings.learn`; the figures are in `learn.json`, with the version and the
machine of each row. Costs are in nats. An optimum with `<=` is the best network found, not proven
to be optimal; `>=` members are known, and there may be more. `LP gap` is the gap of the linear
program, `gap` the gap that is left for collecting families after branching. `fits` are noisy-OR
fits, of families and to bound subtrees; `remembered` are those cached by an earlier round.
`families` are those given to the search: all of a table, or those collected by price. `total` is
from opening the file to the result; `goal` is the project's target for both relations."""


def key(name: str, method: str = Method.AUTO, relations: str = "both") -> str:
    """Return the key of a stored result."""
    return f"{name}/{method}" if relations == "both" else f"{name}/{method}/{relations}"


def page(results: Results) -> str:
    """Return the results as a page."""
    lines = [INTRODUCTION]
    for (method, relations), title in TITLES.items():
        rows = {name: results.get(key(name, method, relations)) for name in DATASETS}
        found = {name: one for name, one in rows.items() if one is not None}
        if not found:
            continue
        lines += [
            "",
            f"## {title}",
            "",
            table(HEADINGS, (row(name, one) for name, one in found.items())),
        ]
        whole = [one for one in found.values() if one.get("complete")]
        if len(found) == len(DATASETS):
            seconds = sum(one["seconds"]["total"] for one in whole)
            lines += ["", f"{len(whole)} of {len(DATASETS)} complete, in {seconds:.0f} s together."]
        texts = [f"- {name}: {text}" for name, one in found.items() for text in remarks(one)]
        lines += ["", *texts] if texts else []
    return "\n".join(lines) + "\n"


def row(name: str, one: Results) -> list[str]:
    """Return a data set's cells of the table."""
    goal = f"{GOAL_SECONDS[name]:g}"
    if "nothing_because" in one:
        return [name, *["-"] * (len(HEADINGS) - 3), goal, "-"]
    search, pricing, seconds = one["search"], one["pricing"], one["seconds"]
    return [
        name,
        str(one["variables"]),
        f"{one['records']:,}",
        one["method"],
        f"{'' if one['proven'] else '<= '}{one['optimum']:.4f}",
        f"{(pricing or search)['lp_gap']:.4f}",
        "-" if pricing is None else f"{pricing['gap']:.4f}",
        "-" if pricing is None else f"{pricing['rounds']:,}",
        f"{(pricing or search)['cuts']:,}",
        "-" if pricing is None else f"{pricing['branches']:,}",
        f"{one['fits']['made']:,}",
        f"{one['fits']['remembered']:,}",
        f"{families_of(search, pricing):,}",
        "-" if search is None else f"{search['subsets']:,}",
        f"{'' if one['complete'] else '>= '}{one['members']:,}",
        *(step_text(seconds, parts) for parts in STEPS.values()),
        f"{seconds['total']:.2f}",
        goal,
        f"{one['peak_mib']:.0f}",
    ]


def families_of(search: dict[str, Any] | None, pricing: dict[str, Any] | None) -> int:
    """Return how many families the search was given, or had when the time was up."""
    if search is not None:
        return int(search["families_given"])
    return int(pricing["families_collected"]) if pricing is not None else 0


def step_text(seconds: dict[str, float], parts: tuple[str, ...]) -> str:
    """Return the seconds of some steps together."""
    known = [seconds[part] for part in parts if part in seconds]
    return f"{sum(known):.2f}" if known else "-"


def remarks(one: dict[str, Any]) -> list[str]:
    """Return why a row is incomplete."""
    return [one["nothing_because"]] if "nothing_because" in one else one["shortfalls"]


def run_apart(path: Path, method: str, relations: str, limit: float, jobs: int) -> Results:
    """Return the result of `measure` in a new process, or why it failed."""
    arguments = [str(path), method, relations, str(limit), str(jobs)]
    return try_apart(__spec__.name, arguments, 2 * limit) | {"provenance": provenance()}


def run_and_store(path: Path, method: str, relations: str, limit: float, jobs: int) -> Results:
    """Measure a data set in a new process, store and print the result, and return all results."""
    result = run_apart(path, method, relations, limit, jobs)
    name = key(path.stem, method, relations)
    print(f"{name}: {outcome(result)}", flush=True)
    return add_results(RESULTS, {name: result}, page)


def outcome(result: Results) -> str:
    """Return a one-line summary of a run."""
    if "nothing_because" in result:
        return str(result["nothing_because"])
    return (
        f"{result['seconds']['total']:.2f} s, optimum {result['optimum']:.4f}, "
        f"{result['members']:,} members, {'; '.join(result['shortfalls']) or 'complete'}"
    )


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    add_run_options(parser, DATASETS, LIMIT)
    parser.add_argument("--method", nargs="+", choices=list(Method), default=[Method.AUTO])
    parser.add_argument("--relations", nargs="+", choices=list(RELATIONS), default=["both"])
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path, method, relations, limit, jobs = options.measure
        print(json.dumps(measure(Path(path), method, relations, float(limit), int(jobs))))
        return
    for name in options.only:
        for method in options.method:
            for relations in options.relations:
                path = dataset_file(options.datasets, name)
                run_and_store(path, method, relations, options.limit, options.jobs)


if __name__ == "__main__":
    main()
