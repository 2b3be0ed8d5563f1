"""Run a `noisyor` command in a separate process; compare the memory it states with its peak."""

import json
import re
import resource
import subprocess
import sys
import time

from benchmarks.harness.measuring import Results
from benchmarks.harness.resources import peak_mib

STATEMENT = re.compile(r"^memory: about ([0-9.,]+) (KiB|MiB|GiB|TiB) at the peak", re.MULTILINE)
_MIB = {"KiB": 2.0**-10, "MiB": 1.0, "GiB": 2.0**10, "TiB": 2.0**20}
_PEAK = re.compile(r"^peak of the process: ([0-9.]+) MiB$", re.MULTILINE)


def run_command(arguments: list[str], timeout: float) -> Results:
    """Return the memory that a command states and uses, and the summary it prints as JSON."""
    began, before = time.monotonic(), _cpu_of_children()
    run = subprocess.run(
        [sys.executable, "-m", __spec__.name, *arguments, "--json"],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    seconds = time.monotonic() - began
    if run.returncode not in {0, 1}:  # 1 means that a limit ended the run
        sys.exit(f"noisyor {' '.join(arguments)}: {run.stderr}")
    peak = _PEAK.search(run.stderr)
    if peak is None:
        sys.exit(f"noisyor {' '.join(arguments)} did not print its peak: {run.stderr}")
    return {
        "stated_mib": stated_mib(run.stderr),
        "peak_mib": float(peak[1]),
        "wall_seconds": round(seconds, 1),
        "cpu_seconds": round(_cpu_of_children() - before, 1),
        "summary": json.loads(run.stdout),
    }


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stated_mib(errors: str) -> float:
    """Return the memory that a run has stated on standard error."""
    said = STATEMENT.search(errors)
    if said is None:
        raise ValueError(f"no memory was stated in {errors!r}")
    return float(said[1].replace(",", "")) * _MIB[said[2]]


def off_by(stated: float, used: float) -> float:
    """Return the factor between two figures, at least 1."""
    return max(stated / used, used / stated)


def main() -> None:
    """Run the command line, then print the peak of memory."""
    from noisyor.cli import main as noisyor  # noqa: PLC0415  (only this process is measured)

    try:
        noisyor()
    finally:
        print(f"peak of the process: {peak_mib():.1f} MiB", file=sys.stderr)


if __name__ == "__main__":
    main()
