"""One contestant in this process; shared by noisyor's side and the peers', so it needs only numpy.

A task is a JSON file: a program, a table, a limit and a core. Time is that of the processor, of all
threads of the process, which are bound to one core: so a contestant loses nothing to others that
work on the same machine. The system ends a contestant soon after its limit.
"""

import gc
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.resources import peak_mib
from benchmarks.race.timing import MOST_BYTES, Table, versions, warm_table

MARKS = (1.0, 10.0, 60.0)  # seconds at which networks are compared
GRACE = 2.0, 0.1
"""Seconds, and a share of the limit, beyond it. A contestant that watches its time returns before,
though the timer counts in ticks of the system, which on a busy machine run ahead of the clock."""

Learned = dict[str, Any]
Watch = Callable[[], float]  # the processor seconds since the table was given
Call = Callable[[Watch], Learned]
Program = Callable[[Table, float], Call]
"""Makes what it can in advance from a table and a limit, and returns the call that is timed. That
returns networks, each `{"by": seconds, "arcs": [[parent, child], ...]}`, and what else is told."""


def contend(programs: Mapping[str, Program], packages: tuple[str, ...]) -> None:
    """Do the task of the file that is the argument, and print the result as JSON."""
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing else can write to standard output
    task = json.loads(Path(sys.argv[1]).read_text())
    os.sched_setaffinity(0, {task["core"]})
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    program, limit = programs[task["program"]], task["limit"]
    program(warm_table(), 1.0)(watch())  # what is loaded on first use is not timed
    call = program(np.load(task["table"]), limit)
    gc.collect()
    before = peak_mib()
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, limit + GRACE[0] + GRACE[1] * limit)
    elapsed = watch()
    learned = call(elapsed)
    seconds = elapsed()
    signal.setitimer(signal.ITIMER_PROF, 0)
    learned.setdefault("networks", [{"by": seconds, "arcs": learned.pop("arcs", [])}])
    learned |= {"seconds": seconds, "before_mib": before, "peak_mib": peak_mib()}
    print(json.dumps(learned | {"versions": versions(packages)}), file=told, flush=True)


def watch() -> Watch:
    """Return a watch that starts now."""
    started = time.process_time()
    return lambda: time.process_time() - started
