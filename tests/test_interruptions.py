"""Ctrl-C and SIGTERM end a command soon, also while native code runs that knows nothing of them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from noisyor.cli.interruptions import GRACE
from noisyor.data.examples import example_csv
from tests.cli.test_cli import run
from tests.support.effort import HANGS_AFTER
from tests.support.killed_runs import ended, started
from tests.support.stuck_runs import stuck_command
from tests.test_noisyor_command import CALL

READING = "noisyor.cli.describe_command:read_usable"
PROGRAM = "noisyor.search.bounds.linear_program:LinearProgram._run"
FIT = "noisyor.fitting.causes:_fit_level"
WRITING = "noisyor.files.whole:_write_through"


@pytest.fixture
def pump(tmp_path: Path) -> Path:
    path = tmp_path / "pump.csv"
    path.write_bytes(example_csv("pump"))
    return path


def interrupted_while_stuck(
    arguments: list[str], place: str, folder: Path, *numbers: signal.Signals
) -> tuple[int, str, float]:
    """Send signals to a stuck command; return its exit status, what it said and the seconds."""
    mark, said = folder / "stuck", folder / "said"
    process = started(stuck_command, arguments, said, place, mark)
    until = time.monotonic() + HANGS_AFTER
    while not mark.exists() and process.is_alive() and time.monotonic() < until:
        time.sleep(0.01)
    assert mark.exists(), said.read_text(encoding="utf-8")
    assert process.pid is not None
    began = time.monotonic()
    for number in numbers:
        os.kill(process.pid, number)
    status = ended(process)
    return status, said.read_text(encoding="utf-8"), time.monotonic() - began


@pytest.mark.parametrize(
    ("number", "place", "arguments"),
    [
        (signal.SIGTERM, READING, "describe"),
        (signal.SIGINT, WRITING, "learn -o run --quiet"),
        pytest.param(signal.SIGTERM, WRITING, "learn -o run --quiet", marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, PROGRAM, "learn --method price", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, FIT, "learn --method price", marks=pytest.mark.slow),
    ],
)
def test_a_command_that_is_stuck_in_native_code_is_ended(
    tmp_path: Path,
    pump: Path,
    number: signal.Signals,
    place: str,
    arguments: str,
) -> None:
    name, *options = arguments.split()
    options = [str(tmp_path / one) if one == "run" else one for one in options]
    asked = [name, str(pump), *options]
    status, said, seconds = interrupted_while_stuck(asked, place, tmp_path, number)
    assert status == 128 + number
    assert said.splitlines()[-1] == "interrupted"
    assert said.count("interrupted") == 1
    assert seconds > 0.9 * GRACE
    if "-o" in options:
        assert not (tmp_path / "run" / "summary.json").exists()
        assert run(*asked).exit_code == 0
        assert (tmp_path / "run" / "summary.json").exists()


def test_two_signals_at_once_are_one(tmp_path: Path, pump: Path) -> None:
    """A wrapper may pass on the signal that the terminal has sent already."""
    twice = (signal.SIGTERM, signal.SIGTERM)
    status, said, seconds = interrupted_while_stuck(
        ["describe", str(pump)], READING, tmp_path, *twice
    )
    assert (status, said) == (143, "interrupted\n")
    assert seconds > 0.9 * GRACE


@pytest.mark.parametrize("interrupted", [False, True])
def test_the_binding_library_leaves_no_messages(
    tmp_path: Path, pump: Path, interrupted: bool
) -> None:
    """Neither at the usual end of a command nor when it is interrupted at work."""
    folder = tmp_path / "run"
    options = ["-o", str(folder), "--bootstrap", "300"] if interrupted else ["--method", "price"]
    process = subprocess.Popen(
        [sys.executable, "-c", CALL, "learn", str(pump), "--quiet", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOISYOR_LEAK_WARNINGS": "1"},
    )
    until = time.monotonic() + HANGS_AFTER
    while interrupted and not folder.exists() and time.monotonic() < until:
        time.sleep(0.01)
    if interrupted:
        process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=HANGS_AFTER)
    assert "nanobind" not in said
    if interrupted:  # by then, the command may also have had a result to put together
        assert process.returncode in {0, 128 + signal.SIGTERM}
    else:
        assert (said, process.returncode) == ("", 0)


FINALIZED = """
import os, signal, time
from noisyor.cli.interruptions import interruptions

class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(10):  # Python drops what the handler raises here
            time.sleep(0)

interruptions.handle()
interruptions.begin()
try:
    Finalized()
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted after all")
"""


def test_a_signal_that_comes_while_an_object_is_finalized_comes_again() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FINALIZED],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout == "interrupted after all\n"
    assert ended.returncode == 0
