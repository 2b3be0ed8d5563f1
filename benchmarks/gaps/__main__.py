"""Compare ways to learn from records with gaps, on samples of known networks.

    python -m benchmarks.gaps [--only NETWORK ...] [--page-only]

From each sample, cells are removed at random or by their value; structural EM, leaving out
incomplete records, and filling in each column's most frequent value are compared with learning from
the whole sample. benchmarks.gaps.plan has the numbers. Results are in
benchmarks/results/gaps.jsonl; stored jobs are not run again. The page docs/results/gaps.md, the
figure docs/images/results/gaps-excess.svg and the table of docs/missing-data.md are written from
them.
It takes about five minutes of processor time.
"""

from benchmarks.gaps.figure import draw
from benchmarks.gaps.measuring import measure
from benchmarks.gaps.page import GUIDE, readers_block, section
from benchmarks.gaps.plan import NETWORKS, RESULTS, jobs, truth_of
from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import as_page
from benchmarks.report.page import with_block
from noisyor.files.whole import write_whole

PAGE = PAGES_FOLDER / "gaps.md"


def main() -> None:
    """Run what was asked for and is missing, and write the page, the figure and the table."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--page-only", action="store_true", help="Write from stored results.")
    options = parser.parse_args()
    kept = KeptResults(RESULTS)
    if not options.page_only:
        for job in jobs(options.only):
            if job.key not in kept:
                kept.add(job.key, measure(job, truth_of(job.network)))
                print(job.key, flush=True)
    results = kept.results()
    draw(results, IMAGES_FOLDER)
    guide = with_block(GUIDE.read_text(encoding="utf-8"), readers_block(results))
    write_whole({PAGE: as_page(section(results)).encode(), GUIDE: guide.encode()})


if __name__ == "__main__":
    main()
