"""The command that evaluates how well a network predicts records."""

from math import isfinite
from typing import Annotated

import typer

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JsonOption, ModelArgument
from noisyor.cli.table_options import DataArgument, FileOptions
from noisyor.cli.terminal import print_json, results
from noisyor.expert_fit import records_for
from noisyor.networks import HeldOut, held_out
from noisyor.networks.likelihood import SMOOTHING

SmoothingOption = Annotated[
    float,
    typer.Option(
        "--smoothing",
        metavar="SHARE",
        help="The share of a uniform distribution in every conditional probability, for a mean "
        "that impossible records do not make infinite.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "likelihood",
        epilog="Examples:\n\nnoisyor likelihood expert.xdsl new.csv\n\n"
        "noisyor likelihood updated.xdsl new.csv --json",
    )(likelihood)


@grouped
def likelihood(
    model: ModelArgument,
    data: DataArgument,
    *,
    smoothing: SmoothingOption = SMOOTHING,
    stored: ModelOptions,
    table: FileOptions,
    as_json: JsonOption = False,
) -> None:
    """Evaluate how well a network predicts records: their mean log-likelihood, in nats.

    Columns are matched to variables by name or title, and values to states by label.
    """
    network = stored.network(model)
    records = records_for(network, data, table.reading())
    found = held_out(network, records, smoothing=smoothing)
    if as_json:
        print_json(_summary(found))
        return
    console = results()
    if found.impossible:
        console.print(
            f"{found.impossible} of {found.records} records are impossible in this network; the "
            "log-likelihood of all records is minus infinity"
        )
    else:
        console.print(f"mean log-likelihood of {found.records} records: {found.mean:.6f} nats")
    if 0 < found.impossible < found.records:
        console.print(f"mean of the other records: {found.mean_possible:.6f} nats")
    console.print(f"mean with smoothing {found.smoothing:g}: {found.mean_smoothed:.6f} nats")


def _summary(found: HeldOut) -> dict[str, object]:
    """Return the result as JSON's own types, which have no infinity."""
    return {
        "records": found.records,
        "impossible": found.impossible,
        "mean": found.mean if isfinite(found.mean) else None,
        "mean_possible": found.mean_possible if isfinite(found.mean_possible) else None,
        "mean_smoothed": found.mean_smoothed,
        "smoothing": found.smoothing,
    }
