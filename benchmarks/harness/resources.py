"""The machine, and the memory that a process takes."""

import os
import platform
import resource
from pathlib import Path


def machine() -> str:
    """Return what timings depend on most, without identifying the machine."""
    return f"{platform.machine()}, {os.cpu_count()} cores"


def peak_mib() -> float:
    """Return the peak resident memory of this process, in MiB.

    On Linux, getrusage may report the peak of the process that started this one.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = status.read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
