"""The command that rebuilds the report of a run."""

from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.terminal import note
from noisyor.core.errors import errors_at
from noisyor.files.whole import check_target, write_whole
from noisyor.runs.folder import REPORT, read_report


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "report",
        epilog="Examples:\n\nnoisyor report clinic\n\nnoisyor report clinic -o clinic.html",
    )(report)


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of 'noisyor learn -o'.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where to write it. Default: DIR/report.html."
        ),
    ] = None,
) -> None:
    """Rebuild the report of a run: one self-contained HTML file."""
    from noisyor.reporting.page import report_html  # noqa: PLC0415  (slow, for one command)

    target = folder / "report.html" if output is None else output
    content = read_report(folder)
    check_target(target)
    with errors_at(folder / REPORT):
        page = report_html(content)
    write_whole({target: page.encode()})
    note(f"wrote {target}")
