"""How long a command with a time limit takes: 4 to 1,024 variables, up to a million records.

    python -m benchmarks.timings.time_limits [--limit SECONDS] [--only VARIABLESxRECORDS ...]

Each table is a sample of a random network of two-valued variables. `noisyor learn --time-limit`
runs in a process of its own and writes its folder; its seconds by the clock include the start of
Python and the reading of the table. Results are added to benchmarks/results/time_limits.json, and
the page benchmarks/results/time_limits.md is written from it.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results, add_results, nothing_because
from benchmarks.harness.options import parser_of
from benchmarks.harness.provenance import provenance
from benchmarks.harness.random_networks import Kind, network_name, random_network, write_sample
from noisyor.core.layers import Layer

RESULTS = RESULTS_FOLDER / "time_limits.json"
SIZES = (
    (4, 1000),
    (20, 1_000_000),
    (40, 100_000),
    (60, 1_000_000),
    (150, 5000),
    (500, 5000),
    (1024, 2000),
    (1024, 20_000),
)
NAMES = tuple(f"{variables}x{records}" for variables, records in SIZES)
LIMIT, GRACE = 5.0, 2.0
KILLED_AFTER = 120.0  # seconds beyond the limit
INTRODUCTION = """\
# Time limits

Made by `python -m benchmarks.timings.time_limits`; the figures are in `time_limits.json`, with the
version and the machine of each row. `noisyor learn TABLE --time-limit T -o FOLDER`, on samples of
random networks; the seconds are those of the whole command by the clock, from the start of Python
to the last file.
"""
HEADINGS = ("variables", "records", "limit, s", "command, s", "over, s", "arcs", "layers proven")


def measure(variables: int, records: int, limit: float) -> Results:
    """Time one command on a table of this size."""
    network = random_network(network_name(Kind.MIXED, variables, 0))
    with tempfile.TemporaryDirectory() as folder:
        data = write_sample(network, records, 0, Path(folder) / "sample.csv")
        output = Path(folder) / "learned"
        command = [sys.executable, "-m", "noisyor", "learn", str(data), "-q"]
        started = time.monotonic()
        try:
            subprocess.run(
                [*command, "--time-limit", str(limit), "-o", str(output)],
                check=True,
                capture_output=True,
                timeout=limit + KILLED_AFTER,
            )
        except subprocess.TimeoutExpired:
            return nothing_because(f"not done {KILLED_AFTER:g} s after the limit")
        seconds = time.monotonic() - started
        summary = json.loads((output / "summary.json").read_text("utf-8"))
        layers = [Layer(**one) for one in summary["layers"]]
        best = json.loads((output / "best.json").read_text("utf-8"))
    return {
        "limit": limit,
        "seconds": round(seconds, 2),
        "arcs": sum(len(node["parents"]) for node in best["variables"]),
        "layers": [one.max_parents for one in layers if one.proven],
    }


def page(results: Results) -> str:
    """Return the results as a page."""
    found = {name: results[name] for name in NAMES if name in results}
    rows = table(HEADINGS, (row(name, one) for name, one in found.items()))
    measured = [one for one in found.values() if "seconds" in one]
    met = sum(one["seconds"] <= one["limit"] + GRACE for one in measured)
    verdict = f"{met} of {len(found)} end within the limit and {GRACE:g} s."
    return f"{INTRODUCTION}\n{rows}\n\n{verdict}\n"


def row(name: str, one: Results) -> list[str]:
    """Return the row of one table."""
    variables, records = map(int, name.split("x"))
    size = [f"{variables:,}", f"{records:,}"]
    if "nothing_because" in one:
        return [*size, "-", one["nothing_because"], "-", "-", "-"]
    deepest = max(one["layers"], default=0)
    return [
        *size,
        f"{one['limit']:g}",
        f"{one['seconds']:.1f}",
        f"{max(0.0, one['seconds'] - one['limit']):.1f}",
        f"{one['arcs']:,}",
        str(deepest) if deepest else "-",
    ]


def main() -> None:
    """Measure what was asked for and write the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--limit", type=float, default=LIMIT)
    options = parser.parse_args()
    for name in options.only:
        variables, records = map(int, name.split("x"))
        result = measure(variables, records, options.limit)
        add_results(RESULTS, {name: result | {"provenance": provenance()}}, page)
        print(" | ".join(row(name, result)), flush=True)


if __name__ == "__main__":
    main()
