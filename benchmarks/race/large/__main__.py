"""Race noisyor and other programs for good networks of many variables.

    python -m benchmarks.race.large [--quick] [--only KEY ...] [--again] [--cores CORE ...]
                                    [--page-only] [--peers PYTHON]

Each contestant has a process of its own, bound to one core, and processor time as its clock; `make
large` makes the environment of the peers. Results are stored one by one, so that a run may be
stopped at any time and resumed. A KEY is the beginning of a cell's name, for example `cpt-100-0`,
`mixed-200-0/500` or `andes`.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from benchmarks.harness.folders import IMAGES_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.options import parser_of
from benchmarks.harness.pages import page_of, write_page
from benchmarks.race.__main__ import PEERS_PYTHON, is_asked_for
from benchmarks.race.large.cells import Cell, all_cells, quick_cells
from benchmarks.race.large.figures import figures
from benchmarks.race.large.page import section
from benchmarks.race.large.running import contestants_of, key_of, run_cell
from benchmarks.race.large.statistics import RESULTS


def run(
    cells: Sequence[Cell], path: Path, peers: Path, cores: Sequence[int], *, again: bool
) -> None:
    """Run what is not stored yet, a cell at a time on each core."""
    kept, lock = KeptResults(path), Lock()
    free: SimpleQueue[int] = SimpleQueue()
    for core in cores:
        free.put(core)

    def work(cell: Cell) -> None:
        left = [one for one in contestants_of(cell) if again or key_of(cell, one) not in kept]
        core = free.get()
        try:
            for key, result in run_cell(cell, left, peers, core) if left else ():
                with lock:
                    kept.add(key, result)
                costs = [round(one["cost"], 2) for one in result.get("networks", ())]
                said = result.get("nothing_because") or f"{result['seconds']:.2f} s, {costs}"
                print(f"{key}: {said}", flush=True)
        finally:
            free.put(core)

    with ThreadPoolExecutor(len(cores)) as pool:
        for _ in pool.map(work, cells):
            pass


def main() -> None:
    """Run what is missing and write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true", help="some of the cells")
    parser.add_argument("--only", nargs="+", metavar="KEY")
    parser.add_argument("--again", action="store_true", help="also run what is stored")
    parser.add_argument("--cores", nargs="+", type=int, default=[0], metavar="CORE")
    parser.add_argument("--page-only", action="store_true", help="run nothing")
    parser.add_argument("--peers", type=Path, default=PEERS_PYTHON, metavar="PYTHON")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    if not options.page_only:
        if not options.peers.exists():
            sys.exit(
                f"{options.peers} does not exist; 'make large' makes it, or see "
                "benchmarks/race/requirements.txt and name it with --peers PYTHON"
            )
        asked = quick_cells() if options.quick else all_cells()
        cells = [cell for cell in asked if is_asked_for(cell.key, options.only)]
        run(cells, options.results, options.peers, options.cores, again=options.again)
    results = KeptResults(options.results).results()
    write_page(page_of(options.results), IMAGES_FOLDER, results, section, figures)


if __name__ == "__main__":
    main()
