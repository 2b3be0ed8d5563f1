"""The figures of a soak, and the file that holds them."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from noisyor.core.version import VERSION
from noisyor.files.whole import write_whole

MOST_KEPT = 100
"""Findings that are told in full; the others are counted."""


def command(seed: int, number: int) -> str:
    """Return the command that reproduces a problem."""
    return f"python -m tests.soak --problem {seed}:{number}"


@dataclass
class Figures:
    """The results of all problems so far."""

    seed: int
    started: float = field(default_factory=time.monotonic)
    problems: Counter[str] = field(default_factory=Counter)
    comparisons: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    other: Counter[str] = field(default_factory=Counter)
    largest: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, str] = (0.0, "")
    disagreements: int = 0
    findings: list[dict[str, object]] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)

    def add(self, outcome: dict[str, Any]) -> None:
        """Add the outcome of a problem, as `Outcome.as_json` returns it."""
        again = command(outcome["seed"], outcome["number"])
        self.problems[outcome["kind"]] += 1
        self.comparisons.update(outcome["comparisons"])
        self.other["members_compared"] += outcome["members"]
        for name in ("boundary", "at_the_slack", "not_listed"):
            self.other[name] += outcome[name]
        if outcome["refused"]:
            self.refusals[outcome["refused"]] += 1
        self.largest["n"] = max(self.largest["n"], outcome["n"])
        self.largest["count"] = max(self.largest["count"], outcome["count"])
        self.slowest = max(self.slowest, (outcome["seconds"], again))
        if outcome["disagreements"]:
            self.note(outcome["kind"], again, outcome["disagreements"])

    def note(self, kind: str, again: str, found: list[str]) -> None:
        """Record a disagreement, or a process that died."""
        self.disagreements += 1
        if len(self.findings) < MOST_KEPT:
            self.findings.append({"kind": kind, "command": again, "found": found})

    def time_out(self, again: str) -> None:
        """Note a problem that did not end in its time; of what kind it is, the command tells."""
        self.problems["not finished"] += 1
        self.unfinished.append(again)

    def as_json(self) -> dict[str, object]:
        """Return the figures by name."""
        seconds, again = self.slowest
        return {
            "version": VERSION,
            "seed": self.seed,
            "seconds": round(time.monotonic() - self.started, 1),
            "problems": self.problems.total(),
            "problems_by_kind": dict(sorted(self.problems.items())),
            "comparisons": self.comparisons.total(),
            "comparisons_by_kind": dict(sorted(self.comparisons.items())),
            "members_compared": self.other["members_compared"],
            "largest_n": self.largest["n"],
            "largest_count": self.largest["count"],
            "boundary_problems": self.other["boundary"],
            "problems_with_a_network_at_the_slack": self.other["at_the_slack"],
            "small_problems_too_large_to_list": self.other["not_listed"],
            "refusals": self.refusals.total(),
            "refusals_by_kind": dict(sorted(self.refusals.items())),
            "slowest": {"seconds": round(seconds, 1), "command": again},
            "unfinished": self.unfinished,
            "disagreements": self.disagreements,
            "findings": self.findings,
        }

    def write(self, path: Path) -> None:
        """Write the figures; the file is never partial."""
        write_whole({path: (json.dumps(self.as_json(), indent=2) + "\n").encode()})

    def line(self) -> str:
        """Return the main figures in one line."""
        parts = [
            f"{self.problems.total():,} problems",
            f"{self.comparisons.total():,} comparisons",
            f"{self.other['boundary']:,} on the boundary",
            f"{self.refusals.total():,} refused",
        ]
        if self.unfinished:
            parts.append(f"{len(self.unfinished):,} not finished in their time")
        return ", ".join([*parts, f"{self.disagreements:,} disagreements"])
