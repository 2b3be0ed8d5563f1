"""Study whether allowing noisy-ORs pays off and whether the credible set's weights are calibrated.

    python -m benchmarks.study [--only PART ...] [--workers W] [--limit SECONDS]
                               [--networks FOLDER] [--page-only]

Learns from samples of the seven ground-truth networks and of random ones
(benchmarks.harness.random_networks), with full tables and noisy-ORs and with full tables alone;
benchmarks.study.plan has the numbers. A part is a kind of random networks with a number of
variables (mixed-16) or a network (alarm). Results are in benchmarks/results/study.jsonl and, of
ground-truth networks, in learning_jobs.jsonl, which table 3 shares. Stored jobs are not run again.
The page docs/results/study.md and its figures in docs/images/results are written from them.
"""

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.learning_jobs import RESULTS as TRUTH_RESULTS
from benchmarks.harness.learning_jobs import add_job_options, run, truths
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page
from benchmarks.harness.random_networks import random_network
from benchmarks.study.figures import figures
from benchmarks.study.page import section
from benchmarks.study.plan import RANDOM_RESULTS, choices, random_jobs, stored_study, true_jobs

PAGE = PAGES_FOLDER / "study.md"


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=choices(), default=list(choices()))
    add_job_options(parser)
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
    write_page(PAGE, IMAGES_FOLDER, stored_study(), section, figures)


if __name__ == "__main__":
    main()
