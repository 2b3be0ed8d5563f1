"""Time and memory of the search, on the paper's sixteen data sets.

    python -m benchmarks.timings.search [--scores FOLDER] [--only NAME ...] [--relations cpt both]
                                [--limit SECONDS] [--jobs N] [--no-score] [--datasets FOLDER]
    python -m benchmarks.timings.search --listing NAME [--relations cpt both] ...

The folder of scores (by default benchmarks/scores) holds a file per data set and choice of
relations, NAME.cpt.parquet and NAME.both.parquet, as `noisyor score NAME.csv -o FILE --relations
...` writes them for a Bayes factor of 20. A missing one is scored first, unless --no-score is
given, and counts as absent if that does not end within the limit. Each search runs in a separate
process: at the limit it returns its incumbent, at twice the limit it is killed. --listing
measures how fast the members of one data set are listed instead. Results are added to
benchmarks/results/search.json, and the tables in benchmarks/results/search.md are written from it.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import (
    BAYES_FACTOR,
    RELATIONS,
    Results,
    add_results,
    dataset_file,
    goal_by_dataset,
    nothing_because,
    read_dataset,
    stored_results,
    try_apart,
)
from benchmarks.harness.options import add_run_options, parser_of
from benchmarks.harness.resources import peak_mib
from noisyor.core import ScoreTable
from noisyor.formats import read_scores, write_scores
from noisyor.scoring import score
from noisyor.search import search

RESULTS = RESULTS_FOLDER / "search.json"
SCORES_FOLDER = RESULTS_FOLDER.parent / "scores"
GOAL_SECONDS = goal_by_dataset(
    {
        0.5: ("zoo", "nltcs", "adult", "msnbc", "letter", "hepatitis"),
        2: ("parkinsons", "autos", "horse"),
        5: ("flag",),
        120: ("soybean", "alarm", "bands", "wdbc", "sensors", "spectf"),
    }
)
DATASETS = tuple(GOAL_SECONDS)
LISTING_SECONDS = 20
STEPS = ("load", "bounds", "optimum", "members", "total")
TITLES = {"both": "Full tables and noisy-ORs", "cpt": "Full tables only"}
HEADINGS = (
    "data",
    "n",
    "optimum",
    "LP bound",
    "gap",
    "rounds",
    "cuts",
    "families given",
    "reduced",
    "used",
    "subsets",
    "nodes",
    "members",
    *(f"{step}, s" for step in STEPS),
    "goal, s",
    "peak MiB",
)
INTRODUCTION = """\
# Searching all sixteen data sets

Bayes factor 20; made by `python -m benchmarks.timings.search`; the figures are in `search.json`,
with the version and the machine of each row. Costs are in nats. An optimum with `<=` is the best
network found, not proven to be optimal; `>=` members are known, and there may be more. `gap` is
from the LP bound to that network; with few variables there are no rounds, and the bound is each
variable's best family. Families are those given to the search, those left after the LP bound, and
those of some member. `total` is from opening the score file to the result; it includes preparation,
which is not one of the steps. `goal` is the project's target for the total with both relations."""


def score_file(folder: Path, name: str, relations: str) -> Path:
    """Return the score file of a data set."""
    return folder / f"{name}.{relations}.parquet"


def write_missing_scores(data_file: Path, path: Path, limit: float, jobs: int) -> Results:
    """Score a data set in this process; write the file if the table is complete."""
    relations = path.name.split(".")[1]
    scored = score(
        read_dataset(data_file),
        BAYES_FACTOR,
        relations=RELATIONS[relations],
        jobs=jobs,
        time_limit=limit,
    )
    shortfalls = scored.table.scope.shortfalls
    if not shortfalls:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_scores(scored.table, path)
    return {"shortfalls": shortfalls}


def load(path: Path) -> ScoreTable:
    """Return the table in a score file, checked against its name."""
    table = read_scores(path)
    scope = table.scope
    relations = [relation.name for relation in scope.relations or ()]
    if scope.bayes_factor is None or scope.bayes_factor.value != BAYES_FACTOR:
        sys.exit(f"{path.name} was not scored for a Bayes factor of {BAYES_FACTOR}")
    if sorted(relations) != sorted(RELATIONS[path.name.split(".")[1]]):
        sys.exit(f"{path.name} has the relations {relations}, unlike its name")
    return table


