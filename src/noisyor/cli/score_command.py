"""The command that scores families."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich import progress as rich_progress
from rich.console import Console
from rich.table import Table

from noisyor.cli.binning_file import bins_beside, write_bins
from noisyor.cli.cluster_option import ClusterOption, working_where_asked
from noisyor.cli.expected_memory import say_scoring_memory
from noisyor.cli.learning_options import ComparisonOptions, KnowledgeOptions, MaxParentsOption
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JobsOption, JsonOption, OutputOption, QuietOption
from noisyor.cli.output_file import refuse_overwriting, written_alone
from noisyor.cli.partial_scores import partial_folder, partial_scores, say_shortfalls
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.requests import request_for
from noisyor.cli.score_parts import check_part_folder, children_named, part_in
from noisyor.cli.table_options import DataArgument, LearningTableOptions
from noisyor.cli.terminal import EXIT_UNFINISHED, note, print_json, results
from noisyor.core import Dataset
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.formats import check_suffix, write_scores
from noisyor.formats.score_files import sidecar_of
from noisyor.runs.checkpoint import Checkpoint
from noisyor.runs.folder import used_alone
from noisyor.runs.summaries import rule_name, scored_families
from noisyor.scoring import (
    ChildScores,
    Scored,
    ScoringInterrupted,
    score_request,
)


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "score",
        epilog="Examples:\n\nnoisyor score clinic.csv -o clinic.jkl\n\n"
        "noisyor score clinic.csv -o clinic.parquet --bayes-factor 3 --paper --json\n\n"
        "noisyor score clinic.csv --children 1-6 -o part1",
    )(score_command)


TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this time; the same command resumes from what was finished.",
    ),
]


ChildrenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--children",
        metavar="WHICH",
        help="Score only these columns, by name or by number from 1, such as 3-5,9; the output is "
        "then a folder for 'noisyor merge'. May be repeated.",
    ),
]


class _Done(NamedTuple):
    """What was scored, how many children by an earlier run, and whether some remain."""

    scored: Scored
    before: int
    unfinished: bool


@grouped
def score_command(
    data: DataArgument,
    output: OutputOption,
    *,
    compared: ComparisonOptions,
    max_parents: MaxParentsOption = None,
    beliefs: PriorOptions,
    children: ChildrenOption = None,
    cluster: ClusterOption = None,
    jobs: JobsOption = None,
    time_limit: TimeLimitOption = None,
    table: LearningTableOptions,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score every family that could be in a credible network, and write the table.

    The output is a GOBNILP .jkl, a URLearning .pss or noisyor's own .parquet.
    """
    if children is None:
        check_suffix(output)
        refuse_overwriting([data, *(table.bins or ())], output, sidecar_of(output))
        refuse_overwriting([data], bins_beside(output))
    else:
        check_part_folder(output)
    background = KnowledgeOptions(max_parents=max_parents)
    alone = written_alone(output, sidecar_of(output)) if children is None else used_alone(output)
    with alone, working_where_asked(cluster, jobs):
        request, binning = request_for(
            data, table, compared, background, beliefs, jobs=jobs, time_limit=time_limit
        )
        dataset = request.data
        if children is None:
            done = _score_all(request, output, quiet=quiet)
            if not done.unfinished:
                write_bins(binning, output)
        else:
            wanted = children_named(children, dataset.names)
            done = _score_part(request, output, wanted, quiet=quiet)
    if as_json:
        summary = _summary(request, done.scored, done.before)
        print_json(summary)
    else:
        _print_summary(dataset, done.scored, done.before)
    if done.unfinished:
        raise typer.Exit(EXIT_UNFINISHED)


def _score_all(request: Request, output: Path, *, quiet: bool) -> _Done:
    """Score, and write the table; each child is saved as soon as it is finished."""
    folder, data = partial_folder(output), request.data
    with partial_scores(output, request) as part:
        finished = part.finished()
        _say_what_is_there(folder, part, len(finished), data.variable_count)
        try:
            scored = _scored(request, finished, part, quiet=quiet)
        except ScoringInterrupted as interruption:
            _say_what_is_kept(interruption.scored, folder)
            raise
        unfinished = len(scored.children) < data.variable_count
        if unfinished:
            _say_what_is_kept(scored, folder)
        else:
            write_scores(scored.table, output)
            part.remove()
            say_shortfalls(scored.table)
            note(f"wrote {output}")
    return _Done(scored, len(finished), unfinished)


