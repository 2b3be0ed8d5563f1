"""Time of the search on score tables of any programs: the proof of the optimum and the members.

    python -m benchmarks.timings.score_tables FOLDER [--factors 3 20] [--limit SECONDS] [--csv FILE]

Every .jkl, .pss and .parquet file of the folder is searched, once for each Bayes factor, in a
process of its own with one thread. A line per search goes to standard output, and to a CSV file:
processor time in seconds (that of the machine's clock depends on what else it does), rounds and
cuts of the linear program, the gap that these leave, branches and subsets.
"""

import argparse
import csv
import json
import sys
import time
from pathlib import Path

from benchmarks.harness.measuring import Results, try_apart
from benchmarks.harness.options import parser_of
from noisyor.formats import read_scores
from noisyor.search import search

SUFFIXES = (".jkl", ".pss", ".parquet")
COLUMNS = (
    "table",
    "variables",
    "families",
    "factor",
    "cpu_seconds",
    "optimum",
    "lower_bound",
    "members",
    "complete",
    "gap",
    "rounds",
    "cuts",
    "branch_nodes",
    "subsets",
    "version",
    "machine",
    "nothing_because",
)


def measure(path: Path, factor: float, limit: float) -> Results:
    """Search a table in this process."""
    table = read_scores(path)
    started = time.process_time()
    searched = search(table, factor, jobs=1, time_limit=limit)
    seconds = time.process_time() - started
    credible, statistics = searched.credible, searched.statistics
    return {
        "variables": len(table.names),
        "families": len(table),
        "cpu_seconds": round(seconds, 2),
        "optimum": round(credible.optimum, 4),
        "lower_bound": round(credible.lower_bound, 4),
        "members": credible.count,
        "complete": credible.complete,
        "gap": round(statistics.lp_gap, 4),
        "rounds": statistics.lp_rounds,
        "cuts": statistics.cuts,
        "branch_nodes": statistics.branch_nodes,
        "subsets": statistics.subsets,
    }


def tables_in(folder: Path) -> list[Path]:
    """Return the score tables of a folder; exit if there are none."""
    found = sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES)
    if not found:
        sys.exit(f"{folder}: no score table here; one ends in {', '.join(SUFFIXES)}")
    return found


def main() -> None:
    """Search every table with every factor, and print a line for each."""
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--factors", nargs="+", type=float, default=[3.0, 20.0])
    parser.add_argument("--limit", type=float, default=600.0)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--measure", type=float, metavar="FACTOR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(options.folder, options.measure, options.limit)))
        return
    rows: list[Results] = []
    for path in tables_in(options.folder):
        for factor in options.factors:
            arguments = [str(factor), str(path), "--limit", str(options.limit)]
            found = try_apart(__spec__.name, arguments, 3 * options.limit)
            rows.append({"table": path.stem, "factor": factor, **found})
            print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    if options.csv is not None:
        with options.csv.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    if any("status" in row for row in rows):
        sys.exit("not all searches ended as they should; their errors are above")


if __name__ == "__main__":
    main()
