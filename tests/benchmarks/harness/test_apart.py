"""Tasks in worker processes: answers, errors, and tasks that hang or die."""

import multiprocessing
import os
import signal
import time
from contextlib import closing

import pytest

from benchmarks.harness.apart import Answer, Failure, Nothing, outcomes

LONG = 60.0


def test_every_task_is_answered_once() -> None:
    tasks = [(str(number), (number, 2)) for number in range(6)]
    found = dict(outcomes(pow, tasks, workers=2, seconds=LONG))
    assert found == {str(number): Answer(number**2) for number in range(6)}


def test_a_mistake_is_told_and_the_others_go_on() -> None:
    tasks = [("bad", ("x",)), ("good", ("7",))]
    found = dict(outcomes(int, tasks, workers=1, seconds=LONG))
    assert found["good"] == Answer(7)
    assert isinstance(found["bad"], Failure)
    assert "ValueError" in found["bad"].text


def test_what_hangs_is_killed_and_the_others_go_on() -> None:
    tasks = [("hangs", (LONG,)), ("ends", (0,))]
    started = time.monotonic()
    found = dict(outcomes(time.sleep, tasks, workers=2, seconds=2.5))
    assert found == {"hangs": Nothing("it was killed after 2.5 s"), "ends": Answer(None)}
    assert time.monotonic() - started < LONG / 2


def test_a_process_that_the_system_ends_is_no_mistake_of_the_program() -> None:
    tasks = [("one", (signal.SIGKILL,)), ("other", (signal.SIGKILL,))]
    found = dict(outcomes(signal.raise_signal, tasks, workers=1, seconds=LONG))
    assert found == dict.fromkeys(["one", "other"], Nothing("its process was ended by SIGKILL"))


def test_a_process_that_exits_is_a_mistake() -> None:
    found = dict(outcomes(os._exit, [("exits", (3,))], workers=1, seconds=LONG))
    assert found == {"exits": Failure("its process ended with exit status 3")}


def test_leaving_early_leaves_no_process_behind() -> None:
    def leave() -> None:
        with closing(outcomes(time.sleep, tasks, workers=2, seconds=LONG)) as ended:
            next(ended)
            assert multiprocessing.active_children()
            raise KeyboardInterrupt

    tasks = [("short", (0,)), ("long", (LONG,))]
    with pytest.raises(KeyboardInterrupt):
        leave()
    assert not multiprocessing.active_children()
