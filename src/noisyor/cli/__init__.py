"""The command line: arguments in, files out."""

from typing import Annotated

import typer

from noisyor import __version__
from noisyor.cli import (
    advise_command,
    binarize_command,
    data_commands,
    estimate_command,
    fit_command,
    learn_command,
    likelihood_command,
    merge_command,
    network_commands,
    query_command,
    report_command,
    sample_command,
    score_command,
    search_command,
)
from noisyor.cli.terminal import CommandGroup, treat_termination_as_ctrl_c, warn_of_little_memory

app = typer.Typer(
    name="noisyor",
    cls=CommandGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: noisyor examples clinic -o clinic.csv && "
    "noisyor learn clinic.csv -o clinic\n\n"
    "Exit codes: 0 done, also if a limit was hit and the result says so; 1 interrupted, output "
    "closed, or an internal error; 2 bad input, or a file that cannot be read or written.",
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"noisyor {__version__}")
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


data_commands.add_to(app)
binarize_command.add_to(app)
estimate_command.add_to(app)
learn_command.add_to(app)
score_command.add_to(app)
merge_command.add_to(app)
search_command.add_to(app)
network_commands.add_to(app)
fit_command.add_to(app)
likelihood_command.add_to(app)
query_command.add_to(app)
advise_command.add_to(app)
sample_command.add_to(app)
report_command.add_to(app)


def main() -> None:
    """Run the command line of this process."""
    treat_termination_as_ctrl_c()
    warn_of_little_memory()
    app(prog_name="noisyor")
