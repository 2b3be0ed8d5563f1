"""Compare on real data how well networks predict held-out records, by ten-fold cross-validation.

    python -m benchmarks.heldout [--only DATASET ...] [--datasets FOLDER] [--peers PYTHON]
                                 [--page-only]

Learns from nine tenths of the records with several sets of relations and predicts the rest, beside
a greedy search of pyAgrum and logistic regressions; benchmarks.heldout.plan has the data sets and
the ways. Results are in benchmarks/results/heldout.jsonl; stored jobs are not run again. The page
docs/results/heldout.md and its figure in docs/images/results are written from them. Without the
Python of the other programs (see benchmarks/race/requirements.txt), pyAgrum is left out.
"""

import argparse
import sys
from contextlib import closing
from pathlib import Path

from benchmarks.harness.apart import Answer, Failure, Nothing, outcomes
from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.harness.pages import write_page
from benchmarks.heldout.figures import figures
from benchmarks.heldout.measuring import measure
from benchmarks.heldout.page import section
from benchmarks.heldout.plan import DATASETS, GREEDY, LIMIT, RESULTS, jobs

PAGE = PAGES_FOLDER / "heldout.md"
HARD_SECONDS = 4 * LIMIT  # after which a job is killed


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=DATASETS, default=list(DATASETS))
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--page-only", action="store_true")
    add_datasets(parser)
    options = parser.parse_args()
    kept = KeptResults(RESULTS)
    if not options.page_only:
        run_missing(kept, options)
    write_page(PAGE, IMAGES_FOLDER, kept.results(), section, figures)


def run_missing(kept: KeptResults, options: argparse.Namespace) -> None:
    """Run the jobs that have no result yet, one at a time."""
    missing = [
        job
        for job in jobs(options.only)
        if job.key not in kept and (options.peers is not None or job.way != GREEDY)
    ]
    tasks = [(job.key, (job, options.datasets, options.peers)) for job in missing]
    failures = []
    try:
        with closing(outcomes(measure, tasks, workers=1, seconds=HARD_SECONDS)) as ended:
            for number, (key, outcome) in enumerate(ended, start=1):
                match outcome:
                    case Failure(text):
                        failures.append(f"{key}: {text}")
                    case Nothing(because):
                        kept.add(key, {"nothing_because": because})
                    case Answer(result):
                        kept.add(key, result)
                print(f"{number}/{len(missing)} {key}", flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped; finished jobs are stored, and the same command resumes with the rest")
    if failures:
        raise RuntimeError("\n".join([f"{len(failures)} jobs failed", *failures]))


if __name__ == "__main__":
    main()
