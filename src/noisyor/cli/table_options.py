"""Options for tables of records, and the table that they describe."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noisyor.cli.options import unique_pairs
from noisyor.cli.terminal import note
from noisyor.core import Dataset, Network, SettingsError
from noisyor.data.bin_choices import DEFAULT_BINS, MANY_VALUES, BinChoices
from noisyor.data.local_files import FORMAT_NAMES
from noisyor.data.missing import ALL_CHOICES, DROP_OR_STATE, Choices, MissingPolicy
from noisyor.data.wishes import Wishes

if TYPE_CHECKING:
    from noisyor.core.incomplete_dataset import IncompleteDataset
    from noisyor.data.binning import Binning
    from noisyor.data.reading import ReadOptions

_TABLE = "The table"
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table of records: CSV, TSV, Parquet, Arrow, ARFF or GOBNILP .dat, "
        "also as .gz; - reads standard input.",
    ),
]
PresentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--present",
        metavar="COLUMN=VALUE",
        help="Which value of a two-valued column means present; '*=yes' of every one that has it. "
        "May be repeated.",
        rich_help_panel=_TABLE,
    ),
]
OrderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        metavar="COLUMN=STATE,...",
        help="All states of a column in their order, such as pain=none,mild,severe, or a network "
        "file, which gives those of its variables; may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMN",
        help="A column to leave out; may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
KeepConstantsOption = Annotated[
    bool,
    typer.Option(
        "--keep-constants",
        help="Keep columns that never change. Default: left out, unless background knowledge names "
        "them.",
        rich_help_panel=_TABLE,
    ),
]
MissingOption = Annotated[
    MissingPolicy,
    typer.Option(
        "--missing",
        help="Records that lack a value: an error, left out, with absence as a state of its own, "
        "or learned from by structural EM.",
        rich_help_panel=_TABLE,
    ),
]
BinsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--bins",
        metavar="HOW",
        help=f"Bins for numbers with more than {MANY_VALUES} values: N or quantiles:N (equal "
        "counts), width:N (equal width), mdl:TARGET (whatever predicts a column), none, or a "
        "bins.json of earlier data. For one column: COLUMN=CUT,CUT,... or COLUMN=width:N. May be "
        f"repeated. Default: quantiles:{DEFAULT_BINS}.",
        rich_help_panel=_TABLE,
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates the columns of a text file ('tab' for a tab). Default: detected.",
        rich_help_panel=_TABLE,
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line holds the names. Default: detected.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"The format of the file, if its suffix does not give it: {', '.join(FORMAT_NAMES)}.",
        rich_help_panel=_TABLE,
    ),
]


def orders(
    given: Iterable[str] | None,
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Return the states of a repeated --order option: those of columns, and those of network files.

    An option is COLUMN=STATE,... or the file of a network. A state with a comma is enclosed in
    double quotes. The first = separates: labels of bins, such as `<= 5`, have one.
    """
    result: dict[str, tuple[str, ...]] = {}
    of_networks: dict[str, tuple[str, ...]] = {}
    for text in given or ():
        column, sign, listed = text.partition("=")
        if not sign and Path(text).is_file():
            of_networks |= {one.name: one.states for one in _network_in(text).variables}
            continue
        states = tuple(next(csv.reader([listed], skipinitialspace=True), ()))
        if not (sign and column and len(states) > 1):
            raise SettingsError(
                f"--order is {text!r}; it must look like COLUMN=STATE,STATE with all states in "
                "their order, or name the file of a network"
            )
        if result.setdefault(column, states) != states:
            raise SettingsError(f"--order is given twice for {column!r}, with different states")
    return result, of_networks


def _network_in(path: str) -> Network:
    from noisyor.interop.network_files import read_network  # noqa: PLC0415  (slow, seldom used)

    return read_network(Path(path))


@dataclass(frozen=True)
class FileOptions:
    """How a file of records is read, if a network says which states there are."""

    missing: MissingOption = MissingPolicy.ERROR
    bins: BinsOption = None
    delimiter: DelimiterOption = None
    header: HeaderOption = None
    file_format: FormatOption = None

    def reading(self, wishes: Wishes | None = None) -> "ReadOptions":
        """Return how the file is read."""
        from noisyor.data.binned_tables import asked_bins  # noqa: PLC0415  (slow)
        from noisyor.data.delimited import TextOptions  # noqa: PLC0415
        from noisyor.data.reading import ReadOptions  # noqa: PLC0415

        return ReadOptions(
            wishes=wishes or Wishes(),
            missing=self.missing,
            bins=asked_bins(self.bins or None),
            text=TextOptions(delimiter_character(self.delimiter), self.header),
            format=self.file_format,
        )


@dataclass(frozen=True)
class ColumnOptions:
    """What the user says about the columns of a table."""

    present: PresentOption = None
    order: OrderOption = None
    drop: DropOption = None


@dataclass(frozen=True)
class TableOptions(FileOptions, ColumnOptions):
    """How a table of records is read."""

    def read_options(self, gap_choices: Choices = DROP_OR_STATE) -> "ReadOptions":
        """Return how the table is read; messages name these choices for missing values."""
        ordered, of_networks = orders(self.order)
        return self.reading(
            Wishes(
                unique_pairs(self.present, "--present"),
                ordered,
                tuple(self.drop or ()),
                states=of_networks,
                gap_choices=gap_choices,
            )
        )

    def read(self, data: str) -> "tuple[Dataset, Binning]":
        """Return the complete records of a table, and the bins of its numbers."""
        from noisyor.data.reading import read_with_bins  # noqa: PLC0415  (slow)

        options = self.read_options()
        dataset, binning = read_with_bins(data, options)
        say_bins(options, binning)
        return dataset, binning

    def read_any(self, data: str) -> "tuple[Dataset | IncompleteDataset, Binning]":
        """Return the records of a table, with gaps if EM shall fill them, and the bins."""
        from noisyor.data.reading import read_by_policy  # noqa: PLC0415  (slow)

        options = self.read_options(ALL_CHOICES)
        table, binning = read_by_policy(data, options)
        say_bins(options, binning)
        return table, binning


@dataclass(frozen=True)
class LearningTableOptions(TableOptions):
    """How a table to learn from is read."""

    keep_constants: KeepConstantsOption = False


def say_bins(options: "ReadOptions", binning: "Binning") -> None:
    """Say which columns were binned, if bins were asked for."""
    if isinstance(options.bins, BinChoices) and not options.bins.automatic:
        note(binning.summary())


def delimiter_character(given: str | None) -> str | None:
    r"""Return the delimiter as a character: 'tab' and '\t' spell one that is hard to type."""
    return "\t" if given in {"tab", r"\t"} else given
