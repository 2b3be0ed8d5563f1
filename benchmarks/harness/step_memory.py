"""How much memory each step of learning had resident at most."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks.harness.resources import peak_mib
from noisyor.search.clock import Stopwatch

BETWEEN = "between"
"""What is neither read, scored nor in a step that the search times."""

_RESET = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # see proc_pid_clear_refs(5)


class StepMemory:
    """The peak of resident memory in MiB, by step; a step that comes again has its highest.

    Linux notes the peak of a process and lets it be set back, which is done whenever the step
    changes, so no moment is missed. Where there is no such note, `peaks` stays empty.
    """

    def __init__(self, step: str) -> None:
        """Begin with a step."""
        self.peaks: dict[str, float] = {}
        self._known = _RESET.exists()
        self._step = step
        self._set_back()

    def enter(self, step: str) -> None:
        """End the step so far, and begin another."""
        self.note()
        self._step = step
        self._set_back()

    def note(self) -> None:
        """Count what the step has had until now."""
        if self._known:
            self.peaks[self._step] = max(self.peaks.get(self._step, 0.0), peak_mib())

    def _set_back(self) -> None:
        if self._known:
            _RESET.write_text(_RESET_PEAK)

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Enter the steps that the search times, as it does."""
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
