"""The command that gets example data."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.terminal import note, results
from noisyor.core import SettingsError
from noisyor.data.examples import (
    EXPERT_MODELS,
    example_csv,
    example_description,
    example_names,
    example_truth,
    expert_files,
)
from noisyor.files.whole import write_whole

_SHARES_WIDTH = 72  # characters
_REMARK_WIDTH = 30


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        "examples",
        epilog="Examples:\n\nnoisyor examples\n\nnoisyor examples clinic\n\n"
        "noisyor examples clinic -o clinic.csv\n\nnoisyor examples car -o car.xdsl",
    )(examples)


def examples(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One example; without it, all are listed.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the example to this file, as CSV; the model of an expert as XDSL.",
        ),
    ] = None,
) -> None:
    """List the data that come with noisyor, describe one example, or write it to a file."""
    known = [*example_names(), *EXPERT_MODELS]
    if name is not None and name not in known:
        raise SettingsError(f"there is no example {name!r}; allowed: {', '.join(known)}")
    if output is not None:
        if name is None:
            raise SettingsError(f"-o needs the name of an example: {', '.join(known)}")
        write_whole({output: _content(name, output)})
        note(f"wrote {output}")
    elif name in EXPERT_MODELS:
        _print_expert_model(name)
    elif name is not None:
        _print_example(name)
    else:
        _print_examples()


def _content(name: str, output: Path) -> bytes:
    """Return what to write for an example; of an expert's model the suffix says which file."""
    if name not in EXPERT_MODELS:
        return example_csv(name)
    files = expert_files(name)
    if output.suffix not in files:
        raise SettingsError(
            f"{output}: the example {name!r} has a model, for a file named *.xdsl, and records, "
            "for one named *.csv"
        )
    return files[output.suffix]


def _print_examples() -> None:
    table = Table("name", "title")
    table.add_column("variables", justify="right")
    table.add_column("records", justify="right")
    for name in example_names():
        about = example_description(name)
        table.add_row(name, about.title, str(len(about.variables)), str(about.records))
    for name, title in EXPERT_MODELS.items():
        header, *records = expert_files(name)[".csv"].splitlines()
        table.add_row(name, title, str(1 + header.count(b",")), str(len(records)))
    results().print(table)


def _print_expert_model(name: str) -> None:
    console = results()
    console.print(EXPERT_MODELS[name])
    console.print(f"its model:   noisyor examples {name} -o {name}.xdsl")
    console.print(f"its records: noisyor examples {name} -o {name}.csv")


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
