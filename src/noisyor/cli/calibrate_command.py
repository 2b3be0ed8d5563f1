"""The command that finds the temperature of the weights."""

import time
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.cluster_option import ClusterOption, working_where_asked
from noisyor.cli.learning_options import (
    BayesFactorOption,
    ForbidOption,
    KnowledgeOption,
    MaxParentsOption,
    PaperOption,
    RelationsOption,
    RequireOption,
    ScoreOption,
    knowledge_of,
    relations_named,
)
from noisyor.cli.options import (
    JobsOption,
    JsonOption,
    QuietOption,
    SearchTimeOption,
    SeedOption,
)
from noisyor.cli.prior_options import (
    ArcProbabilityOption,
    PriorOption,
    RelationWeightOption,
    prior_of,
)
from noisyor.cli.table_options import (
    BinsOption,
    DataArgument,
    DelimiterOption,
    DropOption,
    FormatOption,
    HeaderOption,
    KeepConstantsOption,
    MissingOption,
    OrderOption,
    PresentOption,
    read_table,
)
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import BIC, BayesFactor
from noisyor.core.request import Request
from noisyor.data.constants import without_constants
from noisyor.data.missing import MissingPolicy
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


def calibrate_command(
    data: DataArgument,
    *,
    bayes_factor: BayesFactorOption = 20.0,
    score: ScoreOption = BIC.name,
    relations: RelationsOption = None,
    paper: PaperOption = False,
    knowledge: KnowledgeOption = None,
    max_parents: MaxParentsOption = None,
    forbid: ForbidOption = None,
    require: RequireOption = None,
    prior: PriorOption = None,
    arc_probability: ArcProbabilityOption = None,
    relation_weight: RelationWeightOption = None,
    bootstrap: ResamplesOption = RESAMPLES,
    seed: SeedOption = 0,
    time_limit: SearchTimeOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    present: PresentOption = None,
    order: OrderOption = None,
    drop: DropOption = None,
    keep_constants: KeepConstantsOption = False,
    missing: MissingOption = MissingPolicy.ERROR,
    bins: BinsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the temperature at which the weights of credible networks can be believed.

    At this temperature the weights best predict the best networks of resampled tables. 'noisyor
    learn --temperature' applies it.
    """
    began = time.monotonic()
    chosen = relations_named(relations, paper=paper)
    beliefs = prior_of(prior, arc_probability, relation_weight)
    read, _ = read_table(data, present, order, drop, missing, bins, delimiter, header, file_format)
    known = knowledge_of(knowledge, require, forbid, max_parents, read.names)
    dataset = without_constants(read, known, beliefs, keep_constants=keep_constants)
    request = Request.of(
        dataset,
        BayesFactor(bayes_factor),
        score=score,
        relations=chosen,
        constraints=known,
        prior=beliefs,
        jobs=jobs,
        time_limit=time_limit,
    )
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
