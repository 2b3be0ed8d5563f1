"""Options that commands of all kinds share, each declared once."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from noisyor.core.errors import SettingsError

_COLUMN_VALUE = "COLUMN=VALUE"
_GIBIBYTE = 2**30
_MOST_GIBIBYTES = 2**20
ModelArgument = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        help="A network: noisyor's .json (also of a credible set), .xdsl, .bif, .xmlbif, .net, "
        ".dne, .dsl, .uai or .jgum, also compressed (.gz).",
    ),
]
ModelPresentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--present",
        metavar="NAME=STATE",
        help="Which state of a variable means present, if its labels do not show it; may be "
        "repeated.",
    ),
]
ForgivingOption = Annotated[
    bool,
    typer.Option(
        "--forgiving",
        help="Read, with a warning, a file with rows that sum to 1 only within 0.01 or to 0, a "
        ".bif file with a missing or repeated row, a .dne file with a node without a table, and "
        "text that is not UTF-8 although it should be.",
    ),
]
OutputOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write the result."),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="FORMAT", help="The format, if the suffix of the file does not give it."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="SEED", help="The seed of resampled tables.")
]
SearchTimeOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this time; the result says what it leaves open.",
    ),
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        metavar="GIB",
        help="Memory that the search may use; the result says what it leaves open.",
    ),
]
MembersOption = Annotated[
    Path | None,
    typer.Option("--members", metavar="FILE", help="Write the networks to a .parquet file."),
]
MaxNetworksOption = Annotated[
    int,
    typer.Option("--max-networks", metavar="K", help="The most networks to write to the file."),
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Threads to use. Default: all cores.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def pairs(given: Iterable[str] | None, option: str) -> list[tuple[str, str]]:
    """Return the (column, value) pairs of a repeated COLUMN=VALUE option."""
    result = []
    for text in given or ():
        # The last = separates: columns that binarize made have one in their names.
        column, sign, value = text.rpartition("=")
        if not (sign and column and value):
            raise SettingsError(f"{option} is {text!r}; it must look like {_COLUMN_VALUE}")
        result.append((column, value))
    return result


def unique_pairs(given: Iterable[str] | None, option: str) -> dict[str, str]:
    """Return one value per column; refuse a column with two."""
    result: dict[str, str] = {}
    for column, value in pairs(given, option):
        if result.setdefault(column, value) != value:
            raise SettingsError(
                f"{option} is given twice for {column!r}: {result[column]!r} and {value!r}"
            )
    return result


def memory_bytes(gibibytes: float | None) -> int | None:
    """Return the bytes that --memory-limit allows."""
    if gibibytes is None:
        return None
    if not 0 < gibibytes < _MOST_GIBIBYTES:
        raise SettingsError(
            f"--memory-limit is {gibibytes:g} GiB; it must be above 0 and below {_MOST_GIBIBYTES}"
        )
    return int(gibibytes * _GIBIBYTE)
