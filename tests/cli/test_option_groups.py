"""Options that commands share as one value look to typer like options of the command."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from noisyor.cli.option_groups import grouped

NameOption = Annotated[str, typer.Option("--name", help="What it is called.")]


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option("--width", metavar="N")] = 2
    height: Annotated[int, typer.Option("--height", metavar="N")] = 3

    def area(self) -> int:
        return self.width * self.height


@dataclass(frozen=True)
class Solid(Size):
    height: Annotated[int, typer.Option("--height", metavar="N")] = 5
    depth: Annotated[int, typer.Option("--depth", metavar="N")] = 7


def draw(path: Annotated[str, typer.Argument()], *, size: Solid, name: NameOption = "box") -> None:
    """Draw a solid."""
    typer.echo(f"{path} {name} {size.area()} {size.depth}")


def test_a_command_gets_its_options_as_one_value() -> None:
    command = grouped(draw)
    assert list(inspect.signature(command).parameters) == [
        "path", "width", "height", "depth", "name",
    ]  # fmt: skip
    assert command.__doc__ == "Draw a solid."
    app = typer.Typer()
    app.command()(command)
    said = CliRunner().invoke(app, ["a.svg", "--width", "4", "--depth", "1"])
    assert said.stdout == "a.svg box 20 1\n"
    assert "--height" in CliRunner().invoke(app, ["--help"]).stdout
    assert CliRunner().invoke(app, ["a.svg", "--width", "x"]).exit_code == 2
