"""The command that turns a raw table into a binary one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
import typer

from noisyor.cli.options import OutputOption, pairs
from noisyor.cli.output_file import refuse_overwriting, written_alone
from noisyor.cli.table_options import (
    DelimiterOption,
    FormatOption,
    HeaderOption,
    MissingOption,
    delimiter_character,
)
from noisyor.cli.terminal import note
from noisyor.core import SettingsError
from noisyor.data.binarization import Binarization
from noisyor.data.binarize import (
    Above,
    Choice,
    Drop,
    OneAgainstRest,
    PresentWhen,
    SplitMethod,
    binarize,
    choices_from,
    read_mapping,
)
from noisyor.data.binarized_files import (
    knowledge_path,
    read_binarization,
    record_path,
    write_binarized,
)
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_reading import read_raw
from noisyor.files.content import text_in

_CHOICES = "Choices by column (may be repeated)"
_AGAIN = "Rules of an earlier run"

_RawArgument = Annotated[
    str, typer.Argument(metavar="RAW", help="A table of any values; - reads standard input.")
]
_MethodOption = Annotated[
    SplitMethod | None,
    typer.Option(help="Where numbers are split; present means above. Default: median."),
]
_ThresholdOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=NUMBER", help="Split numbers here instead.", rich_help_panel=_CHOICES
    ),
]
_PresentOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Make one column: present for this value, absent for all others; several values form "
        "a group.",
        rich_help_panel=_CHOICES,
    ),
]
_OneAgainstRestOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Make one column per value, even of numbers; the default for text.",
        rich_help_panel=_CHOICES,
    ),
]
_DropOption = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave a column out.", rich_help_panel=_CHOICES),
]
_MappingOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help='The same as JSON, such as {"columns": {"age": {"threshold": 50}, "colour": '
        '{"present": \\["red", "orange"]}, "id": {"drop": true}}}.',
        rich_help_panel=_CHOICES,
    ),
]
_ApplyOption = Annotated[
    Path | None,
    typer.Option(
        metavar="RECORD",
        help="Apply the rules of this record (a .binarize.json).",
        rich_help_panel=_AGAIN,
    ),
]
_UnknownOption = Annotated[
    Literal["error", "absent"],
    typer.Option(help="What to do with a category that no rule knows.", rich_help_panel=_AGAIN),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "binarize",
        epilog="Examples:\n\nnoisyor binarize raw.csv -o binary.csv --drop id --threshold age=50"
        "\n\nnoisyor binarize raw.csv -o binary.csv --mapping groups.json"
        "\n\nnoisyor binarize new.csv -o new01.csv --apply binary.binarize.json",
    )(binarize_command)


def binarize_command(
    raw: _RawArgument,
    output: OutputOption,
    *,
    method: _MethodOption = None,
    threshold: _ThresholdOption = None,
    present: _PresentOption = None,
    one_against_rest: _OneAgainstRestOption = None,
    drop: _DropOption = None,
    mapping: _MappingOption = None,
    apply: _ApplyOption = None,
    unknown: _UnknownOption = "error",
    missing: MissingOption = MissingPolicy.ERROR,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
) -> None:
    """Turn a table of numbers and categories into a binary one.

    Next to OUT.csv, it writes OUT.binarize.json: the rules, to read and to apply again. Where a
    column becomes several, OUT.knowledge.toml says that these do not cause each other.
    """
    beside = (record_path(output), knowledge_path(output))
    refuse_overwriting((raw, mapping), output, *beside)
    choices: list[tuple[str, Choice]] = [
        *((column, Above(_number(text))) for column, text in pairs(threshold, "--threshold")),
        *((column, PresentWhen((value,))) for column, value in pairs(present, "--present")),
        *((column, OneAgainstRest()) for column in one_against_rest or ()),
        *((column, Drop()) for column in drop or ()),
        *(read_mapping(text_in(mapping), str(mapping)) if mapping else ()),
    ]
    if apply is not None and (choices or method):
        raise SettingsError(
            "--apply takes all rules from its record; give no method or choice with it"
        )
    if apply is None and unknown != "error":
        raise SettingsError("--unknown applies to the rules of an earlier run; it needs --apply")
    with written_alone(output, *beside):
        table = read_raw(
            raw, delimiter=delimiter_character(delimiter), header=header, format=file_format
        )
        if apply is not None:
            binary, rules = _applied(apply, table, unknown, missing)
        else:
            binary, rules = binarize(
                table, choices_from(choices), method=method or SplitMethod.MEDIAN, missing=missing
            )
        _report(binary, output, write_binarized(binary, rules, output))


def _applied(
    record: Path,
    table: pl.DataFrame,
    unknown: Literal["error", "absent"],
    missing: MissingPolicy,
) -> tuple[pl.DataFrame, Binarization]:
    """Return the table with the rules of a record applied, and the rules."""
    rules = read_binarization(record)
    unread = rules.unread(table)
    if unread:
        note(
            f"warning: the rules do not know these columns and leave them out: {', '.join(unread)}"
        )
    return rules.apply(table, unknown=unknown, missing=missing), rules


def _report(binary: pl.DataFrame, output: Path, beside: Sequence[Path]) -> None:
    said = " and ".join(str(path) for path in beside)
    note(f"wrote {output} ({len(binary)} records, {binary.width} columns) and {said}")
    if knowledge_path(output) in beside:
        note(
            f"some columns were made from one: 'noisyor learn {output} --knowledge "
            f"{knowledge_path(output)}' keeps them from causing each other"
        )


def _number(text: str) -> float:
    """Return the number in a --threshold."""
    try:
        return float(text)
    except ValueError:
        raise SettingsError(f"--threshold has {text!r}; it must be a number") from None
