"""The builds of the kernels: the same names and types in each, and one chosen at import."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import noisyor._kernels
from noisyor._kernels import available_builds, load_build
from tests.support.effort import HANGS_AFTER

PACKAGE = Path(__file__).parents[2] / "src" / "noisyor" / "_kernels"
builds = pytest.mark.parametrize("build", available_builds())


def python(*arguments: str, build: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python with NOISYOR_KERNELS set to a build, or unset."""
    environment = {name: text for name, text in os.environ.items() if name != "NOISYOR_KERNELS"}
    if build is not None:
        environment["NOISYOR_KERNELS"] = build
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANGS_AFTER,
        check=False,
    )


def chosen(build: str | None) -> str:
    """Return the build and the module that a new process chooses."""
    script = "from noisyor import _kernels as k; print(k.build_name, k.kernels.__name__)"
    result = python("-c", script, build=build)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def public_names(module: object) -> dict[str, list[str]]:
    return {
        name: [member for member in dir(value) if not member.startswith("_")]
        if isinstance(value, type)
        else []
        for name, value in vars(module).items()
        if not name.startswith("_")
    }


@builds
def test_every_build_has_the_same_names(build: str) -> None:
    names = public_names(load_build(build))
    assert names == public_names(load_build("plain"))
    assert "count_records" in names


@builds
def test_the_stub_is_what_the_module_says(build: str, tmp_path: Path) -> None:
    """If this fails, say `make stubs`."""
    stub = tmp_path / "stub.pyi"
    module = load_build(build).__name__
    result = python("-m", "nanobind.stubgen", "--quiet", "-m", module, "-o", str(stub))
    assert result.returncode == 0, result.stderr
    assert stub.read_text() == (PACKAGE / "_plain.pyi").read_text()


def test_plain_is_always_there() -> None:
    assert available_builds()[0] == "plain"


@pytest.mark.parametrize("nothing", [None, ""])
def test_without_a_choice_the_last_build_is_taken(nothing: str | None) -> None:
    assert chosen(nothing).split()[0] == available_builds()[-1]


def test_the_plain_build_can_be_chosen() -> None:
    assert chosen("plain") == "plain noisyor._kernels._plain"


@pytest.mark.skipif("x86-64-v3" not in available_builds(), reason="needs AVX2")
def test_the_newer_build_can_be_chosen() -> None:
    assert chosen("x86-64-v3") == "x86-64-v3 noisyor._kernels._x86_64_v3"


def test_an_unknown_choice_is_refused_and_the_message_lists_the_builds() -> None:
    result = python("-c", "import noisyor._kernels", build="sse9")
    assert result.returncode == 1
    message = result.stderr.splitlines()[-1]
    assert message.startswith("ImportError: the kernel build 'sse9' is not installed or cannot run")
    assert f"available: {', '.join(available_builds())}" in message
    assert "NOISYOR_KERNELS" in message


def test_a_build_that_is_not_installed_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert available_builds() == ("plain",)


def test_a_build_that_this_machine_cannot_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisyor._kernels, "available_builds", lambda: ("plain",))
    with pytest.raises(ImportError, match="'x86-64-v3' is not installed or cannot run"):
        load_build("x86-64-v3")
