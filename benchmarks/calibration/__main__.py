"""Measure whether weights are calibrated: how often an arc of a given weight is true.

    python -m benchmarks.calibration [--only PART ...] [--workers W] [--limit SECONDS]
                                     [--networks FOLDER] [--page-only]

Learns from samples of random networks and of small ground-truth networks, whose arcs are known, and
compares ten kinds of weights with them: of credible sets by BIC and by EBIC, at temperature 1 and
at the one that `noisyor calibrate` finds, and from resampled tables. benchmarks.calibration.plan
has the numbers. A part is a kind of random networks (mixed) or a network (asia). Results are in
benchmarks/results/calibration.jsonl; stored jobs are not run again. The page
docs/results/calibration.md and its figure in docs/images/results are written from them.
"""

from benchmarks.calibration.figures import figures
from benchmarks.calibration.measuring import measure
from benchmarks.calibration.page import section
from benchmarks.calibration.plan import RESULTS, choices, jobs, stored_jobs
from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.learning_jobs import add_job_options, run, truths
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page
from benchmarks.harness.random_networks import is_random, random_network

PAGE = PAGES_FOLDER / "calibration.md"


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=choices(), default=list(choices()))
    add_job_options(parser)
    options = parser.parse_args()
    if not options.page_only:
        chosen = jobs(options.only)
        known = {} if all(is_random(job.network) for job in chosen) else truths(options.networks)
        run(
            chosen,
            lambda name: random_network(name) if is_random(name) else known[name],
            RESULTS,
            options.workers,
            options.limit,
            measured_by=measure,
            most_runs=12,
        )
    write_page(PAGE, IMAGES_FOLDER, stored_jobs(), section, figures)


if __name__ == "__main__":
    main()
