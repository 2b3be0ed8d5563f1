"""Options that several commands share, each declared once."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from noisyor.core import BinaryDataset, SettingsError
from noisyor.data.missing import MissingPolicy
from noisyor.data.reading import read
from noisyor.data.sources import FORMAT_NAMES

_TABLE = "The table"
_COLUMN_VALUE = "COLUMN=VALUE"

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table of binary records: CSV, TSV, Parquet, Arrow, ARFF or GOBNILP .dat, "
        "also as .gz; - reads standard input.",
    ),
]
PresentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--present",
        metavar=_COLUMN_VALUE,
        help="Which value of a two-valued column means present; may be repeated.",
        rich_help_panel=_TABLE,
    ),
]
MissingOption = Annotated[
    MissingPolicy,
    typer.Option(
        "--missing",
        help="Records that lack a value: an error, or left out.",
        rich_help_panel=_TABLE,
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHARACTER",
        help="What separates the columns of a text file ('tab' for a tab); found by itself.",
        rich_help_panel=_TABLE,
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line holds the names; found by itself.",
        show_default=False,
        rich_help_panel=_TABLE,
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help=f"What kind of file it is, where its name does not say: {', '.join(FORMAT_NAMES)}.",
        rich_help_panel=_TABLE,
    ),
]
OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write the result."),
]
MaxParentsOption = Annotated[
    int | None,
    typer.Option("--max-parents", metavar="K", help="Parents a node has at most; no limit."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads to use; all cores.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def pairs(given: Iterable[str] | None, option: str) -> list[tuple[str, str]]:
    """Return the (column, value) pairs of a repeated COLUMN=VALUE option."""
    result = []
    for text in given or ():
        # The last sign separates: columns that binarize made have one in their names.
        column, sign, value = text.rpartition("=")
        if not (sign and column and value):
            raise SettingsError(f"{option} is {text!r}; it must look like {_COLUMN_VALUE}")
        result.append((column, value))
    return result


def unique_pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return one value per column, or say which column was given two."""
    result: dict[str, str] = {}
    for column, value in pairs(given, option):
        if result.setdefault(column, value) != value:
            raise SettingsError(
                f"{option} is given twice for {column!r}: {result[column]!r} and {value!r}"
            )
    return result


def read_table(  # noqa: PLR0917  (the options above, in their order)
    data: str,
    present: Iterable[str] | None,
    missing: MissingPolicy,
    delimiter: str | None,
    header: bool | None,
    file_format: str | None,
) -> BinaryDataset:
    """Return the table that the options describe."""
    return read(
        data,
        present=unique_pairs(present, "--present"),
        missing=missing,
        delimiter=delimiter_character(delimiter),
        header=header,
        format=file_format,
    )


def delimiter_character(given: str | None) -> str | None:
    r"""Return the delimiter as a character: 'tab' and '\t' spell one that is hard to type."""
    return "\t" if given in {"tab", r"\t"} else given
