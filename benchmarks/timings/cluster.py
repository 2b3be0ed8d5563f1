"""Time scoring and counting on a cluster, compared with threads in one process.

    python -m benchmarks.timings.cluster [--only NAME ...] [--workers N] [--datasets FOLDER]

The cluster is one of processes on this machine, of one thread each, so that both use the same
processors: the difference is the cost of communication. Results are added to
benchmarks/results/cluster.json, and the table in cluster.md is written from it.
"""

import time
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import (
    BAYES_FACTOR,
    RELATIONS,
    Results,
    add_results,
    dataset_file,
    read_dataset,
)
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.harness.resources import machine
from noisyor import __version__
from noisyor.cluster import cluster_at
from noisyor.core import Dataset
from noisyor.scoring import score
from noisyor.search import search

RESULTS = RESULTS_FOLDER / "cluster.json"
CASES = {"hepatitis": "cpt", "soybean": "cpt", "parkinsons": "both"}
INTRODUCTION = """\
# On a cluster

Made by `python -m benchmarks.timings.cluster`; the figures are in `cluster.json`. The cluster is
one of processes on the machine itself, each with one thread, as many as the other row has threads.
`score` is the table of all families; `count` is the step of the search that counts the credible
networks. Tables and counts are the same (the benchmark fails if they are not).

| data | relations | networks | where | score (s) | count (s) |
|---|---|---:|---|---:|---:|"""


def measure(
    data: Dataset,
    relations: tuple[str, ...],
    jobs: int | None,
    where: AbstractContextManager[None],
) -> tuple[Results, object]:
    """Return the times and the result of a run in the context `where`."""
    with where:
        began = time.monotonic()
        table = score(data, BAYES_FACTOR, relations=relations, jobs=jobs).table
        scored = time.monotonic() - began
        searched = search(table, BAYES_FACTOR, jobs=jobs)
    credible = searched.credible
    seconds = {"score": scored, "count": searched.statistics.seconds["members"]}
    found = (table, credible.count, credible.families)
    return {"seconds": seconds, "networks": credible.count, "complete": credible.complete}, found


def run(data: Dataset, relations: str, workers: int) -> Results:
    """Return the times of threads and of the cluster."""
    local_cluster = import_module("distributed").LocalCluster
    here, found = measure(data, RELATIONS[relations], workers, nullcontext())
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with local_cluster(n_workers=workers, **options) as cluster:
        there, also = measure(
            data, RELATIONS[relations], None, cluster_at(cluster.scheduler_address)
        )
    if found != also:
        raise SystemExit("the results of the cluster differ")
    return {"relations": relations, "workers": workers, "here": here, "cluster": there}


def page(results: Results) -> str:
    """Return the results as Markdown."""
    lines = [INTRODUCTION]
    for name, result in results.items():
        for where, said in (("here", "threads"), ("cluster", "workers")):
            seconds = result[where]["seconds"]
            lines.append(
                f"| {name} | {result['relations']} | {result[where]['networks']:,} | "
                f"{result['workers']} {said} | {seconds['score']:.1f} | {seconds['count']:.1f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for name in options.only:
        data = read_dataset(dataset_file(options.datasets, name))
        result = run(data, CASES[name], options.workers)
        result |= {"version": __version__, "machine": machine()}
        add_results(RESULTS, {name: result}, page)
        print(f"{name}: {result}", flush=True)


if __name__ == "__main__":
    main()
