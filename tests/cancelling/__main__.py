"""Cancel every command at random moments, by Ctrl-C and by SIGTERM.

    python -m tests.cancelling --times 50 --seed 1 -o build/cancelling.json

Each command runs on a small table once to its end, and is then started again so many times. A
signal comes at a random moment. It must end soon with the status of the signal, or have ended
before; what it has written is whole or absent; it says one word, and no library says anything. If
something is wrong, the exit code is 1, and the figures say what. The commands take turns, and the
same command line goes on from what the output has, so a run that was stopped is not lost.
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

IN_TURN = 10
"""Tries of a command before the next one has its turn."""

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
    ended = ends_in(asked.output)
    jobs = [job for job in JOBS if not asked.only or job.name in asked.only]
    with tempfile.TemporaryDirectory() as name:
        write_inputs(Path(name))
        tries: dict[str, Tries] = {}
        for upto in [*range(IN_TURN, asked.times, IN_TURN), asked.times]:
            for job in jobs:
                own = ended.setdefault(job.name, [])
                if len(own) >= upto:
                    continue
                moments = random.Random(f"{asked.seed} {job.name} {len(own)}")  # noqa: S311
                if job.name not in tries:
                    tries[job.name] = Tries(job, Path(name), moments)
                own += [tries[job.name].cancel() for _ in range(len(own), upto)]
                every = {job: figures(ends) for job, ends in ended.items()}
                write_whole({asked.output: (json.dumps(every, indent=1) + "\n").encode()})
                said = {key: value for key, value in every[job.name].items() if key != "each"}
                sys.stdout.write(f"{job.name}: {json.dumps(said)[:400]}\n")
                sys.stdout.flush()
    return 1 if any(one.wrong for ends in ended.values() for one in ends) else 0


def ends_in(path: Path) -> dict[str, list[Ended]]:
    """Return how the commands ended that an earlier run tried, by job."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {job: [Ended(**one) for one in own["each"]] for job, own in stored.items()}


def figures(ended: list[Ended]) -> dict[str, object]:
    """Return the figures of one command's tries, and each of them."""
    return {
        "tries": len(ended),
        "interrupted": sum(one.status > 0 for one in ended),
        "done_before": sum(one.status <= 0 for one in ended),
        "longest_seconds": round(max(one.seconds for one in ended), 2),
        "above_two_seconds": sum(one.seconds > SOON for one in ended),
        "wrong": [asdict(one) for one in ended if one.wrong],
        "each": [asdict(one) for one in ended],
    }


if __name__ == "__main__":
    sys.exit(main())
