"""Peak resident memory of each step of learning."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks.harness.resources import peak_mib
from noisyor.search.clock import Stopwatch

BETWEEN = "between"
"""Time outside loading, scoring and the timed steps of the search."""

_RESET = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # see proc_pid_clear_refs(5)


class StepMemory:
    """Peak resident memory in MiB by step; the highest if a step is entered several times.

    Linux records the peak of a process and can reset it, which is done whenever the step changes.
    On other systems `peaks` stays empty.
    """

    def __init__(self, step: str) -> None:
        """Begin with a step."""
        self.peaks: dict[str, float] = {}
        self._known = _RESET.exists()
        self._step = step
        self._set_back()

    def enter(self, step: str) -> None:
        """End the current step and begin another."""
        self.note()
        self._step = step
        self._set_back()

    def note(self) -> None:
        """Record the peak of the current step so far."""
        if self._known:
            self.peaks[self._step] = max(self.peaks.get(self._step, 0.0), peak_mib())

    def _set_back(self) -> None:
        if self._known:
            _RESET.write_text(_RESET_PEAK)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Follow the steps that the search times."""
        timed = Stopwatch.timed

        @contextmanager
        def timed_and_entered(watch: Stopwatch, step: str) -> Iterator[None]:
            self.enter(step)
            try:
                with timed(watch, step):
                    yield
            finally:
                self.enter(BETWEEN)

        with patch.object(Stopwatch, "timed", timed_and_entered):
            yield
