"""How long it takes from records to all credible networks, on the paper's sixteen data sets.

    python benchmarks/learn.py [--only NAME ...] [--method auto table price] [--limit SECONDS]
                               [--jobs N] [--datasets FOLDER]

Bayes factor 20, full tables and noisy-ORs. Each data set runs in a process of its own: after the
limit it is to end with what it has, after twice the limit it is killed. Results are added to
benchmarks/results/learn.json, and the tables in benchmarks/results/learn.md are written from it.
"""

import argparse
import json
import os
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measuring import (
    BAYES_FACTOR,
    DATASETS_FOLDER,
    RELATIONS,
    RESULTS_FOLDER,
    Results,
    add_results,
    dataset_file,
    goal_by_dataset,
    measure_apart,
    peak_mib,
    read_dataset,
)
from noisyor.core import CPT
from noisyor.learned import Learned, Method
from noisyor.pipeline import learn

RESULTS = RESULTS_FOLDER / "learn.json"
GOAL_SECONDS = goal_by_dataset(
    {
        3: ("zoo", "nltcs", "adult", "msnbc", "hepatitis"),
        15: ("letter", "parkinsons", "autos", "horse", "flag"),
        300: ("soybean", "alarm", "bands", "spectf", "wdbc", "sensors"),
    }
)
DATASETS = tuple(GOAL_SECONDS)
STEPS = {
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
    Method.AUTO: "As `noisyor learn` does it",
    Method.PRICE: "All by price",
    Method.TABLE: "All by table",
}
INTRODUCTION = """\
# Learning from all sixteen data sets

Bayes factor 20, full tables and noisy-ORs; made by `python benchmarks/learn.py`; the figures are in
`learn.json`, with the version and the machine of each row. Costs are in nats. An optimum with `<=`
is the best network found, not proven to be optimal; `>=` members are known, and there may be more.
`LP gap` is what the linear program leaves open, `gap` what is left for collecting families after
branching. `fits` are noisy-ORs fitted, of families and to bound subtrees; `remembered` those that
an earlier round had answered. `families` are those given to the search: all of a table, or those
collected by price. `total` is from opening the file to the result; `goal` is what the project
aims at."""


def measure(path: Path, method: str, limit: float, jobs: int) -> Results:
    """Learn from one data set in this process."""
    started = time.perf_counter()
    data = read_dataset(path)
    learned = learn(
        data, BAYES_FACTOR, relations=RELATIONS["both"], method=method, jobs=jobs, time_limit=limit
    )
    credible, search = learned.credible, learned.search
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "jobs": jobs,
        "limit": limit,
        "method": str(learned.method),
        "optimum": credible.optimum,
        "proven": credible.proven,
        "lower_bound": credible.lower_bound,
        "search": None if search is None else asdict(search),
        "pricing": None if learned.pricing is None else asdict(learned.pricing),
        "source": None if learned.source is None else asdict(learned.source),
        "fits": fits_of(learned),
        "members": credible.count,
        "complete": credible.complete,
        "shortfalls": credible.shortfalls,
        "seconds": dict(learned.seconds) | {"total": time.perf_counter() - started},
        "peak_mib": peak_mib(),
    }


def fits_of(learned: Learned) -> Results:
    """Return how many noisy-ORs were fitted, and how many fits an earlier round had answered."""
    if learned.source is not None:
        return {"made": learned.source.fits, "remembered": learned.source.remembered}
    if learned.scoring is None:
        return {"made": 0, "remembered": 0}
    parts = [one for relation, one in learned.scoring.relations.items() if relation is not CPT]
    return {"made": sum(one.evaluated + one.bounds for one in parts), "remembered": 0}


def page(results: Results) -> str:
    """Return the results as a page."""
    lines = [INTRODUCTION]
    for method, title in TITLES.items():
        rows = {name: results.get(f"{name}/{method}") for name in DATASETS}
        found = {name: one for name, one in rows.items() if one is not None}
        if not found:
            continue
        lines += [
            "",
            f"## {title}",
            "",
            f"| {' | '.join(HEADINGS)} |",
            f"|---|{'--:|' * (len(HEADINGS) - 1)}",
            *(row(name, one) for name, one in found.items()),
        ]
        whole = [one for one in found.values() if one.get("complete")]
        if len(found) == len(DATASETS):
            seconds = sum(one["seconds"]["total"] for one in whole)
            lines += ["", f"{len(whole)} of {len(DATASETS)} complete, in {seconds:.0f} s together."]
        texts = [f"- {name}: {text}" for name, one in found.items() for text in remarks(one)]
        lines += ["", *texts] if texts else []
    return "\n".join(lines) + "\n"


def row(name: str, one: dict[str, Any]) -> str:
    """Return a data set's line of the table."""
    goal = f"{GOAL_SECONDS[name]:g}"
    if "nothing_because" in one:
        return f"| {' | '.join([name, *['-'] * (len(HEADINGS) - 3), goal, '-'])} |"
    search, pricing, seconds = one["search"], one["pricing"], one["seconds"]
    cells = [
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
    return f"| {' | '.join(cells)} |"


def families_of(search: dict[str, Any] | None, pricing: dict[str, Any] | None) -> int:
    """Return how many families the search was given, or there were when the time was up."""
    if search is not None:
        return int(search["families_given"])
    return int(pricing["families_collected"]) if pricing is not None else 0


def step_text(seconds: dict[str, float], parts: tuple[str, ...]) -> str:
    """Return the seconds of some steps together."""
    known = [seconds[part] for part in parts if part in seconds]
    return f"{sum(known):.2f}" if known else "-"


def remarks(one: dict[str, Any]) -> list[str]:
    """Return what a row leaves open."""
    return [one["nothing_because"]] if "nothing_because" in one else one["shortfalls"]


def run_apart(path: Path, method: str, options: argparse.Namespace) -> Results:
    """Return what `measure` gives in a new process, or why it gave nothing."""
    timeout = 2 * options.limit
    try:
        return measure_apart(
            __file__, [str(path), method, str(options.limit), str(options.jobs)], timeout
        )
    except subprocess.TimeoutExpired:
        return {"nothing_because": f"it was killed after {timeout:g} s"}
    except subprocess.CalledProcessError as error:
        return {"nothing_because": f"it failed with exit status {error.returncode}"}


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--datasets", type=Path, default=DATASETS_FOLDER)
    parser.add_argument("--only", nargs="+", choices=DATASETS, default=DATASETS)
    parser.add_argument("--method", nargs="+", choices=list(Method), default=[Method.AUTO])
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path, method, limit, jobs = options.measure
        print(json.dumps(measure(Path(path), method, float(limit), int(jobs))))
        return
    for name in options.only:
        for method in options.method:
            result = run_apart(dataset_file(options.datasets, name), method, options)
            if "nothing_because" in result:
                print(f"{name} {method}: {result['nothing_because']}", flush=True)
            else:
                print(
                    f"{name} {method}: {result['seconds']['total']:.2f} s, optimum "
                    f"{result['optimum']:.4f}, {result['members']:,} members, "
                    f"{'; '.join(result['shortfalls']) or 'complete'}",
                    flush=True,
                )
            add_results(RESULTS, {f"{name}/{method}": result}, page)


if __name__ == "__main__":
    main()
