"""Compare sets of relations on samples of known networks, to choose which compete by default.

    python -m benchmarks.relations [--only PART ...] [--workers W] [--limit SECONDS]
                                   [--networks FOLDER] [--page-only]

Learns the best network of each sample with full tables alone, and with several sets of relations
besides. benchmarks.relations.plan has the sets and the numbers. A part is a kind of random networks
with a number of variables (cpt-12) or a ground-truth network (asia). Results are in
benchmarks/results/relations.jsonl and relations_added.jsonl; stored jobs are not run again. The
page docs/results/relations.md and its figure in docs/images/results are written from them.
"""

import argparse

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.learning_jobs import Job, add_job_options, run, truths
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page
from benchmarks.harness.random_networks import is_random, random_network
from benchmarks.relations.figure import figures
from benchmarks.relations.measuring import measure, measure_added
from benchmarks.relations.page import section
from benchmarks.relations.plan import (
    ADDED_RESULTS,
    RESULTS,
    SETS,
    choices,
    jobs,
    stored_jobs,
)

PAGE = PAGES_FOLDER / "relations.md"


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=choices(), default=list(choices()))
    add_job_options(parser)
    options = parser.parse_args()
    if not options.page_only:
        run_missing(jobs(options.only), options)
    write_page(PAGE, IMAGES_FOLDER, stored_jobs(), section, figures)


def run_missing(chosen: list[Job], options: argparse.Namespace) -> None:
    """Run the jobs that have no result yet."""
    needed = not all(is_random(job.network) for job in chosen)
    known = truths(options.networks) if needed else {}
    for path, measured_by in ((RESULTS, measure), (ADDED_RESULTS, measure_added)):
        run(
            chosen,
            lambda name: random_network(name) if is_random(name) else known[name],
            path,
            options.workers,
            options.limit,
            measured_by=measured_by,
            most_runs=len(SETS),
        )


if __name__ == "__main__":
    main()
