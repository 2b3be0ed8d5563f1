"""The command that fits the parameters of a given network to records."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JsonOption, ModelArgument, OutputOption, ToOption
from noisyor.cli.output_file import refuse_overwriting, written_alone
from noisyor.cli.table_options import DataArgument, FileOptions
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Dataset, InfeasibleFitError, Network, SettingsError
from noisyor.core.listing import expected_names, listed
from noisyor.expert_fit import PriorSpread, before_fit, records_for, update
from noisyor.interop.network_files import format_of, write_network
from noisyor.networks.changes import NodeChange, NumberChange, changes

_NUMBERS_SHOWN = 4  # of a node

PriorWeightOption = Annotated[
    list[str],
    typer.Option(
        "--prior-weight",
        metavar="[NAME=]RECORDS",
        help="How many records the network's numbers count for: 20 for all nodes, fever=100 for "
        "one; 0 leaves only the records, inf keeps the numbers. May be repeated.",
    ),
]
SpreadOption = Annotated[
    PriorSpread,
    typer.Option(
        "--spread",
        help="Whether the weight is that of records drawn from the network, so that what it "
        "expects rarely counts little, or that of each row and each cause.",
    ),
]
AddLeakOption = Annotated[
    list[str] | None,
    typer.Option(
        "--add-leak",
        metavar="NAME",
        help="Give the causes of a node a leak, of strength 0 before the fit; may be repeated.",
    ),
]
AddLeaksOption = Annotated[
    bool, typer.Option("--add-leaks", help="Give all causes without a leak one.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "fit",
        epilog="Examples:\n\nnoisyor fit expert.xdsl records.csv --prior-weight 20 -o updated.xdsl"
        "\n\nnoisyor fit expert.xdsl records.csv --prior-weight 20 --prior-weight fever=100 "
        "--add-leak fever -o updated.xdsl",
    )(fit)


@grouped
def fit(
    model: ModelArgument,
    data: DataArgument,
    *,
    output: OutputOption,
    prior_weight: PriorWeightOption,
    spread: SpreadOption = PriorSpread.EXPECTED,
    add_leak: AddLeakOption = None,
    add_leaks: AddLeaksOption = False,
    to: ToOption = None,
    stored: ModelOptions,
    table: FileOptions,
    as_json: JsonOption = False,
) -> None:
    """Fit the parameters of a network to records, starting from its own numbers.

    The graph and the relations stay. Columns are matched to variables by name or title, and values
    to states by label.
    """
    chosen = format_of(output, to)
    refuse_overwriting([model, data], output)
    with written_alone(output):
        network = stored.network(model)
        weights = prior_weights(prior_weight, network.names)
        leaks = True if add_leaks else tuple(add_leak or ())
        records = records_for(network, data, table.reading())
        try:
            fitted = update(network, records, prior_weight=weights, spread=spread, add_leaks=leaks)
        except InfeasibleFitError as error:
            raise InfeasibleFitError(f"{error}. --add-leak NAME adds a leak") from error
        write_network(fitted, output, format=chosen.name)
    start = before_fit(network, add_leaks=leaks)
    _print(changes(start, fitted, records), fitted, records, as_json=as_json)
    note(f"wrote {output} ({chosen.title})")


def prior_weights(given: Iterable[str], names: Sequence[str]) -> dict[str, float]:
    """Return the weight of each node from texts like `20` and `fever=100`."""
    for_all: float | None = None
    by_name: dict[str, float] = {}
    for text in given:
        name, sign, number = text.rpartition("=")
        weight = _weight(text, number)
        if not sign and for_all not in {None, weight}:
            raise SettingsError(f"--prior-weight is given twice for all: {for_all:g} and {text}")
        if not sign:
            for_all = weight
        elif name not in names:
            raise SettingsError(
                f"--prior-weight is {text!r}, but there is no variable {name!r}; "
                f"{expected_names(name, names, 'the network')}"
            )
        elif by_name.setdefault(name, weight) != weight:
            raise SettingsError(f"--prior-weight is given twice for {name!r}")
    lacking = [name for name in names if name not in by_name]
    if for_all is None and lacking:
        raise SettingsError(
            f"--prior-weight is not given for {listed(lacking)}; one without a name is for all "
            "that are not named"
        )
    return {name: by_name.get(name, for_all or 0.0) for name in names}


def _weight(text: str, number: str) -> float:
    with suppress(ValueError):
        weight = float(number)
        if weight >= 0:
            return weight
    raise SettingsError(
        f"--prior-weight is {text!r}; it must be a number of records, 0 or more, for all nodes or "
        "after NAME= for one"
    )


def _print(
    moved: Sequence[NodeChange], fitted: Network, records: Dataset, *, as_json: bool
) -> None:
    if as_json:
        print_json(
            {
                "records": records.record_count,
                "settings": dict(fitted.provenance.settings),
                "cost": fitted.cost,
                "nodes": [_node_summary(one) for one in moved],
            }
        )
        return
    console = results()
    settings = ", ".join(f"{name} {value}" for name, value in fitted.provenance.settings)
    console.print(f"fitted to {records.record_count} records, {settings}")
    table = Table("variable", "relation", "given", "state")
    for head in ("before", "after", "records"):
        table.add_column(head, justify="right")
    for node in moved:
        for place, one in enumerate(_most_moved(node)):
            names = ("", "") if place else (node.name, node.relation)
            numbers = (f"{one.before:.4f}", f"{one.after:.4f}", str(one.records))
            table.add_row(*names, one.where, one.state, *numbers)
        rest = len(node.numbers) - _NUMBERS_SHOWN
        if rest > 0:
            table.add_row("", "", f"({rest} more that moved less)", *[""] * 4)
    console.print(table)


def _most_moved(node: NodeChange) -> list[NumberChange]:
    """Return the numbers of a node that moved most, in their order."""
    places = sorted(range(len(node.numbers)), key=lambda place: -node.numbers[place].moved)
    return [node.numbers[place] for place in sorted(places[:_NUMBERS_SHOWN])]


def _node_summary(node: NodeChange) -> dict[str, object]:
    return {
        "name": node.name,
        "relation": node.relation,
        "numbers": [
            {
                "given": one.where,
                "state": one.state,
                "before": one.before,
                "after": one.after,
                "records": one.records,
            }
            for one in node.numbers
        ],
    }
