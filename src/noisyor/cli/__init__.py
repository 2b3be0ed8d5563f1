"""The command line: arguments in, files out."""

from typing import Annotated

import typer

from noisyor.cli.command_group import CommandGroup
from noisyor.cli.interruptions import interruptions

app = typer.Typer(
    name="noisyor",
    cls=CommandGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: noisyor examples clinic -o clinic.csv && "
    "noisyor learn clinic.csv -o clinic\n\n"
    "Exit codes: 0 done, also if a limit was hit and the result says so; 1 unfinished, output "
    "closed, out of memory, or an internal error; 2 bad input, or a file that cannot be read or "
    "written; 130 and 143 interrupted, by Ctrl-C and SIGTERM.",
)


def _print_version(asked: bool) -> None:
    if asked:
        from noisyor.core.version import VERSION  # noqa: PLC0415  (slow, and seldom wanted)

        typer.echo(f"noisyor {VERSION}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def noisyor(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001  (its callback does the work)
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Learn every credible Bayesian network with noisy-OR relations, exactly."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line of this process."""
    interruptions.handle()
    app(prog_name="noisyor")
