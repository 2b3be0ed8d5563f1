"""Time of learning with all relations, on the paper's sixteen data sets.

    python -m benchmarks.timings.all_relations [--only NAME ...] [--relations NAME ...]
                               [--limit SECONDS] [--jobs N] [--datasets FOLDER] [--page-only]

Bayes factor 20, no limit on parents. `--relations` names what competes: `all`, or one relation
besides full tables, which shows what that relation costs. Each run has a process of its own: at
the limit it returns what it has, at twice the limit it is killed. Results are added to
benchmarks/results/all_relations.json, and the page benchmarks/results/all_relations.md is written
from it.
"""

import argparse
import json
import time
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measured_learning import families_by_relation, fits_of
from benchmarks.harness.measuring import (
    BAYES_FACTOR,
    Results,
    add_results,
    dataset_file,
    goal_by_dataset,
    read_dataset,
    try_apart,
)
from benchmarks.harness.options import add_run_options, parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.resources import peak_mib
from noisyor import Learned, learn
from noisyor.core.relations import CPT, all_relations
from noisyor.runs.work import TableWork

RESULTS = RESULTS_FOLDER / "all_relations.json"
GOAL_SECONDS = goal_by_dataset(
    {
        10: ("zoo", "nltcs", "adult", "hepatitis"),
        120: ("parkinsons", "autos", "horse", "flag"),
    }
)
WITHOUT_GOAL = ("msnbc", "letter", "soybean", "alarm", "bands", "spectf", "wdbc", "sensors")
DATASETS = (*GOAL_SECONDS, *WITHOUT_GOAL)
EVERY = "all"
ALONE = tuple(str(relation) for relation in all_relations() if relation is not CPT)
LIMIT = 150.0
SCORING_STEPS = ("scoring", "seed", "pricing", "collecting")

INTRODUCTION = """\
# Learning with all relations

Bayes factor {factor}, no limit on parents; made by `python -m benchmarks.timings.all_relations`.
The figures are in `all_relations.json`, with the version and the machine of each row. Costs are in
nats. An optimum with `<=` is the best network found, not proven to be optimal; `>=` members are
known, and there may be more. `total` is the time that passed, `processor` the processor time of all
threads: other programs ran on the machine, which slow the former and hardly the latter. `fits` are
fits of families and to bound subtrees. `families` are those given to the search. `goal` is the
project's target for the total."""

BY_RELATION = """\
## Fits and families by relation

In the runs above; a cell is fits / families given to the search. Learning by price does not tell
the fits of relations apart, and shows families only."""

ALONE_TEXT = """\
## Seconds by relation

Processor time of learning with full tables and one relation besides; `>` marks what the limit cut
off."""

HEADINGS = (
    "data",
    "n",
    "N",
    "method",
    "optimum",
    "members",
    "fits",
    "families",
    "scoring, s",
    "total, s",
    "processor, s",
    "limit, s",
    "goal, s",
    "peak MiB",
)


def measure(path: Path, relations: str, limit: float, jobs: int) -> Results:
    """Learn from one data set in this process."""
    data = read_dataset(path)
    competing = EVERY if relations == EVERY else (CPT.name, relations)
    started, busy = time.monotonic(), time.process_time()
    learned = learn(
        data, BAYES_FACTOR, relations=competing, jobs=jobs, time_limit=limit, quiet=True
    )
    seconds, busy = time.monotonic() - started, time.process_time() - busy
    credible = learned.credible
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "jobs": jobs,
        "limit": limit,
        "method": str(learned.method),
        "optimum": credible.optimum,
        "proven": credible.proven,
        "lower_bound": credible.lower_bound,
        "members": credible.count,
        "complete": credible.complete,
        "shortfalls": list(credible.shortfalls),
        "fits": fits_of(learned)["made"],
        "fits_by_relation": fits_by_relation(learned),
        "families": families_by_relation(learned),
        "seconds": {**learned.seconds, "elapsed": seconds, "processor": busy},
        "peak_mib": peak_mib(),
    }


def fits_by_relation(learned: Learned) -> Results | None:
    """Return how many fits each relation took; learning by price does not tell them apart."""
    if not isinstance(learned.work, TableWork):
        return None
    relations = learned.work.scoring.relations.items()
    return {str(one): n.evaluated + n.bounds for one, n in relations if not one.closed_form}


