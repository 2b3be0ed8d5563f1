"""Call a GOBNILP binary, and noisyor, on one score file; measure processor time.

The binary is called as its manual says: `gobnilp -f=jkl -g=SETTINGS SCORES`. Two settings files are
written. The first asks for the best network. The second is for the development version that finds
credible sets (Liao et al., 2019): it collects all networks above a score. That version writes each
network's families and then a line that begins with `BN`.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.measuring import Results
from benchmarks.race.running import failure
from noisyor.core.tolerance import tolerance_at

MOST_NETWORKS = 10_000_000  # a set of more is not collected
OUTPUT = "output"  # of the last command, in its folder
NETWORK_MARK = "BN"  # begins the line after a network's families; its last word is the score


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended: its seconds of processor and of elapsed time, and why if it failed."""

    busy_seconds: float
    seconds: float
    because: str | None

    def result(self) -> Results:
        """Return it as it is stored."""
        times = {"busy_seconds": round(self.busy_seconds, 3), "seconds": round(self.seconds, 3)}
        return times if self.because is None else times | {"nothing_because": self.because}


def timed(command: Sequence[str | Path], folder: Path, limit: float) -> Ended:
    """Run a command in a folder and return what it took; it is killed after `limit` seconds."""
    late = threading.Event()
    with (folder / OUTPUT).open("w") as output, (folder / "errors").open("w+") as errors:
        began = time.monotonic()
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        errors.seek(0)
        said = errors.read()
    because = None
    if late.is_set():
        because = f"it took more than {limit:g} s"
    elif process.returncode:
        because = failure(process.returncode, said)
    return Ended(used.ru_utime + used.ru_stime, seconds, because)


def best_network(binary: Path, scores: Path, folder: Path, limit: float) -> Results:
    """Return the time in which GOBNILP finds the best network, and its cost."""
    solution = folder / "best.txt"
    solution.unlink(missing_ok=True)
    settings = folder / "best.set"
    settings.write_text(f'gobnilp/outputfile/solution = "{solution}"\n')
    ended = timed([binary, "-f=jkl", f"-g={settings}", scores], folder, limit)
    found = marked_lines(solution)
    if ended.because is None and not found:
        return ended.result() | {"nothing_because": "it wrote no network with its score"}
    return ended.result() if ended.because else ended.result() | {"cost": -score_in(found[-1])}


def credible_networks(  # noqa: PLR0913, PLR0917  (what is solved, where, and within what)
    binary: Path, scores: Path, folder: Path, limit: float, optimum: float, slack: float
) -> Results:
    """Return the time in which GOBNILP collects all networks up to optimum + slack, and how many.

    The limit on the score is strict, so it is lowered by the tolerance.
    """
    collected = folder / "collected.txt"
    collected.unlink(missing_ok=True)
    largest = optimum + slack
    settings = folder / "collect.set"
    settings.write_text(
        "gobnilp/countsols = TRUE\n"
        "gobnilp/countsols/collect = TRUE\n"
        f"gobnilp/countsols/sollimit = {MOST_NETWORKS}\n"
        f"gobnilp/objlimit = {-(largest + tolerance_at(largest))!r}\n"
        f'gobnilp/outputfile/countsols = "{collected}"\n'
    )
    ended = timed([binary, "-f=jkl", f"-g={settings}", scores], folder, limit)
    if ended.because is not None:
        return ended.result()
    return ended.result() | {"networks": len(marked_lines(collected))}


def noisyor_networks(scores: Path, folder: Path, limit: float, bayes_factor: float) -> Results:
    """Return the time of the command `noisyor search`, its start included, and what it found."""
    command = Path(sys.executable).with_name("noisyor")
    options = ["--bayes-factor", str(bayes_factor), "--jobs", "1", "--quiet", "--json"]
    ended = timed([command, "search", scores, *options], folder, limit)
    if ended.because is not None:
        return ended.result()
    found = json.loads((folder / OUTPUT).read_text())
    return ended.result() | {"cost": found["optimum"], "networks": found["networks"]}


def marked_lines(path: Path) -> list[str]:
    """Return the lines after the networks in a file of GOBNILP; none if there is no file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.startswith(NETWORK_MARK)]


def score_in(line: str) -> float:
    """Return the score at the end of such a line."""
    return float(line.rsplit(maxsplit=1)[-1])
