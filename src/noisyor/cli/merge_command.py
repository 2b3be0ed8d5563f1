"""The command that merges the parts of a score table."""

from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.options import JsonOption, OutputOption
from noisyor.cli.output_file import written_alone
from noisyor.cli.partial_scores import say_shortfalls
from noisyor.cli.score_parts import merged
from noisyor.cli.terminal import note, print_json, results
from noisyor.formats import check_suffix, write_scores
from noisyor.formats.score_files import sidecar_of


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "merge",
        epilog="Examples:\n\nnoisyor score clinic.csv --children 1-6 -o part1\n\n"
        "noisyor score clinic.csv --children 7-11 -o part2\n\n"
        "noisyor merge part1 part2 -o clinic.jkl",
    )(merge_command)


PartsArgument = Annotated[
    list[Path],
    typer.Argument(metavar="PART...", help="Folders written by 'noisyor score --children'."),
]


def merge_command(
    parts: PartsArgument, output: OutputOption, *, as_json: JsonOption = False
) -> None:
    """Merge the parts of a score table, and write the table.

    It is the same as if it had been scored at once. Parts with different data or settings are
    refused, and so are parts that together lack children.
    """
    check_suffix(output)
    with written_alone(output, sidecar_of(output)):
        table = merged(parts)
        write_scores(table, output)
    say_shortfalls(table)
    note(f"wrote {output}")
    if as_json:
        said = {
            "parts": len(parts),
            "variables": len(table.names),
            "kept": len(table),
            "complete": table.scope.complete,
            "shortfalls": list(table.scope.shortfalls),
        }
        print_json(said)
    else:
        results().print(
            f"{len(table.names)} variables: {len(table):,} families from {len(parts)} parts"
        )
