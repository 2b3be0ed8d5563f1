"""Inference error of learned networks against the truth: the paper's table 3 over many samples.

    python -m benchmarks.paper.table3 [--only NAME ...] [--sizes N ...] [--repeats COUNT]
                                      [--workers W] [--limit SECONDS] [--networks FOLDER]
                                      [--page-only]

From each of the seven ground-truth networks 100, 500 and 1,000 records are drawn, 3 to 50 times
over, and learned from as benchmarks.harness.learning_jobs describes. Results are added to
benchmarks/results/learning_jobs.jsonl; stored jobs are not run again. Some are asked again as the
paper's script does it, into benchmarks/results/crossed.jsonl. The page docs/results/table3.md and
its figure in docs/images/results are written from all of them.
"""

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.learning_jobs import RESULTS, Job, add_job_options, run, truths
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page
from benchmarks.paper.table3.cells import REPEATS, SIZES
from benchmarks.paper.table3.crossed import RESULTS as CROSSED
from benchmarks.paper.table3.crossed import run_crossed, stored
from benchmarks.paper.table3.figure import figures
from benchmarks.paper.table3.page import section

PAGE = PAGES_FOLDER / "table3.md"


def jobs_of(networks: list[str], sizes: list[int], repeats: int | None) -> list[Job]:
    """Return the jobs of the table, all networks' first repeats before their second ones.

    So a run that is cut off has a table of fewer repeats. Without `repeats`, each network has its
    default number.
    """
    counts = {name: REPEATS[name] if repeats is None else repeats for name in networks}
    return [
        Job(name, size, repeat)
        for repeat in range(max(counts.values()))
        for name in networks
        for size in sizes
        if repeat < counts[name]
    ]


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(REPEATS), default=list(REPEATS))
    parser.add_argument("--sizes", nargs="+", type=int, choices=SIZES, default=list(SIZES))
    parser.add_argument(
        "--repeats", type=int, help="repeats of each network, instead of its default"
    )
    add_job_options(parser)
    options = parser.parse_args()
    if not options.page_only:
        known = truths(options.networks)
        run(
            jobs_of(options.only, options.sizes, options.repeats),
            known.__getitem__,
            RESULTS,
            options.workers,
            options.limit,
        )
        run_crossed(known, options.workers, options.limit)
    write_page(PAGE, IMAGES_FOLDER, stored(RESULTS, CROSSED), section, figures)


if __name__ == "__main__":
    main()
