"""Processes that solve problems, each problem with a time limit."""

import faulthandler
import json
import selectors
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from tests.soak.figures import Figures, command
from tests.soak.trying import try_number

SECONDS_A_PROBLEM = 60.0
STARTING_SECONDS = 120.0
SERVE = "from tests.soak.workers import serve; serve()"
_MOST_SAID = 2000  # characters of a dead process's output


class Worker:
    """A process that solves problems; one that hangs or dies is replaced by a new one."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._child: subprocess.Popen[str] | None = None
        self._said: IO[bytes] | None = None

    def answer(self, seed: int, number: int, seconds: float) -> dict[str, Any] | None:
        """Return the outcome of a problem, or None if it did not finish in time.

        A process that dies raises a ChildProcessError with the reason.
        """
        child = self._started()
        assert child.stdin is not None
        with suppress(BrokenPipeError):  # the answer will say how it died
            child.stdin.write(f"{seed} {number}\n")
            child.stdin.flush()
        line = _line_within(child, seconds)
        if line is None:
            self.end()
            return None
        if not line:
            code = child.wait(seconds)
            said = self._last_words()
            self.end()
            raise ChildProcessError(f"the process died with {code}: {said}")
        result: dict[str, Any] = json.loads(line)
        return result

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None
        if self._said is not None:
            self._said.close()
            self._said = None

    def _started(self) -> "subprocess.Popen[str]":
        if self._child is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the process)
            self._child = subprocess.Popen(
                [sys.executable, "-c", self._source],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                text=True,
            )
            if _line_within(self._child, STARTING_SECONDS) != "ready\n":
                said = self._last_words()
                self.end()
                raise RuntimeError(f"a process does not start: {said}")
        return self._child

    def _last_words(self) -> str:
        assert self._said is not None
        self._said.seek(0)
        return self._said.read().decode(errors="replace")[-_MOST_SAID:]


def _line_within(child: "subprocess.Popen[str]", seconds: float) -> str | None:
    assert child.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        if not selector.select(seconds):
            return None
    return child.stdout.readline()


def serve() -> None:
    """Solve problems read from standard input, a seed and a number per line; answer in JSON."""
    faulthandler.enable()
    warnings.simplefilter("error")
    _say("ready")
    for line in sys.stdin:
        seed, number = map(int, line.split())
        _say(json.dumps(try_number(seed, number).as_json()))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Soak:
    """Problems for several processes, until time is up or no problem is left."""

    def __init__(self, figures: Figures, numbers: Iterator[int], until: float) -> None:
        self.figures = figures
        self._numbers = numbers
        self._until = until
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []
        self._workers: list[Worker] = []
        self._threads: list[threading.Thread] = []

    def start(self, jobs: int) -> None:
        """Start the processes."""
        for _ in range(jobs):
            worker = Worker(SERVE)
            thread = threading.Thread(target=self._work, args=(worker,), daemon=True)
            self._workers.append(worker)
            self._threads.append(thread)
            thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for at most this long, and return whether all is done; errors are raised here."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        if self._failures:
            raise self._failures[0]
        return not any(thread.is_alive() for thread in self._threads)

    def end(self) -> None:
        """End the processes; problems that are being tried are not counted."""
        self._until = -1.0
        for worker in self._workers:
            worker.end()

    def _work(self, worker: Worker) -> None:
        try:
            while time.monotonic() < self._until:
                with self._lock:
                    number = next(self._numbers, None)
                if number is None:
                    break
                self._try(worker, number)
        except BaseException as failure:  # noqa: BLE001  (raised again by wait)
            if self._until > 0:
                self._failures.append(failure)
        finally:
            worker.end()

    def _try(self, worker: Worker, number: int) -> None:
        seed = self.figures.seed
        again = command(seed, number)
        try:
            outcome = worker.answer(seed, number, SECONDS_A_PROBLEM)
        except ChildProcessError as death:
            if self._until < 0:  # this class ended it
                return
            with self._lock:
                self.figures.problems["died"] += 1
                self.figures.note("died", again, [str(death)])
            return
        with self._lock:
            if outcome is None:
                self.figures.time_out(again)
            else:
                self.figures.add(outcome)
