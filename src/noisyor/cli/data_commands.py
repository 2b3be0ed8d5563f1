"""Commands about data: describe a table, get an example."""

import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.options import (
    BinsOption,
    DataArgument,
    DelimiterOption,
    DropOption,
    FormatOption,
    HeaderOption,
    JsonOption,
    MissingOption,
    OrderOption,
    PresentOption,
    read_table,
)
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Dataset, SettingsError
from noisyor.core.listing import listed
from noisyor.core.variable import States
from noisyor.data.examples import (
    example_csv,
    example_description,
    example_names,
    example_truth,
)
from noisyor.data.missing import MissingPolicy
from noisyor.data.warning import DataWarning
from noisyor.files.whole import write_whole

_SHARES_WIDTH = 72  # characters
_REMARK_WIDTH = 30


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module to the application."""
    app.command(
        "describe",
        epilog="Examples:\n\nnoisyor describe clinic.csv\n\n"
        "noisyor describe survey.csv --present sex=female --order pain=none,mild,severe --json",
    )(describe)
    app.command(
        "examples",
        epilog="Examples:\n\nnoisyor examples\n\nnoisyor examples clinic\n\n"
        "noisyor examples clinic -o clinic.csv",
    )(examples)


def describe(
    data: DataArgument,
    *,
    present: PresentOption = None,
    order: OrderOption = None,
    drop: DropOption = None,
    missing: MissingOption = MissingPolicy.ERROR,
    bins: BinsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize a table: its variables, their states and shares, and the records."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        dataset, _ = read_table(
            data, present, order, drop, missing, bins, delimiter, header, file_format
        )
    said = [str(one.message) for one in caught]
    for warning in said:
        note(f"warning: {warning}")
    if as_json:
        print_json(_summary(dataset, said))
    else:
        _print_summary(dataset)


def _summary(dataset: Dataset, said: list[str]) -> dict[str, object]:
    """Return the summary of a table, for JSON."""
    return {
        "records": dataset.record_count,
        "distinct": len(dataset.weights),
        "fingerprint": dataset.fingerprint(),
        "variables": [
            {
                "name": variable.name,
                "states": list(variable.states),
                "ordered": variable.has_order,
                "counts": dataset.state_counts(place).tolist(),
            }
            for place, variable in enumerate(dataset.variables)
        ],
        "warnings": said,
    }


def _print_summary(dataset: Dataset) -> None:
    """Print the summary of a table for people."""
    console = results()
    console.print(
        f"{dataset.variable_count} variables, {dataset.record_count} records, "
        f"{len(dataset.weights)} distinct"
    )
    console.print(_binary_states(dataset) if dataset.is_binary else _states(dataset))


def _binary_states(dataset: Dataset) -> Table:
    """Return how often each variable of a binary table is present."""
    table = Table("variable", "absent", "present")
    table.add_column("ones", justify="right")
    table.add_column("share", justify="right")
    table.add_column("remark")
    for place, variable in enumerate(dataset.variables):
        ones = int(dataset.state_counts(place)[1])
        share = f"{ones / dataset.record_count:.1%}"
        remark = "" if 0 < ones < dataset.record_count else "constant"
        table.add_row(variable.name, *variable.states, str(ones), share, remark)
    return table


def _states(dataset: Dataset) -> Table:
    """Return the states of each variable, with the share of records that have each."""
    table = Table("variable")
    table.add_column("states", justify="right")
    table.add_column("ordered")
    table.add_column("shares", max_width=_SHARES_WIDTH)
    table.add_column("remark", max_width=_REMARK_WIDTH)
    for place, variable in enumerate(dataset.variables):
        counts = dataset.state_counts(place).tolist()
        shares = [
            f"{state}: {count / dataset.record_count:.1%}"
            for state, count in zip(variable.states, counts, strict=True)
        ]
        table.add_row(
            variable.name,
            str(variable.state_count),
            "" if variable.is_binary else "yes" if variable.ordered else "no",
            listed(shares),
            _remark(variable.states, counts),
        )
    return table


def _remark(states: States, counts: list[int]) -> str:
    never = [state for state, count in zip(states, counts, strict=True) if not count]
    if len(never) == len(states) - 1:
        return "constant"
    return f"never: {listed(never)}" if never else ""


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
