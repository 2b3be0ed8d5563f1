"""The command that searches for networks."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.cluster_option import ClusterOption, working_where_asked
from noisyor.cli.credible_output import (
    MembersOptions,
    say_limits,
    search_progress,
)
from noisyor.cli.learning_options import (
    BoundsOption,
    ForbidOption,
    LabelsOption,
    MaxParentsOption,
    edges,
)
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import (
    JobsOption,
    JsonOption,
    MemoryLimitOption,
    QuietOption,
    SearchTimeOption,
    memory_bytes,
)
from noisyor.cli.output_file import refuse_overwriting
from noisyor.cli.search_summary import print_summary, summary
from noisyor.cli.terminal import print_json
from noisyor.core import Constraints, Knowledge
from noisyor.core.credible_set import Labels
from noisyor.formats import read_scores
from noisyor.search import BoundKind, search


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "search",
        epilog="Examples:\n\nnoisyor search clinic.parquet --bayes-factor 3\n\n"
        "noisyor search clinic.jkl --members clinic-members.parquet --json\n\n"
        "noisyor search clinic.parquet --forbid 'cough->flu' --time-limit 60",
    )(search_command)


ScoresArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SCORES",
        help="A score table: noisyor's .parquet, a GOBNILP .jkl or a URLearning .pss.",
    ),
]
BayesFactorOption = Annotated[
    float | None,
    typer.Option(
        "--bayes-factor",
        metavar="FACTOR",
        help="How many times less likely than the best network a credible one may be. Default: "
        "what the table was scored for, or 20.",
    ),
]


@grouped
def search_command(
    scores: ScoresArgument,
    *,
    bayes_factor: BayesFactorOption = None,
    bounds: BoundsOption = BoundKind.AUTO,
    labels: LabelsOption = Labels.BEST,
    max_parents: MaxParentsOption = None,
    forbid: ForbidOption = None,
    time_limit: SearchTimeOption = None,
    memory_limit: MemoryLimitOption = None,
    kept: MembersOptions,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the best network, with a proof, and every credible one.

    Hitting a limit is not an error: the result says what it leaves open.
    """
    refuse_overwriting([scores], kept.members)
    kept.check()
    table = read_scores(scores)
    with working_where_asked(cluster, jobs), search_progress(quiet=quiet) as report:
        searched = search(
            table,
            bayes_factor,
            constraints=_constraints(table.names, max_parents, forbid),
            labels=labels,
            bounds=bounds,
            jobs=jobs,
            time_limit=time_limit,
            memory_limit=memory_bytes(memory_limit),
            progress=report,
        )
    say_limits(searched.credible)
    written = kept.write(searched.credible)
    if as_json:
        seconds = dict(searched.statistics.seconds) | {"total": searched.seconds}
        said = summary(searched.credible, searched.statistics, seconds)
        said |= {"members_written": written}
        print_json(said)
    else:
        print_summary(searched.credible, searched.seconds)


def _constraints(
    names: tuple[str, ...], max_parents: int | None, forbid: Iterable[str] | None
) -> Constraints | None:
    if max_parents is None and not forbid:
        return None
    forbidden = edges(forbid, names, "--forbid")
    return Knowledge(forbidden=forbidden, max_parents=max_parents).constraints(names)
