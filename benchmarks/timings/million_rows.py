"""Score a table of 1,000,000 records and 60 variables in bounded memory.

    python -m benchmarks.timings.million_rows [--records 1000000] [NAME ...]

Two tables are drawn from random noisy-OR networks, with a fixed seed, and written as CSV to a
temporary folder: `sparse`, where a variable is present in few records, so that records repeat,
and `dense`, where nearly all differ. `noisyor score` reads and scores them, each time in a separate
process. Some runs score all children, others a few: a thread has one child at a time, so the peak
is the same and only the time is shorter. Runs with more parents show that the memory does not
depend on the number of families tried.
"""

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, add_results
from benchmarks.harness.options import parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.random_networks import (
    FAILURES,
    Kind,
    network_name,
    random_network,
    write_sample,
)
from benchmarks.timings.stated_memory import off_by, run_command
from noisyor.core import NOISY_OR, Cpt, Distribution, Family, Network, NoisyOr
from noisyor.data import read
from noisyor.scoring.memory import packed_bytes

RESULTS_FILE = RESULTS_FOLDER / "million_rows.json"
RECORDS = 1_000_000
VARIABLES = 60
SEED = 0
TIMEOUT = 3600.0
SPARSE_ROOTS = (0.01, 0.1)
SPARSE_LEAKS = (0.001, 0.02)
SPARSE_EFFECTS = (0.4, 0.95)


@dataclass(frozen=True)
class Run:
    """What is scored: a table, relations, the most parents, and how many of the first children."""

    table: str
    relations: str
    parents: int
    children: int = VARIABLES

    @property
    def name(self) -> str:
        """The key of the run in the results."""
        return f"{self.table}/{self.relations}/{self.parents} parents/{self.children} children"


RUNS = (
    Run("sparse", "cpt", 2),
    Run("dense", "cpt", 1, 4),
    Run("dense", "cpt", 2, 4),
    Run("sparse", "cpt,noisy-or", 2, 4),
    Run("sparse", "cpt,noisy-or", 2),
    Run("dense", "cpt,noisy-or", 1, 4),
    Run("dense", "cpt", 1),
)
COLUMNS = (
    "run",
    "distinct",
    "packed, MiB",
    "children",
    "parents, at most",
    "families tried",
    "kept",
    "stated, MiB",
    "peak, MiB",
    "off",
    "CPU, s",
)
INTRODUCTION = f"""\
# A million records of {VARIABLES} variables

Made by `python -m benchmarks.timings.million_rows`; the figures are in `million_rows.json`.
`packed` is the size of the distinct records in memory, `stated` is the memory that `noisyor score`
states before it starts, and `peak` is the peak resident memory of the process, with the program and
the reading of the CSV file, on 2 threads. `CPU` is processor time in seconds, for reading, the
trial and scoring. Where few children were scored, the time is a part of that of all. A thread has
one child at a time. Its working memory grows with the depth of the search, one copy of the records
for each parent added, not with the families tried. A peak also includes what the allocator keeps
between children.
"""


def main() -> None:
    """Draw the tables, score them, write the page."""
    parser = parser_of(__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("names", nargs="*", help="runs; default: all")
    asked = parser.parse_args()
    chosen = [run for run in RUNS if not asked.names or run.name in asked.names]
    with tempfile.TemporaryDirectory() as folder:
        files = {
            table: write_sample(
                million_network(table), asked.records, SEED, Path(folder) / f"{table}.csv"
            )
            for table in sorted({run.table for run in chosen})
        }
        for run in chosen:
            result = measure(run, files[run.table], Path(folder))
            results = add_results(RESULTS_FILE, {run.name: result}, page)
            print(page(results))


def million_network(table: str) -> Network:
    """Return the network that a table is drawn from."""
    dense = random_network(network_name(Kind.NOISY_OR, VARIABLES, SEED))
    if table == "dense":
        return dense
    random = np.random.default_rng(SEED)
    return Network(
        dense.structure,
        dense.variables,
        tuple(_sparse(random, family) for family in dense.structure.families),
        None,
        dense.provenance,
    )


def _sparse(random: np.random.Generator, family: Family) -> Distribution:
    """Return a distribution with a rarely present child."""
    if family.relation is NOISY_OR:
        return NoisyOr(random.uniform(*FAILURES, family.parent_count))
    if not family.parents:
        return Cpt.binary(random.uniform(*SPARSE_ROOTS, 1))
    chances = (random.uniform(*SPARSE_LEAKS), random.uniform(*SPARSE_EFFECTS))
    return Cpt.binary(np.array(chances))


@cache
def size_of(path: Path) -> Results:
    """Return how large a table is."""
    data = read(path)
    return {
        "records": data.record_count,
        "distinct": len(data.weights),
        "packed_mib": packed_bytes(data) / 2**20,
        "csv_mib": path.stat().st_size / 2**20,
    }


def measure(run: Run, table: Path, folder: Path) -> Results:
    """Return the stated and the used memory of a run, and its time."""
    output = folder / run.name.replace("/", "-")
    arguments = ["score", str(table), "--relations", run.relations, "--jobs", "2"]
    arguments += ["--max-parents", str(run.parents)]
    if run.children < VARIABLES:
        arguments += ["--children", f"1-{run.children}", "-o", str(output)]
    else:
        arguments += ["-o", f"{output}.parquet"]
    found = run_command(arguments, TIMEOUT)
    summary = found.pop("summary")
    families = summary["families"].values()
    return {
        **size_of(table),
        "children": run.children,
        "parents": run.parents,
        "tried": sum(one["fitted"] for one in families),
        "kept": summary["kept"],
        "score_seconds": round(summary["seconds"]["score"], 1),
        **found,
        "provenance": provenance(),
    }


def page(results: Results) -> str:
    """Return the results as a page."""
    most = max(one["peak_mib"] for one in results.values())
    rows = (_row(name, one) for name, one in results.items())
    return f"{INTRODUCTION}\n{table(COLUMNS, rows)}\n\nThe largest peak is {most:.0f} MiB.\n"


def _row(name: str, one: Results) -> tuple[str, ...]:
    table_name, relations, *_ = name.split("/")
    return (
        f"{table_name}, {relations}",
        f"{one['distinct']:,}",
        f"{one['packed_mib']:.1f}",
        f"{one['children']}",
        f"{one['parents']}",
        f"{one['tried']:,}",
        f"{one['kept']:,}",
        f"{one['stated_mib']:.0f}",
        f"{one['peak_mib']:.0f}",
        f"{off_by(one['stated_mib'], one['peak_mib']):.2f}",
        f"{one['cpu_seconds']:.0f}",
    )


if __name__ == "__main__":
    main()
