"""The list of commands, which is known without loading them."""

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from noisyor.cli import app
from noisyor.cli.command_group import COMMANDS
from noisyor.data.examples import example_truth
from noisyor.interop.network_files import write_network

TIMEOUT = 120
LOADED = """
import json, runpy, sys
sys.argv = ["noisyor", *{arguments!r}]
try:
    from noisyor.cli import main
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


SLOW = {
    *("polars", "narwhals", "highspy", "networkx", "jinja2", "yaml", "scipy", "pandas", "pyarrow"),
    *(
        "noisyor.search.steps",
        "noisyor.scoring.scoring",
        "noisyor.pipeline",
        "noisyor.data.reading",
        "noisyor.fitting",
    ),
}
"""What takes long to load, and only tables, learning or reports need."""


def own(modules: set[str]) -> set[str]:
    """Return the modules of noisyor."""
    return {module for module in modules if module.split(".")[0] == "noisyor"}


def modules_after(*arguments: str) -> set[str]:
    """Return the modules that a command has loaded."""
    run = subprocess.run(
        [sys.executable, "-c", LOADED.format(arguments=arguments)],
        capture_output=True,
        check=True,
        text=True,
        timeout=TIMEOUT,
    )
    return set(json.loads(run.stderr.splitlines()[-1]))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    command = get_command(app).get_command(None, name)  # type: ignore[attr-defined]
    assert inspect.cleandoc(command.help).splitlines()[0] == COMMANDS[name][1]
    assert command.name == name


def test_every_command_is_listed() -> None:
    modules = {module for module, _ in COMMANDS.values()}
    group = get_command(app)
    for name in COMMANDS:
        group.get_command(None, name)  # type: ignore[attr-defined]
    assert list(group.commands) == list(COMMANDS)  # type: ignore[attr-defined]
    assert len(modules) > 10


def test_help_loads_no_command() -> None:
    loaded = modules_after("--help")
    assert "noisyor.cli.command_group" in loaded
    assert not loaded & {f"noisyor.cli.{module}" for module, _ in COMMANDS.values()}
    assert not loaded & {*SLOW, "numpy"}
    assert len(own(loaded)) <= 12


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(("query", "{best}", "flu"), 84), (("show", "{best}"), 94), (("show", "{best}", "flu"), 94)],
    ids=["query", "show", "show a node"],
)
def test_asking_a_network_loads_nothing_that_learns_one(
    tmp_path: Path, arguments: tuple[str, ...], most: int
) -> None:
    best = tmp_path / "best.json"
    write_network(example_truth("clinic"), best)
    loaded = modules_after(*(one.format(best=best) for one in arguments))
    assert not loaded & SLOW
    assert len(own(loaded)) <= most


def test_a_command_loads_no_other() -> None:
    loaded = modules_after("merge", "--help")
    commands = {f"noisyor.cli.{module}" for module, _ in COMMANDS.values()}
    assert loaded & commands == {"noisyor.cli.merge_command"}


def test_an_unknown_command_is_refused() -> None:
    run = CliRunner().invoke(app, ["lern"])
    assert run.exit_code == 2
    assert "No such command 'lern'" in run.stderr
