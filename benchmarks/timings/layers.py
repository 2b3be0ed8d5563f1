"""How deep the proofs go within a minute: the most parents for which the best network is proven.

    python -m benchmarks.timings.layers [--only NAME ...] [--limit SECONDS] [--page-only]

The tables are samples of random networks (`random_networks`); the default relations compete. Each
run has a process of its own, one thread, and processor time as its clock, so that other programs on
the machine hardly matter. Results are added to benchmarks/results/layers.json, and the page
benchmarks/results/layers.md is written from it.
"""

import argparse
import json
import tempfile
import time
from itertools import takewhile
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, add_results, try_apart
from benchmarks.harness.options import parser_of
from benchmarks.harness.processor_clock import processor_clock
from benchmarks.harness.provenance import provenance
from benchmarks.harness.random_networks import Kind, network_name, random_network, write_sample
from noisyor import learn
from noisyor.core.layers import Layer, is_useful_bound

RESULTS = RESULTS_FOLDER / "layers.json"
KINDS = (Kind.TABLES, Kind.MIXED, Kind.LEAKY)
GOALS = {60: 3, 100: 2}
"""The most parents that are to be proven within the limit, by the number of variables."""

INSTANCES = 2
NAMES = tuple(
    network_name(kind, variables, instance)
    for variables in GOALS
    for kind in KINDS
    for instance in range(INSTANCES)
)
RECORDS, SEED, LIMIT = 1000, 0, 60.0
KILLED_AFTER = 10  # limits: on a busy machine a second of processor time takes several

INTRODUCTION = f"""\
# How deep the proofs go

Made by `python -m benchmarks.timings.layers`; the figures are in `layers.json`. Samples of
{RECORDS:,} records of random networks (`random_networks.py`), default relations, one thread, a
limit of {LIMIT:g} s of processor time, which includes the climbs at the beginning and at the end.

`proven` is the most parents at each node for which the best network is proven; `goal` is the
project's target. `next layer` is what is left open there: the best network found costs at most so
many nats more than the best one.
"""
HEADINGS = (
    "network",
    "n",
    "goal",
    "proven",
    "its optimum",
    "next layer, nats open",
    "processor, s",
)


def measure(name: str, limit: float) -> Results:
    """Learn from the sample of one network in this process."""
    network = random_network(name)
    with tempfile.TemporaryDirectory() as folder, processor_clock():
        path = write_sample(network, RECORDS, SEED, Path(folder) / "sample.csv")
        started = time.process_time()
        learned = learn(path, method="layers", jobs=1, time_limit=limit, quiet=True)
        seconds = time.process_time() - started
    return {
        "variables": len(network.names),
        "limit": limit,
        "layers": [_as_result(layer) for layer in learned.credible.layers],
        "complete": learned.complete,
        "processor": seconds,
    }


def _as_result(layer: Layer) -> Results:
    return {
        "max_parents": layer.max_parents,
        "optimum": layer.optimum,
        "lower_bound": layer.lower_bound,
        "proven": layer.proven,
    }


def page(results: Results) -> str:
    """Return the results as a page."""
    found = {name: results[name] for name in NAMES if name in results}
    rows = table(HEADINGS, (_row(name, one) for name, one in found.items()))
    met = sum(_depth(one) >= GOALS[one["variables"]] for one in found.values() if "layers" in one)
    return "\n".join([INTRODUCTION, rows, "", f"{met} of {len(found)} meet the goal.", ""])


def _row(name: str, one: Results) -> list[str]:
    if "nothing_because" in one:
        return [name, *["-"] * (len(HEADINGS) - 2), one["nothing_because"]]
    proven = _proven(one)
    return [
        name,
        str(one["variables"]),
        str(GOALS[one["variables"]]),
        "all" if one["complete"] else str(_depth(one)),
        f"{proven[-1]['optimum']:.4f}" if proven else "-",
        _left_open(one["layers"][len(proven) :]),
        f"{one['processor']:.1f}",
    ]


def _proven(one: Results) -> list[Results]:
    return list(takewhile(lambda layer: layer["proven"], one["layers"]))


def _depth(one: Results) -> int:
    proven = _proven(one)
    return int(proven[-1]["max_parents"]) if proven else 0


def _left_open(further: list[Results]) -> str:
    """Return the gap of the first layer that is not proven, if its bound says something."""
    if not further:
        return "-"
    optimum, bound = further[0]["optimum"], further[0]["lower_bound"]
    return f"{optimum - bound:.2f}" if is_useful_bound(bound, optimum) else "no useful bound"


def run_and_store(name: str, limit: float) -> None:
    """Measure a network in a new process, store the result and print it."""
    result = try_apart(__spec__.name, [name, str(limit)], KILLED_AFTER * limit)
    add_results(RESULTS, {name: result | {"provenance": provenance()}}, page)
    print(" | ".join(_row(name, result)), flush=True)


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        name, limit = options.measure
        print(json.dumps(measure(name, float(limit))))
        return
    if options.page_only:
        add_results(RESULTS, {}, page)
        return
    for name in options.only:
        run_and_store(name, options.limit)


if __name__ == "__main__":
    main()
