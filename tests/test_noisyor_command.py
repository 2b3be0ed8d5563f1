"""The command from its first line on: Ctrl-C and SIGTERM while it loads are as quiet as later."""

import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from noisyor.cli.terminal import EXIT_INTERRUPTED

pytestmark = pytest.mark.timeout(120)

MODULE, FUNCTION = tomllib.loads(
    (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
)["project"]["scripts"]["noisyor"].split(":")
STARTS = 6

# What the installed script does; it tells when the command turns to loading the package.
SCRIPT = f"""
import sys

class Loading:
    def find_spec(self, name, path, target=None):
        if name == "noisyor":
            print("loading", flush=True)

sys.meta_path.insert(0, Loading())
from {MODULE} import {FUNCTION}
sys.exit({FUNCTION}())
"""


def started(*arguments: str) -> "subprocess.Popen[bytes]":
    """Start the command, and return when it loads the package."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stdin=pipe, stdout=pipe, stderr=pipe
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"loading\n"
    return process


def test_ctrl_c_and_sigterm_at_any_moment_of_the_start_are_said_in_one_word() -> None:
    """It then waits for the table on its standard input, for which there is one more moment."""
    began = time.monotonic()
    with started("--version") as whole:
        assert whole.wait(timeout=30) == 0
    took = time.monotonic() - began
    for turn in range(STARTS):
        with started("learn", "-", "--format", "csv") as process:
            time.sleep(1.2 * took * turn / (STARTS - 1))
            process.send_signal((signal.SIGINT, signal.SIGTERM)[turn % 2])
            _, said = process.communicate(timeout=30)
        assert said == b"interrupted\n"
        assert process.returncode == EXIT_INTERRUPTED


def test_ctrl_c_that_is_to_be_ignored_is_ignored() -> None:
    """As in a shell's scripts, where commands in the background must not end by it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = started("--version")
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert told.startswith(b"noisyor ")
    assert said == b""
