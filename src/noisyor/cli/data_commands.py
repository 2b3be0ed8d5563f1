"""The command that gets example data."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.terminal import note, results
from noisyor.core import SettingsError
from noisyor.data.examples import (
    example_csv,
    example_description,
    example_names,
    example_truth,
)
from noisyor.files.whole import write_whole

_SHARES_WIDTH = 72  # characters
_REMARK_WIDTH = 30


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        "examples",
        epilog="Examples:\n\nnoisyor examples\n\nnoisyor examples clinic\n\n"
        "noisyor examples clinic -o clinic.csv",
    )(examples)


def examples(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One example; without it, all are listed.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the example to this file, as CSV."
        ),
    ] = None,
) -> None:
    """List the data that come with noisyor, describe one example, or write it to a file."""
    if output is not None:
        if name is None:
            allowed = ", ".join(example_names())
            raise SettingsError(f"-o needs the name of an example: {allowed}")
        write_whole({output: example_csv(name)})
        note(f"wrote {output}")
    elif name is not None:
        _print_example(name)
    else:
        _print_examples()


def _print_examples() -> None:
    table = Table("name", "title")
    table.add_column("variables", justify="right")
    table.add_column("records", justify="right")
    for name in example_names():
        about = example_description(name)
        table.add_row(name, about.title, str(len(about.variables)), str(about.records))
    results().print(table)


def _print_example(name: str) -> None:
    about, truth = example_description(name), example_truth(name)
    console = results()
    console.print(f"{about.title}: {about.records} records, seed {about.seed}")
    console.print(about.description)
    table = Table("variable", "relation", "parents", title="The network it was drawn from")
    for family in truth.structure.families:
        parents = ", ".join(truth.names[parent] for parent in family.parent_indices())
        table.add_row(truth.names[family.child], family.relation.name, parents)
    console.print(table)
