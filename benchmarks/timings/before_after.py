"""Check that a change to noisyor does not change its results, and show its cost.

    python -m benchmarks.timings.before_after [NAME ...] [-o FILE] [--datasets FOLDER]
                                              [--jobs N] [--limit SECONDS]
    python -m benchmarks.timings.before_after --compare BEFORE.json AFTER.json

Learns each data set, all but spectf by default, with Bayes factor 20 and the paper's relations, in
a separate process, and writes one entry per data set to FILE as soon as it is known. Two of these
files are compared as a Markdown table; the exit status is 1 if a result differs. On one thread, the
default, the counts of work are reproducible.

Only the public names of noisyor are used, so an environment with another version can run this
module too: call its Python in this folder.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import noisyor
from benchmarks.harness.options import add_datasets, parser_of
from benchmarks.harness.resources import machine, peak_mib

Entry = dict[str, Any]

BAYES_FACTOR = 20
RELATIONS = ("cpt", "noisy-or")
LEFT_OUT = ("spectf",)
"""Not finished in an hour."""

ROUNDED_DIGITS = 9
FOUND = ("complete", "optimum", "networks", "exact")
"""What must be equal in two runs; everything else is work, time and memory."""

WORK = ("fits", "families", "nodes", "cpu_seconds", "peak_mib")
HEADINGS = {
    "fits": "noisy-OR fits",
    "families": "families evaluated",
    "nodes": "search nodes",
    "cpu_seconds": "CPU, s",
    "peak_mib": "peak, MiB",
}


def measure(path: Path, jobs: int, limit: float) -> Entry:
    """Learn from one data set in this process."""
    before = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", noisyor.DataWarning)
        learned = noisyor.learn(
            path, BAYES_FACTOR, relations=RELATIONS, jobs=jobs, time_limit=limit, quiet=True
        )
    seconds, peak = time.process_time() - before, peak_mib()
    summary: Entry = learned.summary()
    search = summary.get("search") or {}
    return {
        "complete": summary["complete"],
        "method": summary["method"],
        "optimum": repr(summary["optimum"]),
        "networks": summary["networks"],
        "exact": digest(learned, None),
        "rounded": digest(learned, ROUNDED_DIGITS),
        "fits": noisy_or_fits(learned),
        "families": summary["families"]["fitted"],
        "nodes": search["subsets"] + search["nodes"] if search else None,
        "cpu_seconds": round(seconds, 2),
        "peak_mib": round(peak, 1),
        "jobs": jobs,
        "machine": machine(),
    }


def digest(learned: noisyor.Learned, digits: int | None) -> str:
    """Return a SHA-256 of the families and arcs of the credible set, with costs and weights.

    Without a number of digits, numbers count to the last bit.
    """

    def text(number: float) -> str:
        return repr(number) if digits is None else f"{number:.{digits}g}"

    credible = learned.credible
    names = credible.names
    families = [
        [
            names[use.family.child],
            sorted(names[parent] for parent in use.family.parent_indices()),
            use.family.relation.name,
            use.networks,
            *map(text, (use.cost, use.weight, use.best_with)),
        ]
        for use in credible.families
    ]
    arcs = [[*arc, use.networks, text(use.weight)] for arc, use in credible.edges().items()]
    written = json.dumps([sorted(families), sorted(arcs)])
    return hashlib.sha256(written.encode()).hexdigest()


def noisy_or_fits(learned: noisyor.Learned) -> int:
    """Return how many noisy-ORs were fitted, as families or to bound them."""
    work = getattr(learned, "work", learned)  # earlier versions had the figures in the result
    source = getattr(work, "source", None)
    if source is not None:  # a search by price
        return int(source.fits)
    relations = learned.summary()["families"]["by_relation"]  # type: ignore[index]
    return sum(one["fitted"] + one["bounds"] for name, one in relations.items() if name != "cpt")


def run_all(names: list[str], options: argparse.Namespace) -> None:
    """Measure data sets one after another, and write the results after each."""
    entries: dict[str, Entry] = {}
    for name in names:
        path = options.datasets / f"{name}.csv"
        if not path.exists():
            sys.exit(f"{path} does not exist; --datasets must name a folder with {name}.csv in it")
        arguments = [str(path), "--jobs", str(options.jobs), "--limit", str(options.limit)]
        command = [sys.executable, "-m", __spec__.name, "--measure", *arguments]
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        entries[name] = json.loads(run.stdout)
        options.output.write_text(json.dumps(entries, indent=1) + "\n")
        print(f"{name}: {entries[name]['cpu_seconds']} s", file=sys.stderr, flush=True)


def compare(before: dict[str, Entry], after: dict[str, Entry]) -> tuple[str, list[str]]:
    """Return a Markdown table of two files, and the data sets whose results differ."""
    lines = [
        f"| data | networks | result | {' | '.join(HEADINGS[one] for one in WORK)} |",
        f"|---|--:|---|{'--:|' * len(WORK)}",
    ]
    different = []
    for name in (name for name in before if name in after):
        old, new = before[name], after[name]
        verdict = verdict_of(old, new)
        if verdict == "**different**":
            different.append(name)
        work = [change(old[one], new[one]) for one in WORK]
        lines.append(f"| {name} | {new['networks']:,} | {verdict} | {' | '.join(work)} |")
    lonely = [name for name in (before | after) if (name in before) != (name in after)]
    lines += ["", f"In one file only: {', '.join(lonely)}."] if lonely else []
    lines += ["", f"Different: {', '.join(different)}." if different else "No result differs."]
    return "\n".join(lines), different


def verdict_of(old: Entry, new: Entry) -> str:
    """Return whether two results agree, and to how many digits."""
    if all(old[one] == new[one] for one in FOUND):
        return "identical"
    same = old["rounded"] == new["rounded"] and old["networks"] == new["networks"]
    optima = {f"{float(one['optimum']):.{ROUNDED_DIGITS}g}" for one in (old, new)}
    if same and len(optima) == 1 and old["complete"] == new["complete"]:
        return f"equal to {ROUNDED_DIGITS} digits"
    return "**different**"


def change(old: float | None, new: float | None) -> str:
    """Return a figure before and after, or once if it is the same."""
    texts = ["-" if one is None else f"{one:,}" for one in (old, new)]
    return texts[0] if texts[0] == texts[1] else " -> ".join(texts)


def main() -> None:
    """Measure, or compare two files."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", help="data sets")
    parser.add_argument("-o", "--output", type=Path, default=Path("before_after.json"))
    add_datasets(parser)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=float, default=3600)
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measure(options.measure, options.jobs, options.limit)))
        return
    if options.compare:
        table, different = compare(*(json.loads(path.read_text()) for path in options.compare))
        print(table)
        sys.exit(bool(different))
    known = sorted(path.stem for path in options.datasets.glob("*.csv"))
    run_all(options.names or [name for name in known if name not in LEFT_OUT], options)


if __name__ == "__main__":
    main()
