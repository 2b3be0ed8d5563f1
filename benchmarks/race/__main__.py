"""Compare the speed of noisyor and other programs on the same tables and the same machine.

    python -m benchmarks.race [--only KEY ...] [--again] [--page-only] [--datasets FOLDER]
                              [--peers PYTHON]

The peers have a separate environment (benchmarks/race/requirements.txt; `make race` makes it),
called by its Python. Each program has a separate process for each job, killed when a call exceeds
its time limit. A call that takes less than 5 s is repeated 3 times, the programs taking turns. Jobs
already in benchmarks/results/race.json are not run again without --again. A KEY is the beginning of
a job's name, for example `optimum`, `subset/8`, `scoring`, `states`, `variables`, `records`, `bins`
or `factor`.
"""

import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.folders import ROOT
from benchmarks.harness.measuring import Results, add_results, stored_results
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.race.jobs import OWN_LIMIT, RESULTS, Job, all_jobs, sample_families
from benchmarks.race.own import PROGRAMS as OWN_PROGRAMS
from benchmarks.race.own import cost_of
from benchmarks.race.page import section
from benchmarks.race.running import Contestant
from benchmarks.race.timing import Table
from noisyor.core import CPT, Dataset, Family
from noisyor.core.variable_sets import set_of
from noisyor.data import read
from noisyor.fitting import fit

PEERS_PYTHON = ROOT / ".venv-race" / "bin" / "python"
REPEATS, SHORT_SECONDS = 3, 5.0


def run_job(job: Job, before: Results | None, peers: Path) -> Results:
    """Return the result of each program for a job, given the results of the job before it."""
    table = job.table()
    options = dict(job.options)
    if options.pop("sampled", False):
        options["families"] = sample_families(table.shape[1])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.npy")
        np.save(file, table)
        runs = run_in_turns(job, file, options, before, peers)
    data = dataset_of(table)
    return {
        "variables": table.shape[1],
        "records": table.shape[0],
        "states": [int(column.max()) + 1 for column in table.T],
        "distinct": len(data.weights),
        "options": dict(job.options),
        "programs": {name: summary(some, data, options) for name, some in runs.items()},
        "provenance": provenance(),
    }


def run_in_turns(
    job: Job,
    table: Path,
    options: Mapping[str, Any],
    before: Results | None,
    peers: Path,
) -> dict[str, list[Results]]:
    """Return the runs of each program: all of them once, then the short ones again, in turns."""
    runs: dict[str, list[Results]] = {}
    with ExitStack() as stack:
        running: dict[str, Contestant] = {}
        for turn in range(REPEATS):
            for name in job.programs:
                given_up = not_tried(name, before)
                if given_up is not None:
                    runs[name] = [given_up]
                    continue
                if turn == 0:
                    limit = OWN_LIMIT if name in OWN_PROGRAMS else job.peer_limit
                    contestant = Contestant(name, table, options, limit, peers)
                    running[name] = stack.enter_context(contestant)
                    runs[name] = []
                if is_short(runs[name]):
                    runs[name].append(running[name].run())
    return runs


def not_tried(program: str, before: Results | None) -> Results | None:
    """Return why a program is not tried: it failed on a smaller job."""
    earlier = {} if before is None else before["programs"].get(program, {})
    if before is None or "nothing_because" not in earlier or "missing" in earlier:
        return None
    if "gave_up_at" in earlier:
        return dict(earlier)
    at = before["variables"]
    return {
        "nothing_because": f"not tried: with {at} variables {earlier['nothing_because']}",
        "gave_up_at": at,
    }


def is_short(runs: list[Results]) -> bool:
    """Return whether all runs so far succeeded in a short time."""
    return all("seconds" in one and one["seconds"] < SHORT_SECONDS for one in runs)


def summary(runs: list[Results], data: Dataset, options: Mapping[str, Any]) -> Results:
    """Return a summary of a program's runs: times, memory, and the cost of its network."""
    failed = next((one for one in runs if "seconds" not in one), None)
    if failed is not None:
        return failed
    best = min(runs, key=lambda one: float(one["seconds"]))
    found = dict(best["found"])
    kept: Results = {
        "seconds": [round(one["seconds"], 6) for one in runs],
        "busy_seconds": round(best["busy_seconds"], 6),
        "before_mib": round(best["before_mib"], 1),
        "peak_mib": round(max(one["peak_mib"] for one in runs), 1),
        "versions": best["versions"],
    }
    if "arcs" in found:
        arcs = found.pop("arcs")
        kept |= {"arcs": len(arcs), "cost": cost_of(data, arcs)}
    if "costs" in found:
        costs = found.pop("costs")
        own = [
            fit(data, Family(child, set_of(some), CPT)).cost for child, some in options["families"]
        ]
        kept |= {
            "families": len(costs),
            "largest_difference": max(
                abs(one - other) for one, other in zip(costs, own, strict=True) if one is not None
            ),
        }
    return kept | found


def dataset_of(table: Table) -> Dataset:
    """Return a table as a data set whose variables are numbered."""
    return read(table, names=[f"X{place}" for place in range(table.shape[1])])


def is_done(one: Results | None, job: Job) -> bool:
    """Return whether a job has a result of each of its programs, none of them missing."""
    programs = {} if one is None else one["programs"]
    return all(name in programs and "missing" not in programs[name] for name in job.programs)


def is_asked_for(key: str, beginnings: list[str] | None) -> bool:
    """Return whether a job's name begins with one of these, up to a slash; with none, all do."""
    return beginnings is None or any(f"{key}/".startswith(f"{one}/") for one in beginnings)


def main() -> None:
    """Run what is missing and write the page."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--only", nargs="+", metavar="KEY")
    parser.add_argument("--again", action="store_true", help="also run what is stored")
    parser.add_argument("--page-only", action="store_true", help="run nothing")
    parser.add_argument("--peers", type=Path, default=PEERS_PYTHON, metavar="PYTHON")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    jobs = [
        job
        for job in all_jobs(options.datasets)
        if not options.page_only and is_asked_for(job.key, options.only)
    ]
    if jobs and not options.peers.exists():
        sys.exit(
            f"{options.peers} does not exist; 'make race' makes it, or see "
            "benchmarks/race/requirements.txt and name it with --peers PYTHON"
        )
    results = stored_results(options.results)
    for job in jobs:
        if is_done(results.get(job.key), job) and not options.again:
            continue
        one = run_job(job, results.get(job.after or ""), options.peers)
        for name, found in one["programs"].items():
            said = found.get("nothing_because") or f"{min(found['seconds']):.3f} s"
            print(f"{job.key}: {name}: {said}", flush=True)
        results = add_results(options.results, {job.key: one}, section)
    add_results(options.results, {}, section)


if __name__ == "__main__":
    main()