def measure(path: Path, limit: float, jobs: int) -> Results:
    """Search one score file in this process."""
    started = time.perf_counter()
    table = load(path)
    loaded = time.perf_counter()
    searched = search(table, BAYES_FACTOR, jobs=jobs, time_limit=limit)
    ended = time.perf_counter()
    credible, statistics = searched.credible, searched.statistics
    return {
        "variables": len(table.names),
        "jobs": jobs,
        "limit": limit,
        "optimum": credible.optimum,
        "proven": credible.proven,
        "lower_bound": credible.lower_bound,
        "lp_bound": statistics.lower_bound,
        "lp_gap": statistics.lp_gap,
        "lp_rounds": statistics.lp_rounds,
        "cuts": statistics.cuts,
        "families": {
            "given": statistics.families_given,
            "reduced": statistics.families_reduced,
            "used": statistics.families_used,
        },
        "subsets": statistics.subsets,
        "nodes": statistics.nodes,
        "members": credible.count,
        "members_at_most": credible.count if credible.complete else credible.most,
        "seconds": {"load": loaded - started, **statistics.seconds, "total": ended - started},
        "peak_mib": peak_mib(),
        "complete": credible.complete,
        "shortfalls": credible.shortfalls,
    }


def measure_listing(path: Path, limit: float, jobs: int) -> Results:
    """List members of one score file in this process, for some seconds at most.

    Returns elapsed time and processor time of all threads, which gives the rate per core.
    """
    credible = search(load(path), BAYES_FACTOR, jobs=jobs, time_limit=limit).credible
    if not credible.proven:
        sys.exit(f"{path.name}: nothing to list, since {'; '.join(credible.shortfalls)}")
    listed, whole = 0, True
    started, cpu_started = time.perf_counter(), time.process_time()
    for batch in credible.members.stream():
        listed += len(batch.costs)
        if time.perf_counter() - started > LISTING_SECONDS:
            whole = False
            break
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return {
        "variables": len(credible.names),
        "members": credible.count,
        "complete": credible.complete,
        "listed": listed,
        "listed_all": whole,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "members_per_second": listed / seconds,
        "members_per_cpu_second": listed / cpu_seconds,
        "peak_mib": peak_mib(),
    }


def run_apart(kind: str, paths: list[Path], options: argparse.Namespace) -> Results:
    """Return the result of one of the above in a new process, or why there is none."""
    arguments = [kind, str(options.limit), str(options.jobs), *map(str, paths)]
    timeout = 2 * options.limit + (LISTING_SECONDS if kind == "listing" else 0)
    return try_apart(__spec__.name, arguments, timeout)


def scores_or_reason(name: str, relations: str, options: argparse.Namespace) -> Path | Results:
    """Return the score file of a data set, made if need be, or why there is none."""
    path = score_file(options.scores, name, relations)
    if path.exists():
        return path
    if options.no_score:
        return nothing_because("there is no score file")
    print(f"{name} {relations}: scoring, since {path.name} is missing", flush=True)
    scored = run_apart("scoring", [dataset_file(options.datasets, name), path], options)
    if path.exists():
        return path
    if "nothing_because" in scored:
        return scored
    return nothing_because(f"there is no score file: {'; '.join(scored['shortfalls'])}")


def page(results: Results) -> str:
    """Return the results as a page."""
    lines = [INTRODUCTION]
    for relations, title in TITLES.items():
        rows = {name: results.get(f"{name}/{relations}") for name in DATASETS}
        lines += [
            "",
            f"## {title}",
            "",
            table(HEADINGS, (row(name, one) for name, one in rows.items() if one is not None)),
        ]
        texts = [f"- {name}: {text}" for name, one in rows.items() for text in remarks(one)]
        lines += ["", *texts] if texts else []
    lines += listing_lines(results)
    return "\n".join(lines) + "\n"


