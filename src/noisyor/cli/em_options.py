"""The options of structural EM, and tables that may lack values."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from noisyor.cli.table_options import read_options
from noisyor.cli.terminal import note
from noisyor.core import Dataset, SettingsError
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.data.bin_choices import BinChoices
from noisyor.data.binning import Binning
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import read_with_bins, read_with_gaps
from noisyor.incomplete.options import Em
from noisyor.runs.missing_cells import MissingCells

_PANEL = "Missing cells, with --missing em"
_DEFAULT = Em()

CompletionsOption = Annotated[
    int | None,
    typer.Option(
        "--completions",
        metavar="K",
        help=f"Completions of every record in each step. Default: {_DEFAULT.completions}.",
        rich_help_panel=_PANEL,
    ),
]
StartsOption = Annotated[
    int | None,
    typer.Option(
        "--starts",
        metavar="N",
        help=f"How many times EM is started. Default: {_DEFAULT.starts}.",
        rich_help_panel=_PANEL,
    ),
]
EmSeedOption = Annotated[
    int | None,
    typer.Option(
        "--em-seed",
        metavar="SEED",
        help=f"The seed of the draws. Default: {_DEFAULT.seed}.",
        rich_help_panel=_PANEL,
    ),
]
EmStepsOption = Annotated[
    int | None,
    typer.Option(
        "--em-steps",
        metavar="N",
        help=f"The most steps of a start. Default: {_DEFAULT.steps}.",
        rich_help_panel=_PANEL,
    ),
]


def em_options(
    missing: MissingPolicy,
    completions: int | None,
    starts: int | None,
    seed: int | None,
    steps: int | None,
) -> Em:
    """Return the options of EM; refuse them with another policy."""
    given = {
        "--completions": completions,
        "--starts": starts,
        "--em-seed": seed,
        "--em-steps": steps,
    }
    chosen = [flag for flag, value in given.items() if value is not None]
    if chosen and missing is not MissingPolicy.EM:
        verb = "belongs" if len(chosen) == 1 else "belong"
        raise SettingsError(f"{' and '.join(chosen)} {verb} to --missing em")
    return Em(
        completions=_DEFAULT.completions if completions is None else completions,
        starts=_DEFAULT.starts if starts is None else starts,
        seed=_DEFAULT.seed if seed is None else seed,
        steps=_DEFAULT.steps if steps is None else steps,
    )


def missing_line(missing: MissingCells) -> str:
    """Return what was done about missing cells, in one line."""
    if missing.em is None:
        left_out = f", {missing.left_out} records left out" if missing.left_out else ""
        return f"missing cells: {missing.policy}{left_out}"
    em = missing.em
    return (
        f"{missing.cells} cells were missing in {missing.incomplete_records} records, completed by "
        f"EM; log-likelihood of the observed cells {em.log_likelihood:.6f}"
    )


def read_any_table(  # noqa: PLR0917  (the options in their order)
    data: str,
    present: Iterable[str] | None,
    order: Iterable[str] | None,
    drop: Iterable[str] | None,
    missing: MissingPolicy,
    bins: Sequence[str] | None,
    delimiter: str | None,
    header: bool | None,
    file_format: str | None,
) -> tuple[Dataset | IncompleteDataset, Binning]:
    """Return the table that the options describe, with gaps if EM shall fill them."""
    options = read_options(present, order, drop, missing, bins, delimiter, header, file_format)
    table: Dataset | IncompleteDataset
    if missing is MissingPolicy.EM:
        gaps, binning = read_with_gaps(data, options)
        table = gaps if gaps.missing_cells else gaps.complete_records()
    else:
        table, binning = read_with_bins(data, options)
    if isinstance(options.bins, BinChoices) and not options.bins.automatic:
        note(binning.summary())
    return table, binning
