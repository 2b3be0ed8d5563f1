"""The command that compares scores and relations by held-out records."""

import time
from typing import Annotated

import typer
from rich.table import Table

from noisyor.cli.learning_options import BayesFactorOption, KnowledgeOptions
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JobsOption, JsonOption, QuietOption, SearchTimeOption, SeedOption
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.table_options import DataArgument, LearningTableOptions
from noisyor.cli.terminal import note, print_json, results
from noisyor.core.score import ALLOWED, SCORES
from noisyor.data.constants import without_constants
from noisyor.resampling.calls import COMPARED, candidates, requests_of, shown
from noisyor.resampling.comparison import (
    FOLDS,
    TABLE_PRIOR,
    Prediction,
    ScoreComparison,
    compare_requests,
)
from noisyor.runs.plan import Plan

FoldsOption = Annotated[int, typer.Option("--folds", metavar="K", help="The number of folds.")]
TablePriorOption = Annotated[
    float,
    typer.Option(
        "--table-prior",
        metavar="A",
        help="Records of each state added to every configuration of a full table to predict.",
    ),
]
ScoresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--score", metavar="SCORE", help=f"A score to compare: {ALLOWED}. Repeat for more."
    ),
]
SetsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relations",
        metavar="SET",
        help="Relations to compare: a group (cpt, paper, default, all), or names joined by '+'. "
        "Repeat for more; the others are compared with the first.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "compare-scores",
        epilog="Examples:\n\nnoisyor compare-scores clinic.csv\n\n"
        "noisyor compare-scores clinic.csv --relations cpt --relations default --score bic "
        "--score ebic",
    )(compare_scores_command)


@grouped
def compare_scores_command(
    data: DataArgument,
    *,
    score: ScoresOption = None,
    relations: SetsOption = None,
    folds: FoldsOption = FOLDS,
    table_prior: TablePriorOption = TABLE_PRIOR,
    seed: SeedOption = 0,
    bayes_factor: BayesFactorOption = 20.0,
    background: KnowledgeOptions,
    beliefs: PriorOptions,
    time_limit: SearchTimeOption = None,
    jobs: JobsOption = None,
    table: LearningTableOptions,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare how well scores and relations predict held-out records of a table.

    Each learns from the records outside of a fold and predicts those in it. Differences are taken
    record by record.
    """
    began = time.monotonic()
    how = Prediction(table_prior)
    chosen = candidates(score or list(SCORES), relations or list(COMPARED.values()))
    prior, stated = beliefs.stated(), background.stated()
    read, _ = table.read(data)
    known = stated.among(read.names)
    dataset = without_constants(read, known, prior, keep_constants=table.keep_constants)
    requests = requests_of(
        chosen,
        dataset,
        bayes_factor,
        constraints=known,
        prior=prior,
        jobs=jobs,
        time_limit=time_limit,
    )
    with shown(Plan(quiet=quiet, began=began)) as plan:
        found = compare_requests(requests, plan, count=folds, seed=seed, how=how)
    if found.folds < found.asked:
        note(f"incomplete: {found.folds} of {found.asked} folds were done")
    if as_json:
        print_json(found.summary())
    else:
        _print(found)


def _print(found: ScoreComparison) -> None:
    console = results()
    first = found.predicted[0]
    console.print(f"{found.records:,} held-out records in {found.folds} folds (seed {found.seed})")
    title = "mean log-likelihood of a held-out record, in nats"
    table = Table(
        *("relations", "score", "best network", "average", f"average against {first.candidate}"),
        "ruled out",
        title=title,
        title_justify="left",
    )
    for column in table.columns[2:]:
        column.justify = "right"
    for one in found.predicted:
        gap = found.difference(one.average, first.average)
        against = "" if one is first else f"{gap.mean:+.4f} ± {gap.standard_error:.4f}"
        table.add_row(
            one.candidate.name,
            str(one.candidate.score),
            f"{found.mean(one.best):.4f}",
            f"{found.mean(one.average):.4f}",
            against,
            f"{one.impossible:,}",
        )
    console.print(table)
    console.print(
        f"full tables predict with {found.table_prior:g} records of each state added to every "
        "configuration, causes with their parameters of maximum likelihood; every conditional "
        f"probability has a share of {found.smoothing:g} of a uniform one; 'ruled out' counts the "
        "records that the best network without these makes impossible"
    )
    for sentence in found.sentences():
        console.print(sentence)