def row(name: str, one: Results) -> list[str]:
    """Return a data set's cells of the table."""
    if "nothing_because" in one:
        return [name, *["-"] * (len(HEADINGS) - 3), f"{GOAL_SECONDS[name]:g}", "-"]
    seconds = one["seconds"]
    return [
        name,
        str(one["variables"]),
        f"{'' if one['proven'] else '<= '}{one['optimum']:.4f}",
        f"{one['lp_bound']:.4f}",
        f"{one['lp_gap']:.4f}",
        *(f"{one[key]:,}" for key in ("lp_rounds", "cuts")),
        *(f"{one['families'][key]:,}" for key in ("given", "reduced", "used")),
        *(f"{one[key]:,}" for key in ("subsets", "nodes")),
        f"{'' if one['complete'] else '>= '}{count_text(one['members'])}",
        *(f"{seconds[step]:.2f}" if step in seconds else "-" for step in STEPS),
        f"{GOAL_SECONDS[name]:g}",
        f"{one['peak_mib']:.0f}",
    ]


def count_text(count: int) -> str:
    """Return a count, to the last digit if it is legible; the file of results has all digits."""
    return f"{count:,}" if count < 10**12 else f"{count:.4e}"


def remarks(one: dict[str, Any] | None) -> list[str]:
    """Return why a row is incomplete."""
    if one is None:
        return []
    return [one["nothing_because"]] if "nothing_because" in one else one["shortfalls"]


def listing_lines(results: Results) -> list[str]:
    """Return the rates at which members were listed."""
    found = {
        f"{name}, {relations}": results[f"listing/{name}/{relations}"]
        for name in DATASETS
        for relations in TITLES
        if f"listing/{name}/{relations}" in results
    }
    if not found:
        return []
    return [
        "",
        "## Listing members",
        "",
        f"One stream over the members, for {LISTING_SECONDS} s at most: in elapsed time, and in",
        "processor time of the thread that lists and the one that reads together.",
        "",
        "| data | n | members | listed | s | members/s | members/s of a core |",
        "|---|--:|--:|--:|--:|--:|--:|",
        *(
            f"| {name} | {one['variables']} | {'' if one['complete'] else '>= '}"
            f"{count_text(one['members'])} | {one['listed']:,} | {one['seconds']:.2f} | "
            f"{one['members_per_second']:,.0f} | {one['members_per_cpu_second']:,.0f} |"
            for name, one in found.items()
        ),
    ]


def summary(result: Results) -> str:
    """Return a run in a line."""
    if "nothing_because" in result:
        return str(result["nothing_because"])
    if "listed" in result:
        return f"{result['listed']:,} listed, {result['members_per_second']:,.0f} a second"
    ending = "complete" if result["complete"] else "; ".join(result["shortfalls"])
    return (
        f"{result['seconds']['total']:.2f} s, optimum {result['optimum']:.4f}, "
        f"{count_text(result['members'])} members, {ending}"
    )


def options_given() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = parser_of(__doc__)
    parser.add_argument("--scores", type=Path, default=SCORES_FOLDER)
    add_run_options(parser, DATASETS, 120.0)
    parser.add_argument("--relations", nargs="+", choices=RELATIONS, default=tuple(RELATIONS))
    parser.add_argument("--listing", choices=DATASETS, metavar="NAME")
    parser.add_argument("--no-score", action="store_true")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_here(kind: str, limit: float, jobs: int, paths: list[Path]) -> Results:
    """Return the measurement that this process was started for."""
    if kind == "scoring":
        data_file, path = paths
        return write_missing_scores(data_file, path, limit, jobs)
    (path,) = paths
    return {"search": measure, "listing": measure_listing}[kind](path, limit, jobs)


def main() -> None:
    """Measure what was asked for and write the results."""
    options = options_given()
    if options.measure:
        kind, limit, jobs, *paths = options.measure
        print(json.dumps(measure_here(kind, float(limit), int(jobs), [Path(one) for one in paths])))
        return
    kind, prefix = ("listing", "listing/") if options.listing else ("search", "")
    failed = False
    for name in [options.listing] if options.listing else options.only:
        for relations in options.relations:
            scores = scores_or_reason(name, relations, options)
            absent = isinstance(scores, dict)
            result = scores if isinstance(scores, dict) else run_apart(kind, [scores], options)
            print(f"{name} {relations}: {summary(result)}", flush=True)
            failed = failed or "status" in result
            key = f"{prefix}{name}/{relations}"
            if absent and key in stored_results(RESULTS):
                print(f"{name} {relations}: the earlier measurement is kept", flush=True)
            elif not (options.listing and "nothing_because" in result):
                add_results(RESULTS, {key: result}, page)
    if failed:
        sys.exit("not all runs ended as they should; their errors are above")


if __name__ == "__main__":
    main()
