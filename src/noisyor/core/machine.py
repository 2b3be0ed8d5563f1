"""Memory and cores that this process may use, and the memory that it has used."""

import os
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_PEAK = "VmHWM:"  # see proc_pid_status(5); in KiB
_BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


_GROUPS = Path("/proc/self/cgroup")  # see cgroups(7)
_GROUP_ROOT = Path("/sys/fs/cgroup")
_GROUP_FILES = {"memory": "memory.limit_in_bytes", "": "memory.max"}  # of versions 1 and 2
_PAGES = Path("/proc/self/statm")  # those of the address space, those in memory, ...


def physical_memory() -> int:
    """Return the machine's physical memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def usable_memory() -> int:
    """Return the bytes that this process may hold in memory.

    That is the machine's memory, or less in a container or under a limit of the system.
    """
    limits = (physical_memory(), container_memory(), _room_in_address_space())
    return min(limit for limit in limits if limit is not None)


def container_memory(groups: Path = _GROUPS, root: Path = _GROUP_ROOT) -> int | None:
    """Return the limit of the control groups that this process is in; None if there is none.

    A group is bound by the limits of all groups that contain it. Inside a container, its own group
    is often shown as the root, whatever path is named, so the root is asked in any case.
    """
    try:
        lines = groups.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    limits = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            if controller in _GROUP_FILES:
                own = Path(path.lstrip("/"))
                for folder in (own, *own.parents):
                    place = root / controller / folder / _GROUP_FILES[controller]
                    limits.append(_number_in(place))
    return min((limit for limit in limits if limit is not None), default=None)


def address_space() -> int | None:
    """Return the bytes that the limit `ulimit -v` allows this process; None if there is none."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def _room_in_address_space() -> int | None:
    """Return how much memory fits, besides addresses that are reserved without memory."""
    limit = address_space()
    if limit is None or not _PAGES.exists():
        return limit
    reserved, resident = map(int, _PAGES.read_text(encoding="ascii").split()[:2])
    return max(0, limit - (reserved - resident) * resource.getpagesize())


def _number_in(path: Path) -> int | None:
    """Return the number in a file; None if it is not there, or says `max`."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None


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
