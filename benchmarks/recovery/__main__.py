"""Learn from samples of networks of 20 to 200 variables, and compare with the truth.

    python -m benchmarks.recovery [--only VARIABLES ...] [--workers W] [--limit SECONDS]
                                  [--page-only]

Full tables and leaky noisy-ORs compete; benchmarks.recovery.plan has the numbers. Results are in
benchmarks/results/recovery.jsonl; stored jobs are not run again, unless the limit is longer and the
proof was cut off. The page docs/results/recovery.md and its figure in docs/images/results are
written from them.
"""

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.learning_jobs import run
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page
from benchmarks.harness.random_networks import random_network
from benchmarks.recovery.figure import figures
from benchmarks.recovery.measuring import measure
from benchmarks.recovery.page import section
from benchmarks.recovery.plan import LIMIT, RESULTS, VARIABLES, jobs, stored_jobs

PAGE = PAGES_FOLDER / "recovery.md"
BUSY = 10  # how many times as long as its processor time a run may last on a busy machine


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", type=int, choices=VARIABLES, default=list(VARIABLES))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    if not options.page_only:
        run(
            jobs(options.only),
            random_network,
            RESULTS,
            options.workers,
            options.limit,
            measured_by=measure,
            most_runs=BUSY,
        )
    write_page(PAGE, IMAGES_FOLDER, stored_jobs(), section, figures)


if __name__ == "__main__":
    main()
