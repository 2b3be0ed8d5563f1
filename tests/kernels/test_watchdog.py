"""The watchdog, told of signals through a pipe in a process that does nothing else."""

import signal
import subprocess
import sys

import pytest

from tests.support.effort import HANGS_AFTER

BEGIN = """
import os, signal, time
from noisyor._kernels import kernels
reading, writing = os.pipe()
def send(number):
    os.write(writing, bytes([number]))
"""


def ended(code: str) -> tuple[int, str]:
    """Run code after BEGIN; return the exit status and what was said."""
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + code],
        stderr=subprocess.PIPE,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_second_signal_ends_what_reacts_to_the_first_too_late() -> None:
    code = """
watchdog = kernels.Watchdog(reading, 30.0, 0.2)
send(signal.SIGINT)
time.sleep(0.5)
send(signal.SIGINT)
time.sleep(0.1)
watchdog.extend(10_000.0)
time.sleep(10_000)
"""
    assert ended(code) == (130, "interrupted\n")


def test_a_process_that_is_given_time_may_use_it() -> None:
    code = """
watchdog = kernels.Watchdog(reading, 0.2, 0.1)
send(signal.SIGINT)
watchdog.extend(10_000.0)
time.sleep(1.0)
"""
    assert ended(code) == (0, "")


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
def test_sigterm_and_ctrl_c_at_once_leave_no_time_for_a_result(first: str) -> None:
    """Whichever comes first: whoever sends SIGTERM expects an end within seconds."""
    second = "SIGTERM" if first == "SIGINT" else "SIGINT"
    code = f"""
watchdog = kernels.Watchdog(reading, 0.3, 0.2)
send(signal.{first})
time.sleep(0.1)
send(signal.{second})
time.sleep(0.1)
watchdog.extend(10_000.0)
time.sleep(10_000)
"""
    assert ended(code) == (128 + getattr(signal, first), "interrupted\n")


def test_sigterm_ends_what_ctrl_c_gave_time() -> None:
    code = """
watchdog = kernels.Watchdog(reading, 0.3, 5_000.0)
send(signal.SIGINT)
watchdog.extend(10_000.0)
time.sleep(0.1)
send(signal.SIGTERM)
time.sleep(10_000)
"""
    assert ended(code) == (130, "interrupted\n")


def test_a_message_that_nobody_reads_does_not_keep_the_process() -> None:
    code = """
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"." * 512)
except BlockingIOError:
    os.set_blocking(2, True)
watchdog = kernels.Watchdog(reading, 0.2, 0.1)
send(signal.SIGTERM)
time.sleep(10_000)
"""
    process = subprocess.Popen([sys.executable, "-c", BEGIN + code], stderr=subprocess.PIPE)
    try:
        assert process.wait(HANGS_AFTER) == 143
    finally:
        process.kill()
        process.communicate()
