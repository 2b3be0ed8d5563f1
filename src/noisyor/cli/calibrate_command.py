"""The command that finds the temperature of the weights."""

import time
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.cluster_option import ClusterOption, working_where_asked
from noisyor.cli.learning_options import ComparisonOptions, KnowledgeOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JobsOption, JsonOption, QuietOption, SearchTimeOption, SeedOption
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.requests import request_for
from noisyor.cli.table_options import DataArgument, LearningTableOptions
from noisyor.cli.terminal import note, print_json, results
from noisyor.resampling.calibration import RESAMPLES, Calibration, calibrate_request
from noisyor.resampling.calls import shown
from noisyor.runs.plan import Plan
from noisyor.runs.summaries import strongest_edges

_EDGES_SHOWN = 20

ResamplesOption = Annotated[
    int, typer.Option("--bootstrap", metavar="B", help="The number of resampled tables.")
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "calibrate",
        epilog="Examples:\n\nnoisyor calibrate clinic.csv\n\n"
        "noisyor calibrate clinic.csv --score ebic --bootstrap 200 --json",
    )(calibrate_command)


@grouped
def calibrate_command(
    data: DataArgument,
    *,
    compared: ComparisonOptions,
    background: KnowledgeOptions,
    beliefs: PriorOptions,
    bootstrap: ResamplesOption = RESAMPLES,
    seed: SeedOption = 0,
    time_limit: SearchTimeOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    table: LearningTableOptions,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the temperature at which the weights of credible networks can be believed.

    At this temperature the weights best predict the best networks of resampled tables. 'noisyor
    learn --temperature' applies it.
    """
    began = time.monotonic()
    request, _ = request_for(
        data, table, compared, background, beliefs, jobs=jobs, time_limit=time_limit
    )
    dataset = request.data
    own = Plan(quiet=quiet, began=began, columns_left_out=dataset.columns_left_out)
    with shown(own) as plan, working_where_asked(cluster, jobs):
        found = calibrate_request(request, plan, resamples=bootstrap, seed=seed)
    for line in found.notes:
        note(f"note: {line}")
    if as_json:
        print_json(found.summary())
    else:
        _print(found, dataset.record_count)


def _print(found: Calibration, records: int) -> None:
    console = results()
    console.print(
        f"temperature {found.temperature:.2f} (one standard error: {found.low:.2f} to "
        f"{found.high:.2f}), from {found.resamples:,} resamples of {records:,} records"
    )
    console.print(
        f"log loss of the weights, as predictions of the resamples' best networks: "
        f"{found.loss_at(found.temperature):.4f} nats a pair of variables; "
        f"{found.loss_at(1.0):.4f} at temperature 1"
    )
    edges = strongest_edges(found.learned.credible)
    shown_edges = min(len(edges), _EDGES_SHOWN)
    title = f"edges at this temperature ({shown_edges} of {len(edges)}, by weight)"
    table = Table("edge", "weight", title=title, title_justify="left")
    table.columns[-1].justify = "right"
    for (parent, child), use in edges[:shown_edges]:
        error = "" if use.standard_error is None else f" ± {use.standard_error:.2%}"
        table.add_row(f"{parent} -> {child}", f"{use.weight:.2%}{error}")
    console.print(table)
    console.print(f"to apply it: noisyor learn ... --temperature {found.temperature:.2f}")
