"""A program in a separate process, which repeats its job on request."""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from signal import SIGALRM, SIGCONT, SIGSTOP, Signals
from types import TracebackType
from typing import Any, Self

from benchmarks.harness.folders import ROOT
from benchmarks.harness.measuring import Results
from benchmarks.race.own import PROGRAMS as OWN_PROGRAMS

START_SECONDS = 120.0  # for what is not timed: loading the packages and the table


class Contestant:
    """A program with a table. It is stopped while it waits, so that it does not disturb others."""

    def __init__(
        self, program: str, table: Path, options: Mapping[str, Any], limit: float, peers: Path
    ) -> None:
        """Start the process: noisyor with this Python, any other with that of the peers."""
        self._folder = tempfile.TemporaryDirectory()
        task = Path(self._folder.name, "task.json")
        what = {"program": program, "table": str(table), "options": options, "limit": limit}
        task.write_text(json.dumps(what))
        is_own = program in OWN_PROGRAMS
        module = "benchmarks.race.own" if is_own else "benchmarks.race.peers"
        self._limit = limit
        self._errors = Path(self._folder.name, "errors").open("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable if is_own else peers, "-m", module, task],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._process.send_signal(SIGSTOP)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()
        self._folder.cleanup()

    def run(self) -> Results:
        """Return the result of the next run, or why there is none."""
        assert self._process.stdin is not None  # noqa: S101  (both are pipes)
        assert self._process.stdout is not None  # noqa: S101
        late = threading.Timer(self._limit + START_SECONDS, self._process.kill)
        late.start()
        try:
            self._process.send_signal(SIGCONT)
            self._process.stdin.write("go\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        finally:
            late.cancel()
        if not line:
            return self._nothing(self._process.wait())
        self._process.send_signal(SIGSTOP)
        found: Results = json.loads(line)
        if "missing" in found:
            return {"nothing_because": f"{found['missing']} is not installed", "missing": True}
        return found

    def _nothing(self, status: int) -> Results:
        if status == -SIGALRM:
            return {"nothing_because": f"it took more than {self._limit:g} s", "limit": self._limit}
        self._errors.seek(0)
        return {"nothing_because": failure(status, self._errors.read())}


def failure(status: int, errors: str) -> str:
    """Return how a process ended, with the last line that it wrote."""
    said = [line.strip() for line in errors.splitlines() if line.strip()]
    how = f"was ended by {Signals(-status).name}" if status < 0 else "failed"
    return f"it {how}{': ' + said[-1][:200] if said else ''}"