def _say_what_is_there(folder: Path, part: Checkpoint, done: int, wanted: int) -> None:
    """Print how far an earlier run had come, if there was one."""
    begun = len(part.open_children())
    if done or begun:
        further = f", and a cluster has begun {begun}" if begun else ""
        note(f"going on from {folder}: {done} of {wanted} children are done{further}")


def _say_what_is_kept(scored: Scored, folder: Path) -> None:
    """Print what a table lacks, and where its finished children are."""
    say_shortfalls(scored.table)
    if scored.children:
        note(f"what is finished is in {folder}; the same command resumes from there")


def _score_part(request: Request, folder: Path, children: list[int], *, quiet: bool) -> _Done:
    """Score some children; each is saved in the folder as soon as it is finished."""
    part = part_in(folder, request)
    finished = {child: own for child, own in part.finished().items() if child in children}
    _say_what_is_there(folder, part, len(finished), len(children))
    scored = _scored(request, finished, part, children, quiet=quiet)
    unfinished = len(scored.children) < len(children)
    if unfinished:
        _say_what_is_kept(scored, folder)
    else:
        say_shortfalls(scored.table)
        note(f"wrote {len(children)} of {request.data.variable_count} children to {folder}")
    return _Done(scored, len(finished), unfinished)


def _scored(
    request: Request,
    finished: dict[int, ChildScores],
    part: Checkpoint,
    children: list[int] | None = None,
    *,
    quiet: bool,
) -> Scored:
    if not quiet:
        say_scoring_memory(request)
    with _progress_bar(quiet=quiet) as report:
        return score_request(
            request,
            children=children,
            finished=finished,
            keep=part.keep_child,
            begun=part,
            progress=report,
        )


@contextmanager
def _progress_bar(*, quiet: bool) -> Iterator["ProgressReport | None"]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with rich_progress.Progress(
        rich_progress.TextColumn("scoring"),
        rich_progress.BarColumn(),
        rich_progress.TextColumn("{task.percentage:>3.0f} %"),
        rich_progress.TextColumn("{task.fields[done]}"),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        yield ProgressReport(bar)


class ProgressReport:
    """Shows the progress of scoring."""

    def __init__(self, bar: rich_progress.Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=1.0, done="")

    def __call__(self, now: Progress) -> None:
        """Show the latest figures."""
        rate = (now.decided or 0) / now.seconds if now.seconds else 0
        done = f"{now.detail}, {rate:,.0f} families/s"
        self._bar.update(self._task, completed=now.share or 0.0, done=done)


def _summary(request: Request, scored: Scored, finished: int) -> dict[str, object]:
    data, statistics = request.data, scored.statistics
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "bayes_factor": request.factor.value,
        "slack": request.factor.slack,
        "score": request.score.name,
        "prior": str(request.prior),
        "complete": scored.table.scope.complete,
        "shortfalls": list(scored.table.scope.shortfalls),
        "families": scored_families(statistics)["by_relation"],
        "kept": len(scored.table),
        "pruned_percent": statistics.pruned_percent,
        "children_from_earlier_run": finished,
        "children_left_out": [
            name for child, name in enumerate(data.names) if child not in scored.children
        ],
        "newton_steps": statistics.fits.newton_steps,
        "unconverged_fits": statistics.fits.unconverged,
        "largest_gap": float(scored.table.gaps.max(initial=0.0)),
        "seconds": {"score": scored.seconds},
    }


def _print_summary(data: Dataset, scored: Scored, finished: int) -> None:
    console = results()
    console.print(
        f"{data.variable_count} variables, {data.record_count} records: "
        f"{len(scored.table):,} families kept in {scored.seconds:.2f} s"
    )
    if finished:
        console.print(f"{finished} children are from an earlier run")
    statistics = scored.statistics.relations
    table = Table("families", *(relation.name for relation in statistics))
    for column in table.columns[1:]:
        column.justify = "right"
    columns = list(statistics.values())
    table.add_row("considered", *(f"{one.considered:,}" for one in columns))
    for rule in columns[0].cut if columns else ():
        cut = (f"{one.cut[rule]:,}" for one in columns)
        table.add_row(f"pruned unseen: {rule_name(rule)}", *cut)
    table.add_row("evaluated", *(f"{one.evaluated:,}" for one in columns))
    table.add_row("kept", *(f"{one.kept:,}" for one in columns))
    table.add_row("pruned", *(f"{one.pruned_percent:.4f} %" for one in columns))
    console.print(table)
