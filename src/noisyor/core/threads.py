"""Threads: how many there may be, and waiting for them in spite of Ctrl-C."""

import contextlib
import threading
import time
from collections.abc import Iterable

from noisyor.core.errors import SettingsError

MOST_JOBS = 4096
"""Threads of one run at most; no machine gains from more, and starting them takes for ever."""

_LOOK_AGAIN_SECONDS = 0.005


def check_jobs(jobs: int | None) -> None:
    """Refuse a number of threads that cannot be."""
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise SettingsError(f"jobs is {jobs}; it must be at least 1 and at most {MOST_JOBS}")


def wait_for(threads: Iterable[threading.Thread]) -> None:
    """Wait until threads that were told to end have ended, which takes them a moment.

    Another Ctrl-C meanwhile asks for what is under way, and must not lose what is finished. Before
    Python 3.13, a `join` that Ctrl-C interrupts takes its thread for ended, and so do `is_alive`
    and each `join` after it; a program that ends while kernels still run
    is aborted. The list of all threads is right.
    """
    for thread in threads:
        while thread in threading.enumerate():
            with contextlib.suppress(KeyboardInterrupt):
                time.sleep(_LOOK_AGAIN_SECONDS)
