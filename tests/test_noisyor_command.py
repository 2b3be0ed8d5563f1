"""The command from its first line: Ctrl-C and SIGTERM while it loads are as quiet as later."""

import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from shlex import quote

import pytest

from noisyor.cli.terminal import EXIT_ERROR, EXIT_UNFINISHED
from tests.support.effort import HANGS_AFTER, chosen

MODULE, FUNCTION = tomllib.loads(
    (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
)["project"]["scripts"]["noisyor"].split(":")
STARTS = chosen(quick=3, full=6)

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
        assert whole.wait(timeout=HANGS_AFTER) == 0
    took = time.monotonic() - began
    for turn in range(STARTS):
        with started("learn", "-", "--format", "csv") as process:
            time.sleep(1.2 * took * turn / (STARTS - 1))
            number = (signal.SIGINT, signal.SIGTERM)[turn % 2]
            process.send_signal(number)
            _, said = process.communicate(timeout=HANGS_AFTER)
        assert said == b"interrupted\n"
        assert process.returncode == 128 + number


def test_ctrl_c_that_is_to_be_ignored_is_ignored() -> None:
    """As in a shell's scripts, where commands in the background must not end by it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = started("--version")
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=HANGS_AFTER)
    assert process.returncode == 0
    assert told.startswith(b"noisyor ")
    assert said == b""


ARGUMENTS = chosen(
    quick=["examples", "--help"], full=["examples", "--version", "--help", "search --help"]
)
CALL = f"import sys; from {MODULE} import {FUNCTION}; sys.exit({FUNCTION}())"


def by_shell(arguments: str, rest: str) -> "subprocess.CompletedProcess[str]":
    """Run the command with arguments and redirections that a shell understands."""
    return subprocess.run(
        [
            "/bin/bash",
            "-c",
            f"set -o pipefail; {quote(sys.executable)} -c '{CALL}' {arguments} {rest}",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_AFTER,
    )


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("rest", [">&-", "| true", ">&- <&-"])
def test_output_that_nobody_reads_ends_it_quietly(arguments: str, rest: str) -> None:
    ended = by_shell(arguments, rest)
    # A reader that ends late may have left nothing to complain about.
    assert ended.returncode in ({EXIT_UNFINISHED, 0} if "|" in rest else {EXIT_UNFINISHED})
    assert ended.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_output_that_cannot_be_written_is_an_error_in_one_line(arguments: str) -> None:
    ended = by_shell(arguments, "> /dev/full")
    assert ended.returncode == EXIT_ERROR
    assert ended.stderr == "error: cannot write the result: No space left on device\n"


def test_files_do_not_get_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    """The first file that is opened would, and then get what is printed."""
    output = tmp_path / "pump.csv"
    ended = by_shell(f"examples pump -o {output}", "<&- >&- 2>&-")
    assert ended.returncode == 0
    assert output.read_text(encoding="utf-8").startswith("worn_bearing,")
    assert by_shell("describe nothing.csv", "<&- >&- 2>&-").returncode == EXIT_ERROR
    ended = by_shell("describe - --format csv", "<&-")
    assert ended.returncode == EXIT_ERROR
    assert ended.stderr.startswith("error: standard input: the file is empty")
    ended = by_shell(f"describe {output}", "2>&-")
    assert "10 variables" in ended.stdout


def test_the_package_runs_as_the_command() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "noisyor", "--version"],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_AFTER,
    )
    assert ended.stdout.startswith("noisyor ")
    assert not ended.stderr
