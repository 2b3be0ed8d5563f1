"""Learn from samples of random networks whose causes have leaks, strengths and prevalences.

    python -m benchmarks.grid [--only MODEL ...] [--page-only]

From each sample the best network is learned with several sets of relations and scores, and compared
with the truth; benchmarks.grid.plan has the cells. Results are in benchmarks/results/grid.jsonl;
stored jobs are not run again. The page docs/results/grid.md and its figures in docs/images/results
are written from them. It takes about four minutes of processor time.
"""

from benchmarks.grid.figures import figures
from benchmarks.grid.measuring import measure
from benchmarks.grid.page import section
from benchmarks.grid.plan import RESULTS, Model, jobs
from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import write_page

PAGE = PAGES_FOLDER / "grid.md"


def main() -> None:
    """Run what was asked for and is missing, and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=list(Model), default=list(Model))
    parser.add_argument("--page-only", action="store_true", help="Write from stored results.")
    options = parser.parse_args()
    kept = KeptResults(RESULTS)
    if not options.page_only:
        for job in jobs(options.only):
            if job.key not in kept:
                kept.add(job.key, measure(job))
                print(job.key, flush=True)
    write_page(PAGE, IMAGES_FOLDER, kept.results(), section, figures)


if __name__ == "__main__":
    main()
