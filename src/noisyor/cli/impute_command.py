"""The command that fills the gaps of a table from a network."""

from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JobsOption, OutputOption
from noisyor.cli.output_file import refuse_overwriting
from noisyor.cli.table_options import (
    DataArgument,
    DelimiterOption,
    FormatOption,
    HeaderOption,
    delimiter_character,
)
from noisyor.cli.terminal import note
from noisyor.core import Network, SettingsError
from noisyor.data.binning import Binning
from noisyor.data.delimited import TextOptions
from noisyor.data.raw_reading import raw_source
from noisyor.files.whole import write_whole
from noisyor.incomplete.imputing import check_output, impute, imputed_files
from noisyor.pipeline import load
from noisyor.runs.learned import Learned


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "impute",
        epilog="Examples:\n\nnoisyor impute survey.csv --run survey -o filled.csv\n\n"
        "noisyor impute survey.csv --network expert.xdsl --draws 5 --seed 1 -o filled.parquet\n\n"
        "noisyor impute survey.csv --run survey --most-probable -o filled.csv",
    )(impute_command)


@grouped
def impute_command(
    data: DataArgument,
    *,
    output: OutputOption,
    run: Annotated[
        Path | None,
        typer.Option(
            "--run", metavar="DIR", help="The folder of a run: its best network and its bins."
        ),
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option("--network", metavar="FILE", help="A network: .json, .xdsl, .bif, ..."),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            "--draws",
            metavar="N",
            help="Completed tables to draw; of several, each file has a number in its name.",
        ),
    ] = 1,
    most_probable: Annotated[
        bool,
        typer.Option(
            "--most-probable",
            help="Fill the gaps of a record with their jointly most probable states instead.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same tables.")] = 0,
    bins: Annotated[
        Path | None,
        typer.Option("--bins", metavar="FILE", help="The bins.json that a network was learned in."),
    ] = None,
    stored: ModelOptions,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
    jobs: JobsOption = None,
) -> None:
    """Fill the gaps of a table from a network: with draws, or with what is most probable.

    The gaps of a record are filled together, exactly, given what the record has.
    """
    check_output(output)
    refuse_overwriting([data, network, bins], output)
    model = _model(run, network, stored)
    table = raw_source(data, TextOptions(delimiter_character(delimiter), header), file_format).frame
    tables = impute(
        table,
        model,
        draws=draws,
        most_probable=most_probable,
        seed=seed,
        bins=None if bins is None else Binning.load(bins),
        jobs=jobs,
    )
    files = imputed_files(tables, output)
    refuse_overwriting([data, network, bins], *files)
    write_whole(files)
    note(f"wrote {', '.join(map(str, files))}")


def _model(run: Path | None, network: Path | None, stored: ModelOptions) -> Learned | Network:
    if (run is None) == (network is None):
        raise SettingsError("give the network to impute with: either --run DIR or --network FILE")
    if run is not None:
        return load(run)
    if network is None:
        raise TypeError("one of both is given")
    return stored.network(network)
