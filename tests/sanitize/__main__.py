"""Run the tests of the kernels under a sanitizer, one file at a time, and keep what was found.

    .venv-sanitize-address/bin/python -m tests.sanitize address
    .venv-sanitize-thread/bin/python -m tests.sanitize thread

The environment has kernels that were built with the sanitizer; `make sanitize` makes both.
A file that passed is not run again until the file, the kernels or the package change, so a run that
was stopped goes on where it ended. No file is begun once the run has used the processor time it may
use. The exit code is 1 if a sanitizer or a test found something, 3 if files are left, and else 0.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDERS = ("kernels", "fitting", "scoring", "search")

REPORTS = ("ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer", "FATAL: ")
SETARCH = "/usr/bin/setarch"  # of util-linux, which every Linux has
CUT_OFF = 1800.0  # seconds by the clock: what takes longer hangs
HANGS_AFTER = 1500  # seconds of one test
MEASURES_MEMORY = "test_a_thread_keeps_to_its_bound_however_many_families_are_tried"
OPTIONS = ("-q", "-p", "no:cacheprovider", "-m", "not slow", f"--timeout={HANGS_AFTER}")
LEFT_OUT = ("--deselect", f"tests/scoring/test_memory.py::{MEASURES_MEMORY}")
NO_TESTS = 5  # the exit code of pytest: all tests of a file may be slow, or skipped
MOST_SAID = 6000  # characters kept of the output of a file that failed

# Python is not built with sanitizers, so their libraries must be there before it starts, and
# libstdc++ with them: else they cannot intercept its exceptions. Python itself leaks on purpose.
LIBRARIES = {
    "address": ("libasan.so", "libubsan.so", "libstdc++.so.6"),
    "thread": ("libtsan.so", "libstdc++.so.6"),
}
SETTINGS = {
    "address": {
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
    },
    # Libraries that were not built with it share memory in ways that it cannot see.
    "thread": {
        "TSAN_OPTIONS": f"suppressions={Path(__file__).parent}/thread.txt:"
        "ignore_noninstrumented_modules=1:die_after_fork=0:exitcode=66:halt_on_error=0",
    },
}


def main() -> int:
    """Run what is left, print each file's outcome, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sanitizer", choices=list(LIBRARIES))
    parser.add_argument("--minutes", type=float, default=60.0, help="of processor time, in all")
    parser.add_argument("--output", type=Path, help="default: build/sanitize-SANITIZER.json")
    asked = parser.parse_args()
    # Tests interrupt themselves; what a shell runs in the background would ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    path: Path = asked.output or ROOT / "build" / f"sanitize-{asked.sanitizer}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    stored: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    common = digest_of([*ROOT.glob("cpp/**/*.?pp"), *ROOT.glob("src/**/*.py")])
    left = []
    for file in test_files():
        name = str(file.relative_to(ROOT))
        digest = digest_of([file]) + common
        if stored.get(name, {}).get("digest") == digest and not stored[name]["found"]:
            continue
        if processor_seconds() > 60 * asked.minutes:
            left.append(name)
            continue
        stored[name] = {"digest": digest, **run(name, asked.sanitizer)}
        path.write_text(json.dumps(stored, indent=1) + "\n")
        say(line_of(name, stored[name]))
    known = {str(file.relative_to(ROOT)) for file in test_files()}
    bad = sorted(name for name in stored if name in known and stored[name]["found"])
    say(summary_of([stored[name] for name in sorted(known & stored.keys())], bad, left))
    return 1 if bad else 3 if left else 0


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def test_files() -> Iterator[Path]:
    """Yield the files of tests that use kernels, but for those of clusters, which use the same."""
    for folder in FOLDERS:
        for file in sorted((ROOT / "tests" / folder).rglob("test_*.py")):
            if "cluster" not in file.name:
                yield file


def digest_of(files: list[Path]) -> str:
    """Return a digest of the content of files."""
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:12]


def processor_seconds() -> float:
    """Return the processor time of all tests that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(name: str, sanitizer: str) -> dict[str, Any]:
    """Run a file's quick tests, and return what they did and what was found."""
    before = processor_seconds()
    with tempfile.TemporaryFile() as said:
        # Without random addresses, where the thread sanitizer does not find its own.
        child = subprocess.Popen(
            [SETARCH, "--addr-no-randomize", sys.executable, *options_of(sanitizer), name],
            cwd=ROOT,
            env={**os.environ, **SETTINGS[sanitizer], "LD_PRELOAD": preloaded(sanitizer)},
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = child.wait(CUT_OFF)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            code = child.wait()
        said.seek(0)
        output = said.read().decode(errors="replace")
    passed = re.search(r"(\d+) passed", output)
    reports = sum(output.count(report) for report in REPORTS)
    skipped = re.search(r"(\d+) skipped", output)
    wrong = reports > 0 or code not in {0, NO_TESTS}
    return {
        "tests": int(passed[1]) if passed else 0,
        "processor_seconds": round(processor_seconds() - before, 1),
        "reports": reports,
        "exit_code": code,
        "skipped": int(skipped[1]) if skipped else 0,
        "found": output[-MOST_SAID:] or "nothing was said" if wrong else "",
    }


def options_of(sanitizer: str) -> list[str]:
    """Return the options of Python and of pytest."""
    without = ["-p", "tests.sanitize.without_polars"] if sanitizer == "thread" else []
    return ["-m", "pytest", *OPTIONS, *LEFT_OUT, *without]


def preloaded(sanitizer: str) -> str:
    """Return the libraries that are loaded before Python."""
    compiler = os.environ.get("CXX", "c++")
    return " ".join(
        subprocess.check_output([compiler, f"-print-file-name={library}"], text=True).strip()
        for library in LIBRARIES[sanitizer]
    )


def line_of(name: str, outcome: dict[str, Any]) -> str:
    """Return a file's outcome in a line, and what it said if something was found."""
    said = f"{name}: {outcome['tests']} tests, {outcome['processor_seconds']:.0f} s"
    if outcome["found"]:
        return f"{said}, exit code {outcome['exit_code']}\n{outcome['found']}"
    return said


def summary_of(outcomes: list[dict[str, Any]], bad: list[str], left: list[str]) -> str:
    """Return the totals."""
    tests = sum(outcome["tests"] for outcome in outcomes)
    seconds = sum(outcome["processor_seconds"] for outcome in outcomes)
    run = sum(outcome["tests"] > 0 for outcome in outcomes)
    return (
        f"{tests:,} tests of {run} files, {len(outcomes) - run} files skipped, "
        f"{seconds / 60:.0f} minutes of processor time; "
        f"found something in: {', '.join(bad) or 'none'}; left: {', '.join(left) or 'none'}"
    )


if __name__ == "__main__":
    sys.exit(main())
