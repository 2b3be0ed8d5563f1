"""Try one mutated input after another on every reader, until the time is over.

    python -m tests.fuzz.try_inputs --seconds 300

Each reader runs in a separate process with limits on memory and on the time of an input. An input
that is neither read nor refused with a NoisyorError, takes too long, or kills the process, is a
finding: it is written to the folder of findings, and the exit code is 1.
"""

import argparse
import os
import random
import resource
import selectors
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.core.warning import ConversionWarning
from noisyor.data.warning import DataWarning
from tests.fuzz.corpus import inputs_for
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS, outcome

SECONDS_AN_INPUT = 10
BYTES_OF_MEMORY = 2 * 2**30
"""The memory for an input, in addition to that of a process that has read the seeds."""

_STARTING_SECONDS = 60


def main() -> int:
    """Try inputs on the given readers, and return the exit code."""
    options = _options()
    options.findings.mkdir(parents=True, exist_ok=True)
    names = options.reader or list(READERS)
    total: Counter[str] = Counter()
    for name in names:
        counts = _try_reader(name, options.seconds / len(names), options.seed, options.findings)
        say(_line(name, counts))
        total += counts
    say(_line("all", total))
    return 1 if total["found"] else 0


def say(text: str) -> None:
    """Print a line and flush."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _line(name: str, counts: Counter[str]) -> str:
    return " ".join([f"{name:20}", *(f"{key} {count}" for key, count in sorted(counts.items()))])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="for all readers together")
    parser.add_argument("--seed", type=int, default=0, help="of the changes")
    parser.add_argument("--reader", action="append", choices=list(READERS), help="only this one")
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    return parser.parse_args()


def _try_reader(name: str, seconds: float, seed: int, findings: Path) -> Counter[str]:
    """Try inputs on a reader until its time is over, and count the outcomes."""
    numbers = random.Random(f"{name} {seed}")  # noqa: S311  (to be repeated)
    seeds = list(inputs_for(name).values())
    counts: Counter[str] = Counter()
    waiting = list(seeds)
    while True:
        with tempfile.TemporaryDirectory() as folder, _child(name) as child:
            end = time.monotonic() + seconds
            while True:
                content = waiting.pop() if waiting else mutated(seeds, numbers)
                path = Path(folder) / "input"
                path.write_bytes(content)
                said = _answer(child, f"{path}\n", SECONDS_AN_INPUT)
                counts[said if said in {"read", "refused"} else "found"] += 1
                if said not in {"read", "refused"}:
                    kept = findings / f"{name}-{seed}-{counts.total()}"
                    kept.write_bytes(content)
                    say(f"{name}: {said}; kept as {kept}")
                if time.monotonic() >= end and not waiting:
                    return counts
                if child.poll() is not None or said == "too slow":
                    break
            seconds = end - time.monotonic()


@contextmanager
def _child(name: str) -> Iterator["subprocess.Popen[str]"]:
    """Provide a process that tries inputs by path, and end it in any case."""
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", f"from tests.fuzz.try_inputs import serve; serve({name!r})"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # where polars reports a panic before raising it
        text=True,
        env=environment,
    ) as child:
        try:
            if _answer(child, "", _STARTING_SECONDS) != "ready":
                raise RuntimeError(f"the process for {name} does not start")
            yield child
        finally:
            child.kill()


def _answer(child: "subprocess.Popen[str]", question: str, seconds: float) -> str:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(question)
    child.stdin.flush()
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        if not selector.select(seconds):
            return "too slow"
    return child.stdout.readline().strip() or f"died with {child.wait(seconds)}"


def serve(name: str) -> None:
    """Try inputs whose paths come on standard input, and print the outcome of each."""
    warnings.simplefilter("error")
    for allowed in (DataWarning, ConversionWarning):
        warnings.simplefilter("ignore", allowed)
    reader = READERS[name]
    outcome(reader, next(iter(inputs_for(name).values())))
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = used * resource.getpagesize() + BYTES_OF_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    say("ready")
    for line in sys.stdin:
        try:
            said = outcome(reader, Path(line.rstrip("\n")).read_bytes())
        except BaseException as error:  # noqa: BLE001  (a panic of polars is not an Exception)
            place = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        say(said)


if __name__ == "__main__":
    sys.exit(main())
