"""Learn from the paper's sixteen data sets and compare the results with its table 2.

    python -m benchmarks.paper.table2 [--only NAME ...] [--limit SECONDS] [--jobs N] [--again]
                                [--page-only] [--datasets FOLDER]

Runs the measurement of benchmarks.timings.learn with both relations and with full tables only,
where benchmarks/results/learn.json does not have it yet (--again: also where it does), each in a
process of its own. Then writes docs/results/table2.md and the figures. A run that was
killed at twice its limit is not repeated without --again.
"""

from collections.abc import Iterable

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.harness.measuring import RELATIONS, Results, dataset_file
from benchmarks.harness.options import add_run_options, parser_of
from benchmarks.harness.pages import write_page
from benchmarks.paper.table2.figures import figures
from benchmarks.paper.table2.page import section
from benchmarks.paper.table2.statistics import is_usable, stored
from benchmarks.timings import learn
from benchmarks.timings.learn import run_and_store
from noisyor.runs.learned import Method

PAGE = PAGES_FOLDER / "table2.md"


def missing(learned: Results, names: Iterable[str], *, again: bool) -> list[tuple[str, str]]:
    """Return what is to be run: names and relations."""
    wanted = [(name, relations) for name in names for relations in RELATIONS]
    return [pair for pair in wanted if again or not _is_done(learned.get(_key(*pair)))]


def _key(name: str, relations: str) -> str:
    return learn.key(name, Method.AUTO, relations)


def _is_done(result: Results | None) -> bool:
    return is_usable(result) or (result is not None and "nothing_because" in result)


def main() -> None:
    """Run what is missing, and write the page."""
    parser = parser_of(__doc__)
    add_run_options(parser, learn.DATASETS, learn.LIMIT)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    options = parser.parse_args()
    if not options.page_only:
        pairs = missing(stored()["learned"], options.only, again=options.again)
        paths = {name: dataset_file(options.datasets, name) for name, _ in pairs}
        for name, relations in pairs:
            run_and_store(paths[name], Method.AUTO, relations, options.limit, options.jobs)
    write_page(PAGE, IMAGES_FOLDER, stored(), section, figures)


if __name__ == "__main__":
    main()
