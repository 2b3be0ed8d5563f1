"""The command that writes a report: of a run, or of a network."""

from pathlib import Path
from typing import Annotated, Any

import typer

from noisyor.cli.model_options import ModelOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.terminal import note
from noisyor.core import Network, NetworkSet, SettingsError
from noisyor.core.errors import errors_at
from noisyor.files.whole import check_target, write_whole
from noisyor.runs.folder import REPORT, read_report


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "report",
        epilog="Examples:\n\nnoisyor report clinic\n\nnoisyor report clinic -o clinic.html\n\n"
        "noisyor report car.xdsl",
    )(report)


@grouped
def report(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="DIR|NETWORK",
            help="The folder of 'noisyor learn -o', or a file of a network: noisyor's .json, "
            ".xdsl, .bif, .xmlbif, .net, .dne, .dsl, .uai or .jgum, also compressed (.gz).",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write it. Default: DIR/report.html, or NETWORK with .html at its end.",
        ),
    ] = None,
    stored: ModelOptions,
) -> None:
    """Write a self-contained HTML report of a run or of any network.

    The page answers questions by itself: click what you know, and all chances follow.
    """
    from noisyor.reporting.page import report_html  # noqa: PLC0415  (slow, for one command)

    if source.is_dir():
        if stored != ModelOptions():
            raise SettingsError("--present and --forgiving are for a file of a network")
        target, content = source / "report.html", read_report(source)
        where = source / REPORT
    else:
        content = _network_content(source, stored.model(source))
        target, where = _beside(source), source
    target = target if output is None else output
    check_target(target)
    with errors_at(where):
        page = report_html(content)
    write_whole({target: page.encode()})
    note(f"wrote {target}")


def _beside(network: Path) -> Path:
    """Return the path of a page beside the file of a network: `car.html` for `car.bif.gz`."""
    bare = network.with_suffix("") if network.suffix == ".gz" else network
    return bare.with_suffix(".html")


def _network_content(path: Path, model: Network | NetworkSet) -> dict[str, Any]:
    from noisyor.reporting.network_content import network_content  # noqa: PLC0415  (slow)

    if isinstance(model, NetworkSet):
        raise SettingsError(
            f"{path} holds a credible set; 'noisyor report DIR' makes the report of its folder"
        )
    return network_content(model, model.appearance.title or path.name)
