"""Time and memory of reading a large CSV file of zeros and ones.

    python -m benchmarks.timings.loading [--rows 10000000] [--columns 40] [--runs 3]
                                         [--check FOLDER]

Two files are made: `sparse`, where each cell is 1 with probability 0.03, so that records repeat,
and `uniform`, fair coins, where nearly all records differ: the worst case for counting distinct
ones. Each reader runs in a separate process, the readers in turn, several times; the best
time counts, and the largest peak of resident memory. polars and pyarrow only read; noisyor also
checks every value and counts the distinct records. `--check` also reads every .csv file of a folder
and compares its number of records with its number of lines.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from pyarrow import csv  # type: ignore[import-untyped]

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import measure_apart, read_dataset
from benchmarks.harness.options import parser_of
from benchmarks.harness.resources import peak_mib
from noisyor.data import read
from noisyor.files.whole import write_whole

RESULTS = RESULTS_FOLDER / "loading.json"
TABLES = {"sparse": 0.03, "uniform": 0.5}
BASELINE = "polars.read_csv, Int8 schema"
TARGET_RATIO = 0.5
TARGET_GB = 3.0
TIMEOUT = 3600.0


def read_with_polars(path: str) -> int:
    """Read with the defaults."""
    return len(pl.read_csv(path))


def read_with_polars_bytes(path: str) -> int:
    """Read with a schema of the smallest type."""
    with Path(path).open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    return len(pl.read_csv(path, schema=dict.fromkeys(names, pl.Int8)))


def read_with_pyarrow(path: str) -> int:
    """Read with the defaults."""
    return int(csv.read_csv(path).num_rows)


def read_with_noisyor(path: str) -> int:
    """Read, check and count distinct records."""
    return read(path).record_count


READERS: dict[str, Callable[[str], int]] = {
    BASELINE: read_with_polars_bytes,
    "polars.read_csv": read_with_polars,
    "pyarrow.csv.read_csv": read_with_pyarrow,
    "noisyor.data.read": read_with_noisyor,
}


def measure(reader: str, path: str) -> dict[str, float]:
    """Return the time and memory of one reader in this process, after all imports."""
    start = time.perf_counter()
    records = READERS[reader](path)
    seconds = time.perf_counter() - start
    peak = peak_mib() * 2**20 / 1e9
    return {"records": records, "seconds": seconds, "peak_gb": peak}


def write_table(path: Path, rows: int, columns: int, probability: float) -> None:
    """Write random zeros and ones with a header."""
    random = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write((",".join(f"X{v + 1}" for v in range(columns)) + "\n").encode())
        for first in range(0, rows, 500_000):
            size = min(500_000, rows - first)
            text = np.full((size, columns, 2), ord(","), dtype=np.uint8)
            text[:, :, 0] = ord("0") + (random.random((size, columns), np.float32) < probability)
            text[:, -1, 1] = ord("\n")
            file.write(text.tobytes())


def race(path: Path, rows: int, runs: int) -> dict[str, dict[str, float]]:
    """Return the best time and the largest peak of each reader, run in turn."""
    results: dict[str, dict[str, float]] = {}
    for _ in range(runs):
        for reader in READERS:
            one = measure_apart(__spec__.name, [reader, str(path)], TIMEOUT)
            if one["records"] != rows:
                raise RuntimeError(f"{reader} found {one['records']} records, not {rows}")
            best = results.setdefault(reader, {"seconds": one["seconds"], "peak_gb": 0.0})
            best["seconds"] = round(min(best["seconds"], one["seconds"]), 2)
            best["peak_gb"] = round(max(best["peak_gb"], one["peak_gb"]), 2)
    mine = results["noisyor.data.read"]["seconds"]
    for one in results.values():
        one["speed_of_noisyor_relative"] = round(one["seconds"] / mine, 2)
    return results


def check_folder(folder: Path) -> dict[str, int]:
    """Return the number of records of each CSV file, checked against its lines."""
    counts = {}
    for path in sorted(folder.glob("*.csv")):
        counts[path.name] = read_dataset(path).record_count
        lines = path.read_bytes().count(b"\n")
        if counts[path.name] != lines:
            raise RuntimeError(f"{path}: {counts[path.name]} records, but {lines} lines")
    if not counts:
        raise RuntimeError(f"{folder} has no .csv file")
    return counts


def show(name: str, results: dict[str, dict[str, float]]) -> None:
    """Print one table's results."""
    print(f"\n{name}\n{'reader':32}{'seconds':>9}{'peak GB':>9}{'noisyor is':>12}")
    for reader, one in results.items():
        ratio = f"x {one['speed_of_noisyor_relative']:.2f}"
        print(f"{reader:32}{one['seconds']:9.2f}{one['peak_gb']:9.2f}{ratio:>12}")


def main() -> None:
    """Make the files, race the readers, print and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--check", type=Path, help="a folder of .csv files to count as well")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    report: dict[str, Any] = {
        "rows": options.rows,
        "columns": options.columns,
        "runs": options.runs,
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "versions": {name: version(name) for name in ("noisyor", "polars", "pyarrow", "numpy")},
        "tables": {},
    }
    with tempfile.TemporaryDirectory(prefix="noisyor-loading-") as folder:
        for name, probability in TABLES.items():
            path = Path(folder) / f"{name}.csv"
            write_table(path, options.rows, options.columns, probability)
            report["tables"][name] = race(path, options.rows, options.runs)
            show(name, report["tables"][name])
            path.unlink()
    mine = [table["noisyor.data.read"]["peak_gb"] for table in report["tables"].values()]
    ratios = [table[BASELINE]["speed_of_noisyor_relative"] for table in report["tables"].values()]
    report["met"] = {
        f"peak below {TARGET_GB} GB": max(mine) < TARGET_GB,
        f"at least {TARGET_RATIO} of the speed of {BASELINE}": min(ratios) >= TARGET_RATIO,
    }
    print()
    for target, met in report["met"].items():
        print(f"{target}: {'yes' if met else 'NO'}")
    if options.check:
        report["checked"] = check_folder(options.check)
        print(f"{len(report['checked'])} files have as many records as lines")
    write_whole({options.output: (json.dumps(report, indent=2) + "\n").encode()})


if __name__ == "__main__":
    main()
