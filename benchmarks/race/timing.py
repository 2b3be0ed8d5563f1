"""Time one call in this process; shared by noisyor's side of the race and the peers'.

A task is a JSON file: a program, a table, what the program is to do with it, and a limit. Both
environments run this, so it needs only numpy. A program first converts the table in memory to what
it needs, such as a data frame; only the call that follows is timed. Costs that it has computed may
be looked up afterwards: "costs" is then a function. A warm-up with a tiny table keeps what is
loaded on first use out of the timing.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness.resources import peak_mib

Table = npt.NDArray[np.uint8]  # shape (records, variables), of states from 0 on
Options = Mapping[str, Any]
Found = dict[str, Any]
Call = Callable[[], Found]
Program = Callable[[Table, Options], Call]

MOST_BYTES = 16 * 2**30  # of address space: the system ends a process that needs more
_WARM_RECORDS = 64
_WARM_OPTIONS = {"families": [[0, [1, 2]]]}


def do_task(programs: Mapping[str, Program], packages: tuple[str, ...]) -> None:
    """Do the task of the file that is the argument, once for each line of standard input.

    Each run writes a line of JSON to standard output, to which nothing else can write. The system's
    alarm kills a run that exceeds the limit, wherever it is. A missing package is a result; any
    other failure ends the process.
    """
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    task = json.loads(Path(sys.argv[1]).read_text())
    program = programs[task["program"]]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    call: Call | None = None
    for _ in sys.stdin:
        try:
            call = call or _prepared(program, task)
        except ModuleNotFoundError as error:
            result: dict[str, Any] = {"missing": str(error.name)}
        else:
            result = timed(call, task["limit"]) | {"versions": versions(packages)}
        print(json.dumps(result), file=told, flush=True)


def _prepared(program: Program, task: dict[str, Any]) -> Call:
    program(warm_table(), task["options"] | _WARM_OPTIONS)()
    return program(np.load(task["table"]), task["options"])


def warm_table() -> Table:
    """Return a tiny table, always the same."""
    return np.random.default_rng(1).integers(0, 2, (_WARM_RECORDS, 3), dtype=np.uint8)


def timed(call: Call, limit: float) -> dict[str, Any]:
    """Return what a call gives, its seconds, those of all its threads, and the peak of memory."""
    before = peak_mib()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limit)
    started, busy = time.perf_counter(), time.process_time()
    found = call()
    seconds, busy = time.perf_counter() - started, time.process_time() - busy
    signal.setitimer(signal.ITIMER_REAL, 0)
    if callable(found.get("costs")):
        found["costs"] = found["costs"]()
    return {
        "found": found,
        "seconds": seconds,
        "busy_seconds": busy,
        "before_mib": before,
        "peak_mib": peak_mib(),
    }


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of those packages that are installed."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
