"""The command that draws records from a network."""

import io
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import ModelArgument
from noisyor.cli.output_file import refuse_overwriting, written_alone
from noisyor.cli.terminal import note, print_records
from noisyor.core import Network, SettingsError
from noisyor.data.gobnilp import gobnilp_text
from noisyor.files.whole import written_whole
from noisyor.networks import sample_codes

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_PARQUET = ".parquet"
_GOBNILP = ".dat"


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "sample",
        epilog="Examples:\n\nnoisyor sample clinic.json -n 1000 -o records.csv\n\n"
        "noisyor sample alarm.bif -n 1000000 --seed 7 -o records.parquet",
    )(sample)


@grouped
def sample(
    model: ModelArgument,
    *,
    size: Annotated[
        int, typer.Option("--size", "-n", metavar="N", help="The number of records.")
    ] = 1000,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A .csv, .tsv, .parquet or GOBNILP .dat file. Default: CSV on standard output.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same records.")] = 0,
    stored: ModelOptions,
) -> None:
    """Draw random records from a network, with its names and states."""
    if output is not None and output.suffix.lower() not in {*_SEPARATORS, _PARQUET, _GOBNILP}:
        allowed = ", ".join((*_SEPARATORS, _PARQUET, _GOBNILP))
        raise SettingsError(f"{output} does not end like a table; allowed: {allowed}")
    refuse_overwriting([model], output)
    with nullcontext() if output is None else written_alone(output):
        network = stored.network(model)
        frame = sampled_frame(network, size, seed)
        if output is None:
            print_records(_csv(frame))
        else:
            _write(frame, network, output)
            note(f"wrote {size} records to {output}")


def _write(frame: pl.DataFrame, network: Network, output: Path) -> None:
    """Write a table in the format of the file's suffix."""
    with written_whole(output) as file:
        if output.suffix.lower() == _PARQUET:
            frame.write_parquet(file)
        elif output.suffix.lower() == _GOBNILP:
            file.write(gobnilp_text(network.variables, frame).encode())
        else:
            frame.write_csv(file, separator=_SEPARATORS[output.suffix.lower()])


def sampled_frame(network: Network, size: int, seed: int) -> pl.DataFrame:
    """Return drawn records as a table of state labels.

    States with an order are an enumeration, so that a Parquet file keeps it.
    """
    codes = sample_codes(network, size, seed=seed)
    return pl.DataFrame(
        {
            one.name: pl.Series(
                one.states, dtype=pl.Enum(one.states) if one.has_order else pl.String
            ).gather(column)
            for one, column in zip(network.variables, codes.T, strict=True)
        }
    )


def _csv(frame: pl.DataFrame) -> str:
    text = io.StringIO()
    frame.write_csv(text)
    return text.getvalue()
