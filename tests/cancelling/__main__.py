"""Cancel every command at random moments, by Ctrl-C and by SIGTERM.

    python -m tests.cancelling --times 50 --seed 1 -o build/cancelling.json

Each command runs on a small table once to its end, and is then started again so many times. A
signal comes at a random moment. It must end soon with the status of the signal, or have ended
before; what it has written is whole or absent; it says one word, and no library says anything. If
something is wrong, the exit code is 1, and the figures say what.
"""

import argparse
import json
import random
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from noisyor.files.whole import write_whole
from tests.cancelling.commands import JOBS, write_inputs
from tests.cancelling.trying import Ended, Tries

SOON = 2.0
"""Seconds in which a command is expected to end on a machine that is not overloaded."""


def main(arguments: list[str] | None = None) -> int:
    """Cancel the commands, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.cancelling", description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="of each command")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--only", action="append", help="this command, by name")
    parser.add_argument("-o", "--output", type=Path, default=Path("build/cancelling.json"))
    asked = parser.parse_args(arguments)
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    every: dict[str, dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        for job in JOBS:
            if asked.only and job.name not in asked.only:
                continue
            tries = Tries(job, folder, random.Random(f"{asked.seed} {job.name}"))  # noqa: S311
            ended = [tries.cancel() for _ in range(asked.times)]
            every[job.name] = figures(ended)
            write_whole({asked.output: (json.dumps(every, indent=1) + "\n").encode()})
            sys.stdout.write(f"{job.name}: {json.dumps(every[job.name])[:400]}\n")
            sys.stdout.flush()
    return 1 if any(one["wrong"] for one in every.values()) else 0


def figures(ended: list[Ended]) -> dict[str, object]:
    """Return the figures of one command's tries."""
    return {
        "tries": len(ended),
        "interrupted": sum(one.status > 0 for one in ended),
        "done_before": sum(one.status <= 0 for one in ended),
        "longest_seconds": round(max(one.seconds for one in ended), 2),
        "above_two_seconds": sum(one.seconds > SOON for one in ended),
        "wrong": [asdict(one) for one in ended if one.wrong],
    }


if __name__ == "__main__":
    sys.exit(main())
