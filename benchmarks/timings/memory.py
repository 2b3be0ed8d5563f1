"""Compare the memory that `noisyor learn` and `noisyor score` state with their peaks.

    python -m benchmarks.timings.memory [--datasets FOLDER] [NAME ...]

Every run is a command in a separate process, on the bundled examples, the data sets, and samples
of random networks. The memory stated before the work is compared with the peak. Runs that take
minutes are not repeated: for them the stated memory is compared with the peaks stored by
`python -m benchmarks.timings.learn`.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import (
    BAYES_FACTOR,
    Results,
    add_results,
    dataset_file,
    measure_apart,
    read_dataset,
    stored_results,
)
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.random_networks import is_random, random_network, write_sample
from benchmarks.timings.stated_memory import off_by, run_command
from noisyor.core.request import Request
from noisyor.data.examples import example_csv, example_names
from noisyor.runs.learned import Method
from noisyor.runs.preflight import estimate

RESULTS_FILE = RESULTS_FOLDER / "memory.json"
CLOSE = 2.0
SEED = 0
TIME_LIMIT = 120  # seconds; the peak of a run that is cut off still counts
TIMEOUT = 900.0
ESTIMATE_TIMEOUT = 300.0
LONG = ("soybean", "bands", "wdbc", "alarm", "sensors", "spectf")


@dataclass(frozen=True)
class Case:
    """A run: a table, a method (or scoring alone) and a number of threads."""

    table: str
    how: str
    jobs: int = 2
    records: int | None = None  # of a sample
    folder: bool = True

    @property
    def name(self) -> str:
        """The key of the run in the results."""
        sample = "" if self.records is None else f" x {self.records}"
        where = "" if self.folder else "/no folder"
        return f"{self.table}{sample}/{self.how}/{self.jobs}{where}"


def cases() -> list[Case]:
    """Return all runs."""
    found = [Case(name, how, jobs) for name in example_names() for how, jobs in METHODS]
    found += [Case(name, "table") for name in ("nltcs", "adult", "msnbc", "letter", "parkinsons")]
    found += [Case("zoo", how, jobs) for how, jobs in METHODS]
    found += [Case("hepatitis", "price"), Case("autos", "table"), Case("autos", "price")]
    found += [Case("horse", "price"), Case("flag", "price")]
    found += [Case("letter", "table", folder=False), Case("flag", "price", folder=False)]
    found += [Case(name, "score", jobs) for name in ("zoo", "msnbc", "letter") for jobs in (1, 2)]
    for name, records in SAMPLES:
        found += [Case(name, how, 2, records) for how in ("table", "price")]
    found += [Case(name, "price", 2, records) for name, records in LARGE_SAMPLES]
    found += [Case(name, "layers", 2, records) for name, records in WIDE_SAMPLES]
    found += [Case("mixed-16-0", "score", jobs, 100_000) for jobs in (1, 2)]
    return found


METHODS = (("table", 1), ("table", 2), ("price", 2))
SAMPLES = (("noisy-or-5-0", 100), ("noisy-or-10-0", 100_000), ("noisy-or-16-0", 10_000))
LARGE_SAMPLES = (("noisy-or-28-0", 300),)
WIDE_SAMPLES = (("noisy-or-60-0", 1000), ("mixed-60-0", 5000), ("mixed-100-0", 1000))
COLUMNS = ("run", "n", "N", "distinct", "stated, MiB", "peak, MiB", "stated / peak", "")
INTRODUCTION = f"""\
# Stated and used memory

