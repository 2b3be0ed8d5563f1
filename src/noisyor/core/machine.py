"""Memory and cores of the machine, and the memory that this process has used."""

import os
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_PEAK = "VmHWM:"  # see proc_pid_status(5); in KiB
_BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


def physical_memory() -> int:
    """Return the machine's physical memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def peak_memory() -> int:
    """Return the peak resident memory of this process so far, in bytes.

    On Linux, getrusage may return the peak of the parent process, so it is not used there.
    """
    if not _STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_PER_UNIT
    lines = _STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(_PEAK))


def core_count() -> int:
    """Return the number of processor cores; at least 1."""
    return os.cpu_count() or 1
