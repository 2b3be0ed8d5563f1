"""Time limits for kernels: a cancellation flag that is set when time is up."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from noisyor._kernels import kernels


class Clock:
    """The time limit of a search, shared by its steps."""

    def __init__(self, seconds: float | None) -> None:
        self.started = time.monotonic()
        endless = seconds is None or seconds > threading.TIMEOUT_MAX
        self.deadline = None if seconds is None or endless else self.started + seconds
        self._lock = threading.Lock()
        self._running: set[kernels.Cancellation] = set()
        self._cancelled = False

    @property
    def seconds(self) -> float:
        """How long the search has run."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """The seconds until the deadline, None without one."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    @property
    def time_is_up(self) -> bool:
        """Whether the deadline has passed, or the search was cancelled."""
        return self._cancelled or (self.deadline is not None and time.monotonic() >= self.deadline)

    @property
    def ending(self) -> str:
        """What ended the search, in words."""
        return "the run was interrupted" if self._cancelled else "the time limit was reached"

    def cancel(self) -> None:
        """Cancel the running steps and all later ones."""
        with self._lock:
            self._cancelled = True
            for cancellation in self._running:
                cancellation.cancel()

    @contextmanager
    def limit(self, seconds: float | None = None) -> Iterator["kernels.Cancellation"]:
        """Yield a flag that is set after `seconds`, and at the deadline at the latest."""
        cancellation = kernels.Cancellation()
        left = [] if seconds is None else [seconds]
        if self.deadline is not None:
            left.append(max(0.0, self.deadline - time.monotonic()))
        timer = threading.Timer(min(left), cancellation.cancel) if left else None
        with self._lock:
            self._running.add(cancellation)
            if self._cancelled:
                cancellation.cancel()
        if timer is not None:
            timer.start()
        try:
            yield cancellation
        finally:
            if timer is not None:
                timer.cancel()
                timer.join()
            with self._lock:
                self._running.discard(cancellation)


class Stopwatch:
    """The seconds that each step has taken so far, including steps that raised an exception."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Add the time spent in the context to that of a step."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + time.monotonic() - started
