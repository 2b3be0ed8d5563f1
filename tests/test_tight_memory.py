"""Limits of memory: what fits runs, what cannot is refused at once, and nothing hangs."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import noisyor
from noisyor.cli.terminal import LEAST_ADDRESS_SPACE
from noisyor.core import SettingsError, machine
from noisyor.core.machine import container_memory, physical_memory, usable_memory
from noisyor.core.request import Request
from noisyor.data.examples import example_csv
from noisyor.pipeline import learn_request
from noisyor.runs.plan import Plan
from tests.support.effort import HANGS_AFTER
from tests.test_noisyor_command import CALL

MIB = 1 << 20


@pytest.fixture(scope="module")
def pump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "pump.csv"
    path.write_bytes(example_csv("pump"))
    return path


def limited(mebibytes: int, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the command under a limit of its address space (ulimit -v)."""
    limit = mebibytes * MIB
    frugal = {"POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "_RJEM_MALLOC_CONF"}
    return subprocess.run(
        [sys.executable, "-c", CALL, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_AFTER,
        env={name: value for name, value in os.environ.items() if name not in frugal},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )


@pytest.mark.parametrize("mebibytes", [200, (LEAST_ADDRESS_SPACE >> 20) - 1])
def test_too_little_address_space_is_refused_in_one_line(pump: Path, mebibytes: int) -> None:
    ended = limited(mebibytes, "learn", pump)
    assert ended.returncode == 2
    assert ended.stderr == (
        f"error: the limit on memory (ulimit -v) is {mebibytes} MiB; noisyor needs at least "
        f"{LEAST_ADDRESS_SPACE >> 20} MiB of address space, most of which it never uses\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        "learn -o run --quiet",
        pytest.param("describe", marks=pytest.mark.slow),
        pytest.param("score -o scores.jkl --quiet", marks=pytest.mark.slow),
        pytest.param("learn -o run --quiet --method price", marks=pytest.mark.slow),
    ],
)
def test_with_the_least_address_space_a_small_table_is_no_problem(
    pump: Path, tmp_path: Path, arguments: str
) -> None:
    """On a machine of many cores, too: libraries then start fewer threads."""
    name, *options = arguments.split()
    options = [str(tmp_path / one) if one.startswith(("run", "sc")) else one for one in options]
    ended = limited((LEAST_ADDRESS_SPACE >> 20) + 16, name, pump, *options)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("\n") <= 1
    assert "10 variables" in ended.stdout or "networks" in ended.stdout


@pytest.mark.parametrize(
    ("listed", "files", "limit"),
    [
        ("0::/\n", {"memory.max": "max\n"}, None),
        ("0::/\n", {"memory.max": "1048576\n"}, MIB),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "2097152\n"}, 2 * MIB),
        ("0::/a/b\n", {"a/b/memory.max": "1048576\n", "a/memory.max": "2097152\n"}, MIB),
        ("0::/not/shown/inside\n", {"memory.max": "1048576\n"}, MIB),
        ("4:memory:/x\n0::/\n", {"memory/x/memory.limit_in_bytes": "3145728\n"}, 3 * MIB),
        ("5:cpu,memory:/x\n", {"memory/memory.limit_in_bytes": "3145728\n"}, 3 * MIB),
        ("5:cpuset:/\n", {"memory.max": "1\n"}, None),
    ],
)
def test_the_limit_of_a_container_is_that_of_its_control_groups(
    tmp_path: Path, listed: str, files: dict[str, str], limit: int | None
) -> None:
    groups, root = tmp_path / "cgroup", tmp_path / "fs"
    groups.write_text(listed, encoding="utf-8")
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert container_memory(groups, root) == limit
    assert container_memory(tmp_path / "missing", root) is None


def test_the_memory_of_a_run_is_compared_with_that_of_the_container(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert 0 < usable_memory() <= physical_memory()
    monkeypatch.setattr(machine, "container_memory", lambda: 64 * MIB)
    assert usable_memory() == 64 * MIB
    request = Request.of(noisyor.load_example("pump"), 20)
    plan = Plan(quiet=True, expecting=lambda _: None)
    with pytest.raises(SettingsError, match=r"at least \d+ MiB of memory, .* room for 64 MiB"):
        learn_request(request, plan)
    monkeypatch.setattr(machine, "container_memory", lambda: None)
    assert learn_request(request, plan).complete


def test_what_a_limit_of_addresses_leaves_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "address_space", lambda: 1)
    assert usable_memory() == 0
    monkeypatch.setattr(machine, "address_space", lambda: 1 << 60)
    assert usable_memory() == min(physical_memory(), container_memory() or physical_memory())
