"""What is installed and released: pinned, hashed, and made by scripts that say what they do."""

import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
LOCKS = sorted(ROOT.glob("*.lock"))
SCRIPTS = sorted(ROOT.glob("scripts/*.sh"))
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
SUPPORTED = [
    {"python_version": version, "python_full_version": f"{version}.0", "sys_platform": platform}
    for version in ("3.11", "3.12", "3.13")
    for platform in ("linux", "darwin", "win32")
]


@dataclass(frozen=True)
class Pin:
    """A line of a lock: a requirement, and the hashes of the files that may fulfil it."""

    requirement: Requirement
    hashes: list[str]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> Version:
        (specifier,) = self.requirement.specifier
        assert specifier.operator == "=="
        return Version(specifier.version)

    def serves(self, environment: dict[str, str]) -> bool:
        marker = self.requirement.marker
        return marker is None or marker.evaluate(environment)


def pins_of(text: str) -> list[Pin]:
    """Read a lock strictly: what is neither a pin with its hashes nor a comment is an error."""
    bare = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    pins = []
    for line in re.sub(r"\\\n", " ", bare).splitlines():
        requirement, *hashes = re.split(r"\s+(?=--hash)", line.strip())
        assert [one for one in hashes if not HASH.fullmatch(one)] == []
        pins.append(Pin(Requirement(requirement), hashes))
    return pins


def asked_for() -> dict[str, list[str]]:
    """Return the requirements that each lock must fulfil."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    tools = (ROOT / "scripts" / "requirements-release.in").read_text()
    return {
        "requirements-dev.lock": [
            *project["project"]["dependencies"],
            *(one for extra in extras for one in extra),
        ],
        "requirements-release.lock": [
            *project["build-system"]["requires"],
            *(line for line in re.sub(r"#.*", "", tools).split("\n") if line.strip()),
        ],
    }


def unfulfilled(asked: list[str], pins: list[Pin]) -> list[str]:
    """Return what some supported Python or platform would be given wrongly, or not at all."""
    wrong = []
    for line in asked:
        wanted = Requirement(line)
        for environment in SUPPORTED:
            if wanted.marker is not None and not wanted.marker.evaluate(environment):
                continue
            given = [
                pin.version
                for pin in pins
                if pin.name == canonicalize_name(wanted.name) and pin.serves(environment)
            ]
            if len(given) != 1 or not wanted.specifier.contains(given[0], prereleases=True):
                wrong.append(f"{line}: {given}")
    return sorted(set(wrong))


def test_both_locks_are_there() -> None:
    assert [lock.name for lock in LOCKS] == sorted(asked_for())


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_line_of_a_lock_is_pinned_and_hashed(lock: Path) -> None:
    pins = pins_of(lock.read_text())
    assert len({pin.name: pin.version for pin in pins}) > 20
    assert [pin.name for pin in pins if not pin.hashes] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_gives_what_is_asked_for(lock: Path) -> None:
    assert unfulfilled(asked_for()[lock.name], pins_of(lock.read_text())) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_no_package_index(lock: Path) -> None:
    words = r"://|--(extra-)?index|--find-links|--trusted-host| @ "
    assert [line for line in lock.read_text().splitlines() if re.search(words, line)] == []


def test_what_a_lock_lacks_is_found() -> None:
    digest = "0" * 64
    pins = pins_of(
        f"# made by hand\none==1.5 \\\n    --hash=sha256:{digest}\n    # via two\n"
        f"two==2.0 ; python_full_version >= '3.12' \\\n    --hash=sha256:{digest}\n"
    )
    assert [(pin.name, len(pin.hashes)) for pin in pins] == [("one", 1), ("two", 1)]
    assert unfulfilled(["one>=1.0", "two ; python_version >= '3.12'"], pins) == []
    assert unfulfilled(["one>=1.6"], pins) == ["one>=1.6: [<Version('1.5')>]"]
    assert unfulfilled(["two"], pins) == ["two: []"]
    assert unfulfilled(["three"], pins) == ["three: []"]


def test_a_wheel_is_compiled_against_the_nanobind_whose_stub_is_committed() -> None:
    (asked,) = (one for one in asked_for()["requirements-dev.lock"] if one.startswith("nanobind"))
    (specifier,) = Requirement(asked).specifier
    for lock in LOCKS:
        versions = [pin.version for pin in pins_of(lock.read_text()) if pin.name == "nanobind"]
        assert versions == [Version(specifier.version)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_stops_at_the_first_failure_and_says_what_it_does(script: Path) -> None:
    text = script.read_text()
    assert text.startswith("#!/usr/bin/env bash\n# ")
    assert "\nset -euo pipefail\n" in text
    assert script.stat().st_mode & 0o111
    bash = shutil.which("bash")
    assert bash is not None
    asked = subprocess.run(
        [bash, str(script), "--help"], capture_output=True, text=True, timeout=30, check=True
    )
    assert asked.stderr == ""
    assert asked.stdout.splitlines()[0] == text.splitlines()[1].removeprefix("# ")
    assert f"usage: scripts/{script.name} " in asked.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_refuses_what_it_does_not_know(script: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    refused = subprocess.run(
        [bash, str(script), "--nonsense"], capture_output=True, text=True, timeout=30, check=False
    )
    assert refused.returncode == 2
    assert "usage: " in refused.stdout + refused.stderr


def test_the_page_on_releasing_names_every_script() -> None:
    page = (ROOT / "docs" / "releasing.md").read_text()
    behind_the_others = {"release-tools.sh"}
    named = set(re.findall(r"scripts/([\w-]+\.sh)", page))
    assert named == {script.name for script in SCRIPTS} - behind_the_others
