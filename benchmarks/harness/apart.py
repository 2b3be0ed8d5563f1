"""Run tasks in worker processes, so that a hang or a crash loses only one task."""

import multiprocessing
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from math import inf
from multiprocessing.connection import Connection, wait
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """What the function returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class Nothing:
    """The task timed out, or the system killed its process; `because` says which."""

    because: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The function raised, or its process exited: a bug."""

    text: str


Outcome = Answer | Nothing | Failure


def outcomes(
    function: Callable[..., Any],
    tasks: Iterable[tuple[str, tuple[Any, ...]]],
    *,
    workers: int,
    seconds: float,
) -> Generator[tuple[str, Outcome], None, None]:
    """Yield the key and the outcome of each task as it ends; a task is a key and arguments.

    At most `workers` tasks run at a time; a task is killed after `seconds`. Exhaust the iterator or
    close it: either way no process is left behind.
    """
    waiting = deque(tasks)
    idle: list[_Worker] = []
    busy: list[_Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                worker = idle.pop() if idle else _Worker(function)
                busy.append(worker)
                worker.give(*waiting.popleft(), seconds)
            soonest = min(worker.deadline for worker in busy)
            ready = wait([one.connection for one in busy], max(0.0, soonest - time.monotonic()))
            for worker in list(busy):
                if worker.connection in ready:
                    outcome = worker.take()
                elif worker.deadline <= time.monotonic():
                    worker.end()
                    outcome = Nothing(f"it was killed after {seconds:g} s")
                else:
                    continue
                busy.remove(worker)
                if worker.process.is_alive():
                    idle.append(worker)
                yield worker.key, outcome
    finally:
        for worker in (*idle, *busy):
            worker.end()


class _Worker:
    """A process that runs one task after another."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # A new interpreter: a fork could inherit locks held by threads that do not exist in it.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, function), daemon=True)
        self.process.start()
        theirs.close()  # the connection then closes when the process exits
        self.key, self.deadline = "", inf
        try:
            self.connection.recv()  # ready: starting up does not count towards the first task
        except EOFError as error:
            self.end()
            raise RuntimeError("a process could not start; see above") from error

    def give(self, key: str, arguments: tuple[Any, ...], seconds: float) -> None:
        self.key, self.deadline = key, time.monotonic() + seconds
        self.connection.send(arguments)

    def take(self) -> Outcome:
        try:
            outcome: Outcome = self.connection.recv()
        except EOFError:
            self.process.join()
            status = self.process.exitcode
            if status is not None and status < 0:
                return Nothing(f"its process was ended by {signal.Signals(-status).name}")
            return Failure(f"its process ended with exit status {status}")
        return outcome

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _work(connection: Connection, function: Callable[..., Any]) -> None:
    """Run tasks until the other end of the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles interrupts
    connection.send("ready")
    while True:
        try:
            arguments = connection.recv()
        except EOFError:
            return
        outcome: Outcome
        try:
            outcome = Answer(function(*arguments))
        except Exception:  # noqa: BLE001  (reported to the parent, whatever it is)
            outcome = Failure(traceback.format_exc())
        try:
            connection.send(outcome)
        except BrokenPipeError:
            return