Bayes factor {BAYES_FACTOR}, full tables and noisy-ORs; made by
`python -m benchmarks.timings.memory`; the figures are in `memory.json`. A run is the table, the
method (or `score`) and the number of threads. `noisyor learn` runs with `-o`, except where it says
`no folder`; `noisyor score` writes a `.jkl`. `stated` is the memory that it states before the work,
`peak` the peak resident memory of its process, with Python and its libraries. Samples are of random
networks (`random_networks.py`). *cut*: the time limit of {TIME_LIMIT} s ended the run.
"""
LONG_INTRODUCTION = """\
Longer runs, without a folder, in Python, whose peaks are those of [learn.md](learn.md) when this
was written; some of that page are from later runs. The constants behind `stated` are fitted to
these and to the shorter runs of that page.
"""


def main() -> None:
    """Run, compare, write the page."""
    parser = parser_of(__doc__)
    add_datasets(parser)
    parser.add_argument("--measure", metavar="FILE", type=Path, help="state the memory of a run")
    parser.add_argument("--method", default="price", help="the method of that run")
    parser.add_argument("names", nargs="*", help="runs, or data sets of long runs; default: all")
    asked = parser.parse_args()
    if asked.measure is not None:
        print(f'{{"stated_mib": {stated_of(asked.measure, asked.method)}}}')
        return
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if not asked.names or case.name in asked.names:
                result = measure(case, asked.datasets, Path(folder))
                add_results(RESULTS_FILE, {case.name: result}, page)
    for name in LONG:
        if not asked.names or name in asked.names:
            result = measure_long(name, asked.datasets)
            add_results(RESULTS_FILE, {f"{name}/stored": result}, page)
    print(page(stored_results(RESULTS_FILE)))


def measure(case: Case, datasets: Path, folder: Path) -> Results:
    """Return the stated and the used memory of a run."""
    table = table_of(case, datasets, folder)
    output = folder / case.name.replace("/", "-").replace(" ", "")
    arguments = [str(table), "--jobs", str(case.jobs), "--bayes-factor", str(BAYES_FACTOR)]
    arguments += ["--paper", "--time-limit", str(TIME_LIMIT)]
    if case.how == "score":
        found = run_command(["score", *arguments, "-o", f"{output}.jkl"], TIMEOUT)
    else:
        where = ["-o", str(output)] if case.folder else []
        found = run_command(["learn", *arguments, "--method", case.how, *where], TIMEOUT)
    summary = found.pop("summary")
    data = read_dataset(table)
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "distinct": len(data.weights),
        "complete": summary["complete"],
        **found,
        "provenance": provenance(),
    }


def table_of(case: Case, datasets: Path, folder: Path) -> Path:
    """Return the file of a table, which is made if it is an example or a sample."""
    if not is_random(case.table) and case.table not in example_names():
        return dataset_file(datasets, case.table)
    path = folder / f"{case.table}-{case.records}.csv"
    if path.exists():
        return path
    if not is_random(case.table):
        path.write_bytes(example_csv(case.table))
        return path
    return write_sample(random_network(case.table), case.records or 0, SEED, path)


def measure_long(name: str, datasets: Path) -> Results:
    """Return the memory stated for a run whose peak is stored."""
    stored = stored_results(RESULTS_FOLDER / "learn.json")[f"{name}/auto"]
    path = dataset_file(datasets, name)
    said = measure_apart(
        __spec__.name, [str(path), "--method", stored["method"]], timeout=ESTIMATE_TIMEOUT
    )
    return {
        "variables": stored["variables"],
        "records": stored["records"],
        "distinct": len(read_dataset(path).weights),
        "complete": stored["complete"],
        "stated_mib": said["stated_mib"],
        "peak_mib": stored["peak_mib"],
        "provenance": provenance(),
    }


def stated_of(path: Path, method: str) -> float:
    """Return the memory, in MiB, that learning without a folder would state in this process."""
    request = Request.of(read_dataset(path), BAYES_FACTOR, relations="paper", jobs=2)
    expected = estimate(request, method=Method.of(method))
    return expected.total_memory.about / 2**20


def page(results: Results) -> str:
    """Return the results as a page."""
    own = {name: one for name, one in results.items() if not name.endswith("/stored")}
    long = {name: one for name, one in results.items() if name.endswith("/stored")}
    rows = (_row(name, one) for name, one in own.items())
    lines = [INTRODUCTION, table(COLUMNS, rows), "", _count(own)]
    if long:
        rows = (_row(name.removesuffix("/stored"), one) for name, one in long.items())
        lines += ["", LONG_INTRODUCTION, table(COLUMNS, rows), "", _count(long)]
    return "\n".join(lines) + "\n"


def _count(results: Results) -> str:
    ratios = {name: one["stated_mib"] / one["peak_mib"] for name, one in results.items()}
    far = [name for name, ratio in ratios.items() if off_by(ratio, 1.0) > CLOSE]
    said = (
        f"Of {len(ratios)} runs, {len(ratios) - len(far)} are within a factor of {CLOSE:g}; the "
        f"ratios are from {min(ratios.values()):.2f} to {max(ratios.values()):.2f}."
    )
    return f"{said} The others: {', '.join(far)}." if far else said


def _row(name: str, one: Results) -> tuple[str, ...]:
    return (
        name,
        f"{one['variables']}",
        f"{one['records']:,}",
        f"{one['distinct']:,}",
        f"{one['stated_mib']:.0f}",
        f"{one['peak_mib']:.0f}",
        f"{one['stated_mib'] / one['peak_mib']:.2f}",
        "" if one["complete"] else "cut",
    )


if __name__ == "__main__":
    main()
