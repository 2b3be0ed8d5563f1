"""Waiting for threads in spite of Ctrl-C."""

import contextlib
import threading
import time
from collections.abc import Iterable

_LOOK_AGAIN_SECONDS = 0.005


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
