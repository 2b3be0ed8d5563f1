"""Limits on the number of threads, and waits that Ctrl-C does not interrupt."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from noisyor.core.errors import SettingsError

MOST_JOBS = 4096
"""The most threads of a run; no machine gains from more, and starting them would take too long."""

_POLL_SECONDS = 0.005


def check_jobs(jobs: int | None) -> None:
    """Refuse a number of threads outside of 1 to MOST_JOBS; None is allowed."""
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise SettingsError(f"jobs is {jobs}; it must be at least 1 and at most {MOST_JOBS}")


def wait_for(threads: Iterable[threading.Thread]) -> None:
    """Wait for threads that have been asked to stop, ignoring further Ctrl-C.

    They stop soon, and an interrupted wait would lose finished results. Before Python 3.13, a
    `join` interrupted by Ctrl-C marks its thread as ended, and `is_alive` and each later `join`
    trust the mark; the program is then aborted if it exits while kernels still run.
    `threading.enumerate` is correct.
    """
    for thread in threads:
        wait_until(partial(_has_ended, thread))


def wait_until(done: Callable[[], bool]) -> None:
    """Wait for work that has been asked to stop, ignoring further Ctrl-C."""
    while not done():
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(_POLL_SECONDS)


def _has_ended(thread: threading.Thread) -> bool:
    return thread not in threading.enumerate()
