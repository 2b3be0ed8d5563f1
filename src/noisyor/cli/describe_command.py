"""The command that describes a table: its variables, their states, and where cells are missing."""

import warnings
from collections.abc import Sequence
from dataclasses import asdict

import typer
from rich.console import Console
from rich.table import Table

from noisyor.cli.em_options import read_any_table
from noisyor.cli.flags import in_flags
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
)
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Dataset
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.listing import listed
from noisyor.core.variable import States
from noisyor.core.visible import visible
from noisyor.data.coding import warn_of_constant_columns
from noisyor.data.missing import MissingPolicy
from noisyor.data.warning import DataWarning
from noisyor.incomplete.missingness import LEVEL, Missingness, MissingPair, missingness

_SHARES_WIDTH = 72  # characters
_REMARK_WIDTH = 30
_MOST_PAIRS = 20


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "describe",
        epilog="Examples:\n\nnoisyor describe clinic.csv\n\n"
        "noisyor describe survey.csv --present sex=female --order pain=none,mild,severe --json",
    )(describe)


def describe(
    data: DataArgument,
    *,
    present: PresentOption = None,
    order: OrderOption = None,
    drop: DropOption = None,
    missing: MissingOption = MissingPolicy.EM,
    bins: BinsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Summarize a table: its variables, their states and shares, and where cells are missing."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        table, _ = read_any_table(
            data, present, order, drop, missing, bins, delimiter, header, file_format
        )
        warn_of_constant_columns(table)
    said = [in_flags(str(one.message)) for one in caught]
    for warning in said:
        note(f"warning: {warning}")
    if as_json:
        print_json(_summary(table, said))
    else:
        _print_summary(table)


def _summary(table: Dataset | IncompleteDataset, said: list[str]) -> dict[str, object]:
    """Return the summary of a table, for JSON."""
    summary: dict[str, object] = {
        "records": table.record_count,
        "distinct": len(table.weights),
        "fingerprint": table.fingerprint(),
        "variables": [
            {
                "name": variable.name,
                "states": list(variable.states),
                "ordered": variable.has_order,
                "counts": table.state_counts(place).tolist(),
            }
            for place, variable in enumerate(table.variables)
        ],
        "warnings": said,
    }
    if isinstance(table, IncompleteDataset):
        summary["missing"] = asdict(missingness(table))
    return summary


def _print_summary(table: Dataset | IncompleteDataset) -> None:
    """Print the summary of a table for people."""
    console = results()
    console.print(
        f"{len(table.variables)} variables, {table.record_count} records, "
        f"{len(table.weights)} distinct"
    )
    binary = all(variable.is_binary for variable in table.variables)
    console.print(_binary_states(table) if binary else _states(table))
    if isinstance(table, IncompleteDataset):
        _print_missing(console, missingness(table))


def _binary_states(table: Dataset | IncompleteDataset) -> Table:
    """Return how often each variable of a binary table is present."""
    shown = Table("variable", "absent", "present")
    shown.add_column("ones", justify="right")
    shown.add_column("share", justify="right")
    shown.add_column("remark")
    for place, variable in enumerate(table.variables):
        zeros, ones = table.state_counts(place).tolist()
        share = f"{ones / (zeros + ones):.1%}"
        remark = "" if zeros and ones else "constant"
        shown.add_row(variable.name, *variable.states, str(ones), share, remark)
    return shown


def _states(table: Dataset | IncompleteDataset) -> Table:
    """Return the states of each variable, with the share of its values that are each."""
    shown = Table("variable")
    shown.add_column("states", justify="right")
    shown.add_column("ordered")
    shown.add_column("shares", max_width=_SHARES_WIDTH)
    shown.add_column("remark", max_width=_REMARK_WIDTH)
    for place, variable in enumerate(table.variables):
        counts = table.state_counts(place).tolist()
        total = sum(counts)
        shares = [
            f"{state}: {count / total:.1%}"
            for state, count in zip(variable.states, counts, strict=True)
        ]
        shown.add_row(
            variable.name,
            str(variable.state_count),
            "" if variable.is_binary else "yes" if variable.ordered else "no",
            listed(shares),
            _remark(variable.states, counts),
        )
    return shown


def _remark(states: States, counts: list[int]) -> str:
    never = [state for state, count in zip(states, counts, strict=True) if not count]
    if len(never) == len(states) - 1:
        return "constant"
    return f"never: {listed(never)}" if never else ""


def _print_missing(console: Console, found: Missingness) -> None:
    """Print where cells are missing, and what that goes with."""
    share = found.cells / (found.records * len(found.columns))
    console.print(
        f"{found.cells} cells ({share:.1%}) are missing, in {found.incomplete} of {found.records} "
        f"records; {found.empty} records have no value at all"
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
