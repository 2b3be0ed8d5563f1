"""Time of learning from tables whose variables have more than two states.

    python -m benchmarks.timings.states [--only NAME ...] [--limit SECONDS] [--jobs N] [--page-only]

Default relations, Bayes factor 20, at most four parents. The tables are samples of the networks
that pgmpy carries, and tables of scikit-learn with numbers in three bins. Each run has a process of
its own: at the limit it returns what it has, at twice the limit it is killed. Results are added to
benchmarks/results/states.json, and the page benchmarks/results/states.md is written from it.
"""

import argparse
import json
import os
import time
from collections import Counter
from importlib import import_module

from benchmarks.harness.example_networks import sampled_states
from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measured_learning import families_by_relation
from benchmarks.harness.measuring import BAYES_FACTOR, Results, add_results, try_apart
from benchmarks.harness.options import parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.resources import peak_mib
from noisyor import Dataset, Knowledge, Learned, learn, read

RESULTS = RESULTS_FOLDER / "states.json"
NETWORKS = {
    "child": ("child", None),
    "insurance": ("insurance", None),
    "alarm-30": ("alarm", 30),
    "hailfinder-30": ("hailfinder", 30),
    "alarm": ("alarm", None),
    "hailfinder": ("hailfinder", None),
}
"""By name, the network that is sampled, and how many of its variables; None for all."""

PACKAGED = ("iris", "diabetes", "wine", "breast_cancer")
TABLES = (*NETWORKS, *PACKAGED)
RECORDS, SEED = 1000, 8
BINS, MAX_PARENTS, RELATIONS = 3, 4, "default"
LIMIT = 120.0

INTRODUCTION = f"""\
## Tables of any states

Made by `make states` (`python -m benchmarks.timings.states`); the figures are in
`benchmarks/results/states.json`. Full tables compete with leaky noisy-ORs, which for a child of
more than two states are leaky noisy-MAXes. Bayes factor {BAYES_FACTOR}, at most {MAX_PARENTS}
parents, a limit of {LIMIT:g} s.

{", ".join(NETWORKS)} are samples of {RECORDS:,} records of those networks in their
original states. The order of a variable's states is that of the file, also where it means nothing.
A number after a name says that only so many variables were sampled, parents before children. The
others are the tables of scikit-learn, features and target together, with every column of numbers in
{BINS} bins of equal shares.

`states` are the fewest and the most of a variable. `<=` marks an optimum that is not proven, `>=`
a count of networks that is not complete. `families` are those given to the search. `best network`
says how many of its nodes with parents have which relation. `total` is the time that passed,
`processor` that of all threads: other programs ran on the machine, which slow the former and hardly
the latter."""

HEADINGS = (
    "data",
    "n",
    "N",
    "states",
    "complete",
    "optimum",
    "networks",
    "families",
    "best network",
    "total, s",
    "processor, s",
    "peak MiB",
)


def dataset_of(name: str) -> Dataset:
    """Return one of the tables."""
    if name in NETWORKS:
        network, variables = NETWORKS[name]
        return read(sampled_states(network, RECORDS, SEED, variables))
    loaded = getattr(import_module("sklearn.datasets"), f"load_{name}")(as_frame=True)
    frame = loaded.frame
    if "target_names" in loaded:  # classes, not numbers
        frame = frame.assign(target=loaded.target_names[loaded.target])
    return read(frame, bins=BINS)


def measure(name: str, limit: float, jobs: int) -> Results:
    """Learn from one table in this process."""
    data = dataset_of(name)
    started, busy = time.monotonic(), time.process_time()
    learned = learn(
        data,
        BAYES_FACTOR,
        relations=RELATIONS,
        constraints=Knowledge(max_parents=MAX_PARENTS),
        jobs=jobs,
        time_limit=limit,
        quiet=True,
    )
    seconds, busy = time.monotonic() - started, time.process_time() - busy
    credible = learned.credible
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "states": [variable.state_count for variable in data.variables],
        "jobs": jobs,
        "limit": limit,
        "method": str(learned.method),
        "optimum": credible.optimum,
        "proven": credible.proven,
        "lower_bound": credible.lower_bound,
        "networks": credible.count,
        "complete": credible.complete,
        "shortfalls": list(credible.shortfalls),
        "families": families_by_relation(learned),
        "best_network": relations_of_best(learned, data),
        "seconds": {**learned.seconds, "elapsed": seconds, "processor": busy},
        "peak_mib": peak_mib(),
    }


def relations_of_best(learned: Learned, data: Dataset) -> Results:
    """Return how many nodes with parents of the best network have each relation."""
    counts = Counter(
        family.relation.name_for(data.variables[family.child].state_count)
        for family in learned.credible.best.families
        if family.parents
    )
    return dict(sorted(counts.items()))


def page(results: Results) -> str:
    """Return the results as a section of the results page."""
    found = {name: results[name] for name in TABLES if name in results}
    remarks = [f"- {name}: {text}" for name, one in found.items() for text in remarks_of(one)]
    rows = table(HEADINGS, (row(name, one) for name, one in found.items()))
    return "\n\n".join([INTRODUCTION, rows, *(["\n".join(remarks)] if remarks else [])]) + "\n"


def row(name: str, one: Results) -> list[str]:
    """Return a table's cells."""
    if "nothing_because" in one:
        return [name, *["-"] * (len(HEADINGS) - 1)]
    states, seconds = one["states"], one["seconds"]
    return [
        name,
        str(one["variables"]),
        f"{one['records']:,}",
        f"{min(states)} to {max(states)}",
        "yes" if one["complete"] else "no",
        f"{'' if one['proven'] else '<= '}{one['optimum']:.4f}",
        f"{'' if one['complete'] else '>= '}{one['networks']:,}",
        "-" if one["families"] is None else f"{sum(one['families'].values()):,}",
        ", ".join(f"{count} {relation}" for relation, count in one["best_network"].items()),
        f"{seconds['elapsed']:.1f}",
        f"{seconds['processor']:.1f}",
        f"{one['peak_mib']:.0f}",
    ]


def remarks_of(one: Results) -> list[str]:
    """Return why a row is incomplete, with the lower bound on the optimum."""
    if "nothing_because" in one:
        return [one["nothing_because"]]
    return [f"{text} ({one['lower_bound']:.4f})" for text in one["shortfalls"]]


def run_and_store(name: str, limit: float, jobs: int) -> None:
    """Measure a table in a new process, store the result and print it."""
    result = try_apart(__spec__.name, [name, str(limit), str(jobs)], 2 * limit)
    add_results(RESULTS, {name: result | {"provenance": provenance()}}, page)
    said = result.get("nothing_because") or (
        f"{result['seconds']['elapsed']:.1f} s, processor {result['seconds']['processor']:.1f} s, "
        f"{result['networks']:,} networks, {'; '.join(result['shortfalls']) or 'complete'}"
    )
    print(f"{name}: {said}", flush=True)


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, limit, jobs = options.measure
        print(json.dumps(measure(name, float(limit), int(jobs))))
        return
    if options.page_only:
        add_results(RESULTS, {}, page)
        return
    for name in options.only:
        run_and_store(name, options.limit, options.jobs)


if __name__ == "__main__":
    main()
