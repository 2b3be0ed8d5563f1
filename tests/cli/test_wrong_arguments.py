"""Whatever path or number a command is given, it ends in a result or in one line."""

import os
from pathlib import Path

import pytest

from tests.cli.test_cli import refused, run

LONG = "x" * 300
PATHS = {
    "a folder": "folder",
    "a device": os.devnull,
    "a file that is not there": "nowhere/x",
    "too long a name": LONG,
    "too long a name of a file": f"{LONG}.csv",
    "too long a path": "a/" * 2100 + "x",
    "a file as a folder": "file/x",
    "a link to itself": "loop",
    "an empty file": "empty",
    "no name": "",
    "the root": "/",
}
COMMANDS = (
    ("describe", "PATH"),
    ("describe", "PATH", "--format", "csv"),
    ("binarize", "PATH", "-o", "out.csv"),
    ("binarize", "data.csv", "-o", "PATH"),
    ("binarize", "data.csv", "-o", "PATH.csv"),
    ("binarize", "data.csv", "-o", "out.csv", "--mapping", "PATH"),
    ("binarize", "data.csv", "-o", "out.csv", "--apply", "PATH"),
    ("describe", "data.csv", "--bins", "PATH"),
    ("describe", "data.csv", "--bins", "PATH.json"),
    ("examples", "pump", "-o", "PATH"),
    ("estimate", "PATH"),
    ("learn", "PATH"),
    ("learn", "data.csv", "-o", "PATH"),
    ("learn", "data.csv", "--best", "PATH"),
    ("learn", "data.csv", "--members", "PATH"),
    ("learn", "data.csv", "--knowledge", "PATH"),
    ("score", "PATH", "-o", "out.jkl"),
    ("score", "data.csv", "-o", "PATH"),
    ("score", "data.csv", "-o", "PATH.jkl"),
    ("score", "data.csv", "--children", "1", "-o", "PATH"),
    ("merge", "PATH", "-o", "out.jkl"),
    ("search", "PATH"),
    ("search", "PATH.jkl"),
    ("search", "scores.jkl", "--members", "PATH.parquet"),
    ("show", "PATH"),
    ("show", "PATH.json"),
    ("show", "best.json", "--node", "b", "--data", "PATH"),
    ("convert", "PATH", "out.xdsl"),
    ("convert", "best.json", "PATH"),
    ("convert", "best.json", "PATH.xdsl"),
    ("compare", "best.json", "PATH"),
    ("query", "PATH"),
    ("sample", "PATH"),
    ("sample", "best.json", "-o", "PATH.csv"),
    ("report", "PATH"),
    ("report", "run", "-o", "PATH"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("files")
    (where / "folder").mkdir()
    (where / "file").write_text("x", encoding="utf-8")
    (where / "empty").touch()
    (where / "loop").symlink_to("loop")
    data = where / "data.csv"
    data.write_text("a,b\n0,0\n0,1\n1,1\n1,1\n", encoding="utf-8")
    made = run("learn", data, "-o", where / "run", "--best", where / "best.json")
    assert made.exit_code == 0, made.stderr
    assert run("score", data, "-o", where / "scores.jkl").exit_code == 0
    return where


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("kind", PATHS)
@pytest.mark.usefixtures("inside")
def test_a_wrong_path_is_refused_in_one_line(kind: str) -> None:
    refusals = 0
    for command in COMMANDS:
        arguments = [one.replace("PATH", PATHS[kind]) for one in command]
        result = run(*arguments)
        assert result.exit_code in {0, 2}, (arguments, result.output, result.exception)
        if result.exit_code == 2:
            refused(result, "")
            assert result.stderr.count("\n") == 1, (arguments, result.stderr)
            refusals += 1
    assert refusals > len(COMMANDS) // 2


@pytest.mark.usefixtures("inside")
def test_a_name_that_is_no_text_can_be_read_and_written() -> None:
    Path("\udcff.csv").write_text("a,b\n0,1\n1,0\n", encoding="utf-8")
    for command in (("describe", "\udcff.csv"), ("binarize", "\udcff.csv", "-o", "\udcfe.csv")):
        result = run(*command)
        assert result.exit_code == 0, result.stderr
    assert Path("\udcfe.csv").exists()


HUGE = (2**31, 2**32, 2**63, 10**30)


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.usefixtures("inside")
def test_a_huge_number_of_parents_is_no_limit(number: int) -> None:
    for command in (
        ("learn", "data.csv"),
        ("score", "data.csv", "-o", f"{number}.parquet"),
        ("search", "scores.jkl"),
        ("estimate", "data.csv"),
    ):
        result = run(*command, "--max-parents", number)
        assert result.exit_code == 0, (command, result.output, result.exception)
    assert run("search", f"{number}.parquet").exit_code == 0


@pytest.mark.parametrize("number", [4097, *HUGE])
@pytest.mark.usefixtures("inside")
def test_more_threads_than_a_machine_can_have_are_refused(number: int) -> None:
    for command in (
        ("learn", "data.csv"),
        ("score", "data.csv", "-o", "out.jkl"),
        ("search", "scores.jkl"),
        ("estimate", "data.csv"),
    ):
        refused(run(*command, "--jobs", number), f"jobs is {number}; it must be at least 1 and at")


@pytest.mark.usefixtures("inside")
def test_a_memory_limit_says_what_is_allowed() -> None:
    result = run("learn", "data.csv", "--memory-limit", 1e20)
    refused(result, "--memory-limit is 1e+20 GiB; it must be above 0 and below 1048576")


@pytest.mark.parametrize(
    "command",
    [
        ("binarize", "INPUT.csv", "-o", "./INPUT.csv"),
        ("binarize", "data.csv", "-o", "out.csv", "--mapping", "out.binarize.json"),
        ("score", "INPUT.parquet", "-o", "INPUT.parquet"),
        ("learn", "INPUT.parquet", "--members", "INPUT.parquet"),
        ("learn", "data.csv", "--knowledge", "INPUT.json", "--best", "INPUT.json"),
        ("search", "INPUT.parquet", "--members", "link.parquet"),
        ("sample", "INPUT.csv", "-o", "INPUT.csv"),
    ],
)
def test_an_output_never_replaces_an_input(inside: Path, command: tuple[str, ...]) -> None:
    for name in ("INPUT.csv", "INPUT.parquet", "INPUT.json", "out.binarize.json"):
        (inside / name).write_text("precious", encoding="utf-8")
    link = inside / "link.parquet"
    link.unlink(missing_ok=True)
    link.symlink_to("INPUT.parquet")
    refused(run(*command), "would overwrite the input; name another file")
    for name in ("INPUT.csv", "INPUT.parquet", "INPUT.json", "out.binarize.json"):
        assert (inside / name).read_text(encoding="utf-8") == "precious"
