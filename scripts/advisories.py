"""Report which packages of a lock have a known advisory; a package without an answer is not clean.

usage: python scripts/advisories.py (pypi | osv | newest) LOCK ...

Called by scripts/audit.sh, which documents the three services and the exit codes.
"""
# ruff: noqa: INP001, T201  # a script that prints

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLEAN, FOUND, BAD_USAGE, NOT_ANSWERED = 0, 1, 2, 3
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """What a database says about one version of a package."""

    package: str
    advisories: tuple[str, ...] = ()
    not_answered_because: str | None = None


def pins_of(lock: str) -> list[tuple[str, str]]:
    """Return every name and version in a lock, for all Pythons and platforms."""
    return PIN.findall(lock)


def answers_of_report(report: str) -> list[Answer]:
    """Read the JSON of pip-audit, which reports success even if it could look up nothing."""
    answers = []
    for package in json.loads(report)["dependencies"]:
        if "skip_reason" in package:
            # The reason ends with the package name; cut it off, so that equal reasons are grouped.
            reason = package["skip_reason"].split(": ")[0]
            answers.append(Answer(package["name"], (), reason))
        else:
            advisories = tuple(found["id"] for found in package["vulns"])
            answers.append(Answer(f"{package['name']} {package['version']}", advisories))
    return answers


def answer_of_page(name: str, version: str, page: dict[str, Any]) -> Answer:
    """Read the pypi.org page of a project, which lists only the newest version's advisories."""
    package, newest = f"{name} {version}", page["info"]["version"]
    if any(file["yanked"] for file in page["releases"].get(version, [])):
        return Answer(package, ("withdrawn by its authors",))
    if version != newest:
        return Answer(package, (), f"the newest is {newest}, and the page covers only that")
    known = (found for found in page["vulnerabilities"] if not found["withdrawn"])
    return Answer(package, tuple(found["id"] for found in known))


def page_of(name: str) -> dict[str, Any]:
    """Fetch the page of a project as JSON."""
    address = f"https://pypi.org/pypi/{name}/json"
    with urllib.request.urlopen(address, timeout=60) as response:
        page: dict[str, Any] = json.load(response)
    return page


def ask_newest(lock: str, fetch: Callable[[str], dict[str, Any]] = page_of) -> list[Answer]:
    """Fetch the project page of every package in a lock."""

    def ask(pin: tuple[str, str]) -> Answer:
        try:
            return answer_of_page(*pin, fetch(pin[0]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            return Answer(" ".join(pin), (), f"cannot read its page: {error!r}")

    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(ask, pins_of(lock)))


def rounds_of(pins: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Split the pins so that no name occurs twice: a lock may have one version per Python."""
    rounds: list[dict[str, str]] = []
    for name, version in pins:
        free = next((one for one in rounds if name not in one), None)
        if free is None:
            rounds.append(free := {})
        free[name] = version
    return [list(one.items()) for one in rounds]


def ask_pip_audit(lock: str, service: str) -> list[Answer]:
    """Run pip-audit, which must be installed beside this Python, on a lock; install nothing.

    It gets names and versions only: given a lock, it would skip what has a marker for another
    Python or platform.
    """
    command = [str(Path(sys.executable).with_name("pip-audit")), "--disable-pip", "--no-deps"]
    command += ["--progress-spinner", "off", "--format", "json", "--vulnerability-service", service]
    answers: list[Answer] = []
    for pins in rounds_of(pins_of(lock)):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.writelines(f"{name}=={version}\n" for name, version in pins)
            file.flush()
            # The exit code is 1 both for an advisory and for a crash: only the report tells.
            asked = subprocess.run(  # noqa: S603  # the command is ours
                [*command, "--requirement", file.name],
                capture_output=True,
                text=True,
                timeout=1800,
                check=False,
            )
        try:
            told = answers_of_report(asked.stdout)
            missing = "pip-audit skipped it"
        except (ValueError, KeyError, TypeError):
            told = []
            missing = (asked.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        names = {one.package.split()[0] for one in told}
        answers += told
        answers += [Answer(" ".join(pin), (), missing) for pin in pins if pin[0] not in names]
    return answers


def verdict(answers: list[Answer]) -> tuple[list[str], int]:
    """Return lines that say what was found and what was not answered, and the exit code.

    A package without an answer is not clean, and neither is a lock without packages.
    """
    found = [one for one in answers if one.advisories]
    silent = [one for one in answers if one.not_answered_because is not None]
    lines = [f"{one.package}: {', '.join(one.advisories)}" for one in found]
    reasons: dict[str, list[str]] = {}
    for one in silent:
        reasons.setdefault(str(one.not_answered_because), []).append(one.package)
    for reason, packages in reasons.items():
        which = "all" if len(packages) == len(answers) else ", ".join(packages)
        lines.append(f"not answered: {which}: {reason}")
    counts = f"{len(answers)} packages: {len(found)} with advisories, {len(silent)} not answered"
    if not answers or silent:
        return [*lines, f"{counts}: NOT AUDITED IN FULL"], FOUND if found else NOT_ANSWERED
    return [*lines, counts + (": VULNERABLE" if found else ": clean")], FOUND if found else CLEAN


def main(arguments: list[str]) -> int:
    """Print the verdict on each lock; return the overall exit code."""
    service, *locks = arguments or [""]
    if service not in {"pypi", "osv", "newest"} or not locks:
        print(__doc__, file=sys.stderr)
        return BAD_USAGE
    codes = set()
    for lock in map(Path, locks):
        text = lock.read_text()
        asked = ask_newest(text) if service == "newest" else ask_pip_audit(text, service)
        lines, code = verdict(asked)
        print(f"{lock.name}, by {service}:", *lines, sep="\n  ")
        codes.add(code)
    return FOUND if FOUND in codes else max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
