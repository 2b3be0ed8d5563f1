"""Recovery of noisy-OR parameters: the paper's Table 1 with three fitters.

    python -m benchmarks.paper.table1 [--parents K ...] [--records N ...] [--tests 30 1000]
                                [--paper FOLDER] [--page-only]

Single noisy-ORs of 2 to 7 parents, which are present with a chance of 0.5 each; q's drawn uniformly
from 0.01, 0.02, ..., 0.99; 100, 500 and 1,000 records; 30 tests of each size as in the paper, and
1,000 for less sampling error. Results are added to benchmarks/results/table1.jsonl, a
line for each size, and stored sizes are not run again;
docs/results/table1.md and its figure in docs/images/results are written from them.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

from benchmarks.harness.folders import IMAGES_FOLDER, PAPER_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import page_of, write_page
from benchmarks.paper.table1.cells import draw, fitted, undetermined
from benchmarks.paper.table1.figure import figures
from benchmarks.paper.table1.measures import PAPERS_TESTS, summary
from benchmarks.paper.table1.page import section
from benchmarks.paper.table1.published import published_figures
from benchmarks.paper.table1.readings import FITTERS, recovery
from benchmarks.paper.table1.stored import RESULTS

PAPER_FILE = "table1_recovery.csv"
PARENTS = (2, 3, 4, 5, 6, 7)
RECORDS = (100, 500, 1000)
TESTS = (PAPERS_TESTS, 1000)


def paper_figures(folder: Path) -> Results:
    """Return the paper's table, from `measure/parents/records` to its two columns."""
    path = folder / PAPER_FILE
    if not path.exists():
        sys.exit(
            f"{path} does not exist: put the paper's Table 1 there as {PAPER_FILE} (columns "
            "parents, measure, n100_kl, n100_em, n500_kl, ...), or name its folder with --paper"
        )
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        f"{row['measure']}/{row['parents']}/{records}": {
            "kl": float(row[f"n{records}_kl"]),
            "em": float(row[f"n{records}_em"]),
        }
        for row in rows
        for records in RECORDS
    }


def cell_key(parents: int, records: int, tests: int) -> str:
    """Return the key under which the results of a size are kept."""
    return f"{parents}/{records}/{tests}"


def measure(parents: int, records: int, tests: int) -> Results:
    """Draw the tests of one size, fit them, and return what the tables need."""
    cell = draw(parents, records, tests)
    datasets = cell.datasets()
    fits = {name: fitted(datasets, name) for name in FITTERS}
    named = {
        f"{measure}/{name}": values
        for name, one in fits.items()
        for measure, values in recovery(cell.truth, one).items()
    }
    named |= published_figures(cell, fits)
    return {
        "parents": parents,
        "records": records,
        "tests": tests,
        "measures": {name: summary(values, seed=parents) for name, values in named.items()},
        "infinite": {name: int((named[f"kl/{name}"] == float("inf")).sum()) for name in FITTERS},
        "undetermined": int(undetermined(cell, fits["newton"].q).sum()),
        "zeros": int((fits["newton"].q == 0).any(axis=1).sum()),
        "ones": int((fits["newton"].q == 1).any(axis=1).sum()),
        "fitters": {
            name: {
                "worst_excess": float(f"{(one.costs - fits['newton'].costs).max():.3g}"),
                "worst_gap": float(f"{(one.costs - one.lower_bounds).max():.3g}"),
                "converged": int(one.converged.sum()),
                "most_iterations": int(one.iterations.max()),
            }
            for name, one in fits.items()
        },
    }


def main() -> None:
    """Make what is missing and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--parents", nargs="+", type=int, choices=PARENTS, default=PARENTS)
    parser.add_argument("--records", nargs="+", type=int, choices=RECORDS, default=RECORDS)
    parser.add_argument("--tests", nargs="+", type=int, choices=TESTS, default=TESTS)
    parser.add_argument("--paper", type=Path, default=PAPER_FOLDER)
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    kept = KeptResults(RESULTS)
    if not options.page_only:
        run_missing(kept, options)
    if not kept.results():
        sys.exit(f"there are no results in {RESULTS.name} yet: run it without --page-only")
    write_page(page_of(RESULTS), IMAGES_FOLDER, kept.results(), section, figures)


def run_missing(kept: KeptResults, options: argparse.Namespace) -> None:
    """Measure the sizes asked for that are not kept yet."""
    if "paper" not in kept:
        kept.add("paper", paper_figures(options.paper))
    for tests in options.tests:
        for parents in options.parents:
            for records in options.records:
                key = cell_key(parents, records, tests)
                if key in kept:
                    continue
                started = time.perf_counter()
                kept.add(key, measure(parents, records, tests))
                print(f"{key}: {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    main()
