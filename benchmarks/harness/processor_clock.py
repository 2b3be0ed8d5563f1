"""Limits that count processor time, for a machine that other programs use as well."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def processor_clock() -> Iterator[None]:
    """Let the limits of this process count its processor time instead of the time that passes.

    noisyor reads one clock for all of its limits, `time.monotonic`, which is replaced here. So a
    run on one thread gets as much work done on a busy machine as on an idle one. The solver of
    linear programs has a clock of its own; its limit matters only just before the end of a run.
    """
    with patch("time.monotonic", time.process_time):
        yield
