"""Study whether allowing noisy-ORs pays, and what the credible set's weights are worth.

    python -m benchmarks.study [--only PART ...] [--workers W] [--limit SECONDS]
                               [--networks FOLDER] [--page-only]

Learns from samples of the seven ground-truth networks and of random ones (random_networks.py),
with full tables and noisy-ORs and with full tables alone; study_plan.py says how often. A part
is a kind of random networks with a number of variables (mixed-16) or a network (alarm). Results
are kept in benchmarks/results/study.jsonl and, of ground-truth networks, in learning_jobs.jsonl,
which table3.py shares. What is there is not run again. The page benchmarks/results/study.md and
its figures in docs/images/results are written from them.
"""

import argparse
from pathlib import Path

from benchmarks.harness.folders import IMAGES_FOLDER, NETWORKS_FOLDER, RESULTS_FOLDER
from benchmarks.harness.learning_jobs import LIMIT, run, truths
from benchmarks.harness.learning_jobs import RESULTS as TRUTH_RESULTS
from benchmarks.harness.random_networks import random_network
from benchmarks.study.figures import figures
from benchmarks.study.page import section
from benchmarks.study.plan import RANDOM_RESULTS, choices, random_jobs, stored_study, true_jobs
from noisyor.files.whole import write_whole

PAGE = RESULTS_FOLDER / "study.md"

__all__ = ["figures", "section", "stored_study"]


def write_page() -> None:
    """Write the page and the figures from what is stored."""
    results = stored_study()
    IMAGES_FOLDER.mkdir(parents=True, exist_ok=True)
    figures(results, IMAGES_FOLDER)
    write_whole({PAGE: section(results, images="../../docs/images/results").encode()})


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=choices(), default=list(choices()))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--networks", type=Path, default=NETWORKS_FOLDER)
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    if not options.page_only:
        known = true_jobs(options.only)
        if known:
            truth_of = truths(options.networks).__getitem__
            run(known, truth_of, TRUTH_RESULTS, options.workers, options.limit)
        run(
            random_jobs(options.only),
            random_network,
            RANDOM_RESULTS,
            options.workers,
            options.limit,
        )
    write_page()


if __name__ == "__main__":
    main()
