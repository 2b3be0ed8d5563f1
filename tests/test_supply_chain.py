"""What is installed and released: pinned, hashed, and made by scripts that say what they do."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from scripts import advisories, complete_bill
from tests.support.effort import HANGS_AFTER
from tests.support.stand_ins import write_stand_in

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
    """Return the requirements that a lock violates on some supported Python or platform."""
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
        [bash, str(script), "--help"],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=True,
    )
    assert asked.stderr == ""
    assert asked.stdout.splitlines()[0] == text.splitlines()[1].removeprefix("# ")
    assert f"usage: scripts/{script.name} " in asked.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_refuses_what_it_does_not_know(script: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    refused = subprocess.run(
        [bash, str(script), "--nonsense"],
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )
    assert refused.returncode == 2
    assert "usage: " in refused.stdout + refused.stderr


def test_the_page_on_releasing_names_every_script() -> None:
    page = (ROOT / "docs" / "releasing.md").read_text()
    behind_the_others = {"release-tools.sh"}
    named = set(re.findall(r"scripts/([\w-]+\.sh)", page))
    assert named == {script.name for script in SCRIPTS} - behind_the_others


def page(newest: str, *advisories: str, withdrawn: str = "") -> dict[str, Any]:
    """Return what pypi.org would say of a project with the versions 1.0 and 2.0."""
    return {
        "info": {"version": newest},
        "releases": {one: [{"yanked": one == withdrawn}] for one in ("1.0", "2.0")},
        "vulnerabilities": [{"id": one, "withdrawn": None} for one in advisories],
    }


PAGES = {
    "clean": page("2.0"),
    "leaky": page("2.0", "PYSEC-1", "GHSA-2"),
    "older": page("2.0"),
    "taken-back": page("2.0", withdrawn="1.0"),
}


@pytest.mark.parametrize(
    ("lock", "code", "said"),
    [
        (
            "clean==2.0 \\\n  --hash=sha256:0",
            0,
            "1 packages: 0 with advisories, 0 not answered: clean",
        ),
        ("clean==2.0\nleaky==2.0 ; os_name == 'nt'", 1, "leaky 2.0: PYSEC-1, GHSA-2"),
        ("older==1.0\nclean==2.0", 3, "not answered: older 1.0: the newest is 2.0"),
        ("clean==2.0\nabsent==1.0", 3, "not answered: absent 1.0: cannot read its page"),
        ("taken-back==1.0\nolder==1.0", 1, "taken-back 1.0: withdrawn by its authors"),
        ("# nothing", 3, "0 packages: 0 with advisories, 0 not answered: NOT AUDITED IN FULL"),
    ],
)
def test_a_lock_is_clean_only_if_every_package_was_answered_for(
    lock: str, code: int, said: str
) -> None:
    lines, exit_code = advisories.verdict(advisories.ask_newest(lock, PAGES.__getitem__))
    assert exit_code == code
    assert [line for line in lines if line.startswith(said)] != []


def test_what_pip_audit_could_not_look_up_is_not_clean() -> None:
    skipped = {"name": "one", "skip_reason": "Dependency not found on PyPI: one (1.0)"}
    looked_up = {"name": "two", "version": "2.0", "vulns": []}
    found = {"name": "three", "version": "3.0", "vulns": [{"id": "PYSEC-3"}]}
    for packages, code in [
        ([looked_up], 0),
        ([looked_up, skipped], 3),
        ([skipped, found], 1),
    ]:
        report = json.dumps({"dependencies": packages, "fixes": []})
        assert advisories.verdict(advisories.answers_of_report(report))[1] == code


@pytest.mark.parametrize(
    ("says", "code", "verdict"),
    [
        ("pins = pins[:1]; print(report([]))", 3, "not answered: two 1.0: pip-audit skipped it"),
        ("sys.exit('api.osv.dev cannot be resolved')", 3, "not answered: all: api.osv.dev cannot"),
        ("print(report([{'id': 'PYSEC-3'}])); sys.exit(1)", 1, "one 2.0: PYSEC-3"),
        ("print(report([]))", 0, "3 packages: 0 with advisories, 0 not answered: clean"),
    ],
)
def test_pip_audit_is_asked_for_both_versions_of_a_package_and_its_failure_is_no_success(
    says: str, code: int, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for pip-audit refuses a name that occurs twice, as pip-audit does."""
    write_stand_in(
        tmp_path / "pip-audit",
        "import json, sys\n"
        "pins = [line.strip().split('==') for line in open(sys.argv[-1])]\n"
        "assert len(pins) == len(dict(pins)), pins\n"
        "def report(vulns):\n"
        "    told = [{'name': name, 'version': one, 'vulns': vulns} for name, one in pins]\n"
        "    return json.dumps({'dependencies': told})\n"
        f"{says}\n",
    )
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    lock = "one==1.0 ; python_version < '3.12'\none==2.0 ; python_version >= '3.12'\ntwo==1.0"
    lines, exit_code = advisories.verdict(advisories.ask_pip_audit(lock, "osv"))
    assert exit_code == code
    assert [line for line in lines if line.startswith(verdict)] != []


def test_a_bill_of_materials_names_what_is_linked_in_and_every_licence() -> None:
    bill: dict[str, Any] = {
        "components": [
            {"name": "Some_Thing", "version": "1.0"},
            {"name": "nanobind", "version": "3.1.0", "licenses": ["BSD"]},
        ],
        "dependencies": [{"ref": "Some_Thing==1.0"}, {"ref": "nanobind==3.1.0"}],
    }
    asked = ["some-thing", "nanobind", "other"]
    assert complete_bill.faults(bill, asked) == [
        "other is missing",
        "Some_Thing has no licenses",
    ]
    complete_bill.add_licences(bill, {"some-thing": "GPL", "nanobind": "not this"})
    complete_bill.add_linked(bill, "1.4.0")
    assert complete_bill.faults(bill, [*asked[:2], "robin-map"]) == []
    assert bill["components"][0]["licenses"][0]["license"]["name"] == "GPL"
    assert bill["components"][1]["licenses"] == ["BSD"]
    assert bill["dependencies"][1]["dependsOn"] == [bill["components"][2]["bom-ref"]]


def test_the_lower_bounds_are_tried_with_tests_that_are_there() -> None:
    script = (ROOT / "scripts" / "minimal-versions.sh").read_text()
    (listed,) = re.findall(r"^tests=\(([^)]*)\)", script, re.MULTILINE)
    assert len(listed.split()) > 5
    assert [path for path in listed.split() if not (ROOT / path).exists()] == []
