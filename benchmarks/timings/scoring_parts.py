"""Extra work of searching a child's parent sets in parts, as on a cluster.

    python -m benchmarks.timings.scoring_parts [--datasets FOLDER] [--children NAME:NUMBER ...]

The threads of one search share their results in memory; a part on a cluster knows only the results
that had come back when it was sent. Each child (the data set, and the number of the column from 1)
is searched as a whole, and in 8 and 32 parts that know nothing of each other, or everything that
earlier parts found: a cluster lies between the two. The table is written to
benchmarks/results/scoring_parts.md. It counts work, so it does not depend on the speed of the
machine. The benchmark also checks that the families are the same to the last bit.
"""

import sys
from dataclasses import replace
from enum import Enum

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import BAYES_FACTOR, RELATIONS, dataset_file, read_dataset
from benchmarks.harness.options import add_datasets, parser_of
from noisyor._kernels import kernels
from noisyor.core import Dataset
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Request
from noisyor.files.whole import write_whole
from noisyor.scoring.child_search import (
    ChildScores,
    ChildSearch,
    SearchPass,
    SearchSettings,
    settings_for,
)
from noisyor.scoring.set_ranges import SetRange
from noisyor.scoring.statistics import ScoringStatistics

RESULTS = RESULTS_FOLDER / "scoring_parts.md"
CHILDREN = ("flag:1", "soybean:4", "soybean:32")
PARTS = (8, 32)


class Told(Enum):
    """What a part knows from the start."""

    NOTHING = "nothing"
    EARLIER = "all before"


def search_in_parts(
    settings: SearchSettings, child: int, count: int, informed: Told
) -> tuple[ChildScores, list[ScoringStatistics]]:
    """Return the families of a child, and the work of each part."""
    search, request = ChildSearch(settings, child), settings.request
    wanted = SearchPass(request.factor.slack, request.relations)
    found: list[FamilyColumns] = []
    work: list[ScoringStatistics] = []
    for set_range in search.all_sets.cut(count):
        joined = (
            FamilyColumns.concatenated(found, found[0].word_count)
            if found and informed is Told.EARLIER
            else None
        )
        search.begin(replace(wanted, sets=set_range, found=joined, fits=False))
        search.work(kernels.Cancellation())
        own, statistics = search.found()
        found.append(own)
        work.append(statistics)
    nothing = SetRange(0, 0)
    search.begin(
        replace(wanted, sets=nothing, found=FamilyColumns.concatenated(found, found[0].word_count))
    )
    search.work(kernels.Cancellation())
    return search.result(work), work


def same(a: ChildScores, b: ChildScores) -> bool:
    """Return whether two results agree to the last bit."""
    return a.columns == b.columns


def rows(name: str, data: Dataset, child: int) -> list[str]:
    """Return the lines of the table for one child."""
    settings = settings_for(Request.of(data, BAYES_FACTOR, relations=RELATIONS["both"]))
    whole, (alone,) = search_in_parts(settings, child, 1, Told.NOTHING)
    lines = []
    for count in PARTS:
        for informed in Told:
            scores, work = search_in_parts(settings, child, count, informed)
            if not same(scores, whole):
                sys.exit(f"{name}: in {count} parts the families of child {child + 1} differ")
            fits = [one.fits.made for one in work]
            lines.append(
                f"| {name} | {child + 1} | {len(whole.columns):,} | {alone.fits.made:,} "
                f"| {count} | {informed.value} | {sum(fits) / alone.fits.made:.2f} | "
                f"{max(fits) / sum(fits):.2f} | {sum(one.kept for one in work):,} |"
            )
    return lines


def page(lines: list[str]) -> str:
    """Return the results as a page."""
    head = [
        "# Children in parts",
        "",
        "Bayes factor 20, full tables and noisy-ORs. Made by",
        "`python -m benchmarks.timings.scoring_parts`.",
        "`fits` are those of the search of all sets in one go, `times` how many times as many the",
        "parts make together, and `largest` the share of one part in these. `found` are what goes",
        "into the last step, which keeps `kept` of them: the same to the last bit each time.",
        "",
        "| data | child | kept | fits | parts | know of | times | largest | found |",
        "|---|--:|--:|--:|--:|---|--:|--:|--:|",
    ]
    return "\n".join([*head, *lines]) + "\n"


def main() -> None:
    """Measure the children asked for, and write the page."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--children", nargs="+", default=list(CHILDREN))
    arguments = parser.parse_args()
    lines = []
    for child in arguments.children:
        name, number = child.split(":")
        data = read_dataset(dataset_file(arguments.datasets, name))
        lines += rows(name, data, int(number) - 1)
        print("\n".join(lines[-len(PARTS) * len(Told) :]), flush=True)
    write_whole({RESULTS: page(lines).encode()})


if __name__ == "__main__":
    main()