def key(name: str, relations: str = EVERY) -> str:
    """Return the key of a stored result."""
    return f"{name}/{relations}"


def page(results: Results) -> str:
    """Return the results as a page."""
    found = {name: results[key(name)] for name in DATASETS if key(name) in results}
    lines = [
        INTRODUCTION.format(factor=BAYES_FACTOR),
        table(HEADINGS, (row(name, one) for name, one in found.items())),
        "\n".join(f"- {name}: {text}" for name, one in found.items() for text in remarks(one)),
        BY_RELATION,
        table(
            ("data", CPT.name, *ALONE),
            (
                [name, *(work_text(one, relation) for relation in (CPT.name, *ALONE))]
                for name, one in found.items()
                if "nothing_because" not in one
            ),
        ),
        ALONE_TEXT,
        table(
            ("data", *ALONE),
            (
                [name, *(alone_text(results.get(key(name, relation))) for relation in ALONE)]
                for name in DATASETS
                if any(key(name, relation) in results for relation in ALONE)
            ),
        ),
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def row(name: str, one: Results) -> list[str]:
    """Return a data set's cells of the first table."""
    goal = f"{GOAL_SECONDS[name]:g}" if name in GOAL_SECONDS else "-"
    if "nothing_because" in one:
        return [name, *["-"] * (len(HEADINGS) - 3), goal, "-"]
    seconds = one["seconds"]
    return [
        name,
        str(one["variables"]),
        f"{one['records']:,}",
        one["method"],
        f"{'' if one['proven'] else '<= '}{one['optimum']:.4f}",
        f"{'' if one['complete'] else '>= '}{one['members']:,}",
        f"{one['fits']:,}",
        "-" if one["families"] is None else f"{sum(one['families'].values()):,}",
        f"{sum(seconds.get(step, 0.0) for step in SCORING_STEPS):.1f}",
        f"{seconds['elapsed']:.1f}",
        f"{seconds['processor']:.1f}",
        f"{one['limit']:g}",
        goal,
        f"{one['peak_mib']:.0f}",
    ]


def remarks(one: Results) -> list[str]:
    """Return why a row is incomplete."""
    return [one["nothing_because"]] if "nothing_because" in one else one["shortfalls"]


def work_text(one: Results, relation: str) -> str:
    """Return the fits of a relation and its families."""
    families = "-" if one["families"] is None else f"{one['families'].get(relation, 0):,}"
    fits = (one["fits_by_relation"] or {}).get(relation)
    return families if fits is None else f"{fits:,} / {families}"


def alone_text(one: Results | None) -> str:
    """Return the processor time of a run with one relation."""
    if one is None or "nothing_because" in one:
        return "-"
    return f"{'' if one['complete'] else '> '}{one['seconds']['processor']:.1f}"


def run_and_store(path: Path, relations: str, limit: float, jobs: int) -> None:
    """Measure a data set in a new process, store the result and print it."""
    arguments = [str(path), relations, str(limit), str(jobs)]
    result = try_apart(__spec__.name, arguments, 2 * limit) | {"provenance": provenance()}
    add_results(RESULTS, {key(path.stem, relations): result}, page)
    said = result.get("nothing_because") or (
        f"{result['seconds']['elapsed']:.1f} s, processor {result['seconds']['processor']:.1f} s, "
        f"{result['members']:,} members, {'; '.join(result['shortfalls']) or 'complete'}"
    )
    print(f"{key(path.stem, relations)}: {said}", flush=True)


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    add_run_options(parser, DATASETS, LIMIT)
    parser.add_argument("--relations", nargs="+", choices=(EVERY, *ALONE), default=[EVERY])
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        path, relations, limit, jobs = options.measure
        print(json.dumps(measure(Path(path), relations, float(limit), int(jobs))))
        return
    if options.page_only:
        add_results(RESULTS, {}, page)
        return
    for name in options.only:
        for relations in options.relations:
            path = dataset_file(options.datasets, name)
            run_and_store(path, relations, options.limit, options.jobs)


if __name__ == "__main__":
    main()
