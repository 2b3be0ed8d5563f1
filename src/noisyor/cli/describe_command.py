"""The command that describes a table: its variables, their states, and where cells are missing."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import typer
from rich.console import Console
from rich.table import Table

from noisyor.cli.column_uses import ColumnUse, column_uses
from noisyor.cli.flags import in_flags
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JsonOption
from noisyor.cli.table_options import DataArgument, MissingOption, TableOptions, say_bins
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Dataset
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.left_out_columns import left_out_summary
from noisyor.core.listing import listed, numbered
from noisyor.core.visible import visible
from noisyor.data.coding import warn_of_constant_columns
from noisyor.data.missing import ALL_CHOICES, MissingPolicy
from noisyor.data.reading import UsableTable, read_usable
from noisyor.data.unusable import UnusableColumn
from noisyor.data.warning import DataWarning
from noisyor.incomplete.missingness import LEVEL, Missingness, MissingPair, missingness

_SHARES_WIDTH = 56  # characters
_REMARK_WIDTH = 21
_MOST_PAIRS = 20


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "describe",
        epilog="Examples:\n\nnoisyor describe clinic.csv\n\n"
        "noisyor describe survey.csv --present sex=female --order pain=none,mild,severe --json",
    )(describe)


@dataclass(frozen=True)
class DescribedTableOptions(TableOptions):
    """How a table that is described is read: with its gaps."""

    missing: MissingOption = MissingPolicy.EM


@grouped
def describe(
    data: DataArgument,
    *,
    table: DescribedTableOptions,
    as_json: JsonOption = False,
) -> None:
    """Summarize a table: its variables, their states and shares, and where cells are missing.

    It says what 'learn' and 'binarize' would make of each column, and which it would refuse.
    """
    options = table.read_options(ALL_CHOICES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        usable = read_usable(data, options)
        warn_of_constant_columns(usable.records)
    said = [in_flags(str(one.message)) for one in caught]
    say_bins(options, usable.binning)
    for warning in said:
        note(f"warning: {warning}")
    if as_json:
        print_json(_summary(usable, said))
    else:
        _print_summary(usable)


def _summary(table: UsableTable, said: list[str]) -> dict[str, object]:
    """Return the summary of a table, for JSON."""
    records = table.records
    uses = column_uses(table)
    summary: dict[str, object] = {
        "records": records.record_count,
        "distinct": len(records.weights),
        "fingerprint": records.fingerprint(),
        "variables": [
            {
                "name": variable.name,
                "states": list(variable.states),
                "ordered": variable.has_order,
                "counts": records.state_counts(place).tolist(),
                "learn": uses[variable.name].learn,
                "binarize": uses[variable.name].binarize,
            }
            for place, variable in enumerate(records.variables)
        ],
        "columns_left_out": left_out_summary(records.columns_left_out),
        "refused": [asdict(column) for column in table.refused],
        "warnings": said,
    }
    if isinstance(records, IncompleteDataset):
        summary["missing"] = asdict(missingness(records))
    return summary


def _print_summary(table: UsableTable) -> None:
    """Print the summary of a table for people."""
    console, records = results(), table.records
    console.print(
        f"{numbered(len(records.variables), 'variable')}, "
        f"{numbered(records.record_count, 'record')}, "
        f"{len(records.weights)} distinct"
    )
    binary = all(variable.is_binary for variable in records.variables)
    uses = column_uses(table)
    console.print(_binary_states(records, uses) if binary else _states(records, uses))
    if table.refused:
        _print_refused(console, table.refused)
    if isinstance(records, IncompleteDataset):
        _print_missing(console, missingness(records))


def _print_refused(console: Console, columns: Sequence[UnusableColumn]) -> None:
    """Print which columns cannot be learned from, and how to go on without them."""
    console.print("cannot be learned from as they are:")
    for column in columns:
        console.print(f"  {column.name} {column.words()}")
    names = [column.name for column in columns]
    what = "it" if len(names) == 1 else "them"
    console.print(in_flags(f"to leave {what} out: drop={names!r}"))


def _binary_states(table: Dataset | IncompleteDataset, uses: Mapping[str, ColumnUse]) -> Table:
    """Return how often each variable of a binary table is present."""
    shown = Table("variable", "absent", "present")
    shown.add_column("ones", justify="right")
    shown.add_column("share", justify="right")
    shown.add_column("remark")
    for place, variable in enumerate(table.variables):
        zeros, ones = table.state_counts(place).tolist()
        share = f"{ones / (zeros + ones):.1%}"
        remark = "" if zeros and ones else uses[variable.name].learn
        shown.add_row(variable.name, *variable.states, str(ones), share, remark)
    return shown


def _states(table: Dataset | IncompleteDataset, uses: Mapping[str, ColumnUse]) -> Table:
    """Return the states of each variable, with the share of its values that are each."""
    shown = Table("variable")
    shown.add_column("states", justify="right")
    shown.add_column("ordered")
    shown.add_column("shares", max_width=_SHARES_WIDTH)
    shown.add_column("learn", max_width=_REMARK_WIDTH)
    shown.add_column("binarize", max_width=_REMARK_WIDTH)
    for place, variable in enumerate(table.variables):
        counts = table.state_counts(place).tolist()
        total = sum(counts)
        shares = [
            f"{state}: {count / total:.1%}"
            for state, count in zip(variable.states, counts, strict=True)
        ]
        use = uses[variable.name]
        shown.add_row(
            variable.name,
            str(variable.state_count),
            "" if variable.is_binary else "yes" if variable.ordered else "no",
            listed(shares),
            use.learn,
            listed(use.binarize) if isinstance(use.binarize, list) else use.binarize,
        )
    return shown


def _print_missing(console: Console, found: Missingness) -> None:
    """Print where cells are missing, and what that goes with."""
    share = found.cells / (found.records * len(found.columns))
    console.print(
        f"{_count(found.cells, 'cell', 'cells')} ({share:.1%}) missing, in {found.incomplete} of "
        f"{found.records} "
        f"records; {_count(found.empty, 'record has', 'records have')} no value at all"
    )
    table = Table("column")
    table.add_column("missing", justify="right")
    table.add_column("of records", justify="right")
    for column in found.columns:
        if column.missing:
            table.add_row(column.name, str(column.missing), f"{column.missing / found.records:.1%}")
    console.print(table)
    for one, other in found.never_together:
        console.print(f"no record has both {visible(one)} and {visible(other)}")
    console.print(_goes_with(found))
    if found.pairs:
        _print_pairs(console, found.pairs)


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _goes_with(found: Missingness) -> str:
    if not found.pairs:
        return (
            f"in none of {found.tested} pairs tested do gaps go with another column's values "
            f"(permutation tests, Holm's correction, {LEVEL:.0%}); whether a cell is missing "
            "because of its own value cannot be seen"
        )
    return (
        f"in {len(found.pairs)} of {found.tested} pairs tested gaps go with another column's "
        f"values (permutation tests, Holm's correction, {LEVEL:.0%}): leaving records out would "
        "distort these columns, and --missing em uses what is seen"
    )


def _print_pairs(console: Console, pairs: Sequence[MissingPair]) -> None:
    table = Table("gaps of", "go with", "share missing by its value", "p, corrected")
    for pair in pairs[:_MOST_PAIRS]:
        shares = [
            f"{state}: {share:.1%}"
            for state, share in zip(pair.states, pair.shares, strict=True)
            if share is not None
        ]
        table.add_row(pair.missing, pair.goes_with, listed(shares), f"{pair.chance:.2g}")
    console.print(table)
    if len(pairs) > _MOST_PAIRS:
        console.print(f"and {len(pairs) - _MOST_PAIRS} more pairs")
