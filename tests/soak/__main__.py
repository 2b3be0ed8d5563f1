"""Solve random problems in every available way until time is up.

    python -m tests.soak --seconds 3600 --seed 1 -o build/soak.json
    python -m tests.soak --problem 1:4711

Each problem is a table of families or a table of records with settings, drawn from the seed and its
number. It is solved with bounds from the linear program, without, and as the package chooses, by
table and by price, and by brute force if all networks can be listed. Optimum, count, members, and
the number of networks with each family, edge, parent set and relation must agree. Some tables have
gaps: EM completes them, by table and by price, on one thread and more, and each result is compared
with brute force for its completions. One problem in three is also sampled, and the shares compared
with the enumerated ones. If anything disagrees, the exit code is 1, and the figures show how to
reproduce the problem.
"""

import argparse
import json
import sys
import time
import warnings
from itertools import count
from pathlib import Path

from noisyor.files.whole import check_target
from tests.soak.figures import Figures
from tests.soak.trying import try_number
from tests.soak.workers import Soak

SHOWN_EVERY = 30.0
WRITTEN_EVERY = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Run the requested problems, and return the exit code."""
    options = _options(arguments)
    if options.problem:
        return _one(*options.problem)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    check_target(options.output)
    figures = Figures(options.seed)
    numbers = count() if options.problems is None else iter(range(options.problems))
    soak = Soak(figures, numbers, time.monotonic() + options.seconds)
    try:
        soak.start(options.jobs)
        _watch(soak, options.output)
    finally:
        soak.end()
        figures.write(options.output)
        say(f"{figures.line()}; written to {options.output}")
    return 1 if figures.disagreements else 0


def _watch(soak: Soak, output: Path) -> None:
    """Show and write the figures regularly until the soak ends."""
    written = time.monotonic()
    while not soak.wait(SHOWN_EVERY):
        seconds = time.monotonic() - soak.figures.started
        say(f"{seconds:5.0f} s: {soak.figures.line()}")
        if time.monotonic() - written >= WRITTEN_EVERY - 1:
            soak.figures.write(output)
            written = time.monotonic()


def _one(seed: int, number: int) -> int:
    """Run one problem in this process and report everything."""
    warnings.simplefilter("error")
    outcome = try_number(seed, number)
    say(json.dumps(outcome.as_json(), indent=2))
    return 1 if outcome.disagreements else 0


def say(text: str) -> None:
    """Print a line without buffering."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _pair(text: str) -> tuple[int, int]:
    seed, _, number = text.partition(":")
    return int(seed), int(number)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600, help="begin problems for so long")
    parser.add_argument("--problems", type=int, help="at most so many (no limit)")
    parser.add_argument("--seed", type=int, default=0, help="of the problems")
    parser.add_argument("--jobs", type=int, default=1, help="processes that try problems")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/soak.json"))
    parser.add_argument("--problem", type=_pair, metavar="SEED:NUMBER", help="only this one")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
