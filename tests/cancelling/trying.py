"""Starts a command, cancels it at a random moment, and says what is wrong with how it ended."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from noisyor.core import NoisyorError
from noisyor.formats.score_files import read_scores
from tests.cancelling.commands import Job
from tests.support.effort import HANGS_AFTER
from tests.support.killed_runs import LEFTOVER

SIGNALS = (signal.SIGINT, signal.SIGTERM)
MOST_SECONDS = 20.0
"""From a signal to the end, at most: Ctrl-C leaves 15 seconds to write what was found."""

UNWANTED = ("nanobind", "leaked", "Traceback", "Exception ignored", "core dumped")

LAST = {".html": "</html>", ".xdsl": "</smile>", ".bif": "}"}
"""What files end with that are only looked at."""

# Before its first line, Python itself handles signals; the byte says that this is over.
SCRIPT = """
import os, sys
from noisyor_command import main
import noisyor_command
own = noisyor_command._fill_closed_streams
def began():
    os.write(int(sys.argv.pop(1)), b"!")
    own()
noisyor_command._fill_closed_streams = began
sys.exit(main())
"""


@dataclass
class Ended:
    """How a cancelled command ended: seconds after the signal, status, and what is wrong."""

    job: str
    signal: str
    moment: float
    seconds: float
    status: int
    wrong: list[str] = field(default_factory=list)


class Tries:
    """Tries of one command in a folder that has its inputs."""

    def __init__(self, job: Job, folder: Path, rng: random.Random) -> None:
        self._job = job
        self._folder = folder
        self._rng = rng
        began = time.monotonic()
        process, reading = self._start()
        _, said = process.communicate(timeout=HANGS_AFTER)
        os.close(reading)
        self._usual_seconds = time.monotonic() - began
        if process.returncode != 0:
            raise RuntimeError(f"noisyor {' '.join(job.arguments)}: {said}")
        self._whole = dict(self._contents())

    def cancel(self) -> Ended:
        """Run the command once more, cancel it, and look at what it leaves behind."""
        self._remove_output()
        process, reading = self._start()
        os.read(reading, 1)
        os.close(reading)
        number = self._rng.choice(SIGNALS)
        moment = self._rng.uniform(0, 1.1 * self._usual_seconds)
        time.sleep(moment)
        sent = time.monotonic()
        process.send_signal(number)
        try:
            _, said = process.communicate(timeout=HANGS_AFTER)
        finally:
            process.kill()
        ended = Ended(
            self._job.name, number.name, moment, time.monotonic() - sent, process.returncode
        )
        ended.wrong += self._wrong(ended, said, 128 + number)
        return ended

    def _start(self) -> tuple["subprocess.Popen[str]", int]:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(writing), *self._job.arguments],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writing],
            env={**os.environ, "NOISYOR_LEAK_WARNINGS": "1"},
        )
        os.close(writing)
        return process, reading

    def _wrong(self, ended: Ended, said: str, by_signal: int) -> Iterator[str]:
        if ended.seconds > MOST_SECONDS:
            yield f"took {ended.seconds:.1f} s to end"
        # Once the command is done, and only Python is left to end, the signal has its usual effect.
        done = ended.status in {0, 128 - by_signal}
        if not done and ended.status != by_signal:
            yield f"exit status {ended.status}: {said[-500:]}"
        if any(word in said for word in UNWANTED):
            yield f"said {said[-1500:]}"
        if ended.status == by_signal and said.splitlines()[-1:] != ["interrupted"]:
            yield f"did not end with 'interrupted': {said[-500:]}"
        found = dict(self._contents())
        if done and (missing := self._missing(found.keys(), said)):
            yield f"ended without {sorted(missing)}"
        for name in found:
            try:
                _check_whole(self._folder / name)
            except (NoisyorError, ValueError, pl.exceptions.PolarsError) as error:
                yield f"{name} is not whole: {error}"

    def _missing(self, found: AbstractSet[str], said: str) -> set[str]:
        """Return the files that a command which is done should have written, and has not.

        A cancelled bootstrap ends with the resamples that are done; it must say how many.
        """
        resamples = {name for name in self._whole if "bootstrap" in Path(name).parts}
        told = re.search(r"incomplete: (\d+) of (\d+) bootstrap resamples", said)
        kept = len(resamples & found)
        if told and (int(told[1]), int(told[2])) == (kept, len(resamples)):
            return self._whole.keys() - found - resamples
        return self._whole.keys() - found

    def _output(self) -> Path | None:
        return self._folder / self._job.writes if self._job.writes else None

    def _contents(self) -> Iterator[tuple[str, int]]:
        """Yield the files of the output with their sizes, except what killed runs may leave."""
        output = self._output()
        if output is None:
            return
        for path in sorted(output.rglob("*")) if output.is_dir() else [output]:
            inside = path.relative_to(self._folder)
            checkpoint = "checkpoint" in inside.parts
            if path.is_file() and not checkpoint and not LEFTOVER.fullmatch(path.name):
                yield str(inside), path.stat().st_size

    def _remove_output(self) -> None:
        output = self._output()
        if output is None:
            return
        for path in [*self._folder.glob(f"{output.name}*"), *self._folder.glob(f".{output.name}*")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def _check_whole(path: Path) -> None:
    """Raise if a file was cut off: read it, or look for its last line."""
    if path.suffix == ".json":
        json.loads(path.read_text(encoding="utf-8"))
    elif path.suffix == ".jkl":
        read_scores(path)
    elif path.suffix == ".parquet":
        pl.read_parquet(path)
    elif path.suffix == ".csv":
        pl.read_csv(path, truncate_ragged_lines=False)
    elif not path.read_text(encoding="utf-8").rstrip().endswith(LAST[path.suffix]):
        raise ValueError(f"it does not end with {LAST[path.suffix]!r}")
