"""The command that scores families."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from noisyor.cli.options import (
    BayesFactorOption,
    DataArgument,
    DelimiterOption,
    FormatOption,
    HeaderOption,
    JobsOption,
    JsonOption,
    LeakOption,
    MaxParentsOption,
    MissingOption,
    OutputOption,
    PresentOption,
    QuietOption,
    RelationsOption,
    read_table,
    relations_named,
)
from noisyor.cli.terminal import EXIT_INTERRUPTED, note, results
from noisyor.core import (
    BayesFactor,
    BinaryDataset,
    Knowledge,
    MismatchError,
    Relation,
    ScoreTable,
)
from noisyor.core.version import VERSION
from noisyor.data.missing import MissingPolicy
from noisyor.formats import check_suffix, read_scores, write_scores
from noisyor.scoring import (
    ChildScores,
    Scored,
    ScoringInterrupted,
    ScoringProgress,
    score,
    scores_in,
)
from noisyor.summaries import rule_name, scored_families
from noisyor.whole_files import check_target

PARTIAL_SUFFIX = ".partial.parquet"
"""Beside the output: what an interrupted run had finished, for the next one to go on from."""


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "score",
        epilog="Examples:\n\nnoisyor score clinic.csv -o clinic.jkl\n\n"
        "noisyor score clinic.csv -o clinic.parquet --bayes-factor 3 --leak --json",
    )(score_command)


TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this long; what is finished by then is kept to go on from.",
    ),
]


def score_command(
    data: DataArgument,
    output: OutputOption,
    *,
    bayes_factor: BayesFactorOption = 20.0,
    relations: RelationsOption = "cpt,noisy-or",
    leak: LeakOption = False,
    max_parents: MaxParentsOption = None,
    jobs: JobsOption = None,
    time_limit: TimeLimitOption = None,
    present: PresentOption = None,
    missing: MissingOption = MissingPolicy.ERROR,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    file_format: FormatOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Score every family that could be in a credible network, and write the table.

    The output is a GOBNILP .jkl, a URLearning .pss or noisyor's own .parquet.
    """
    check_suffix(output)
    check_target(output)
    factor = BayesFactor(bayes_factor)
    chosen = relations_named(relations, leak=leak)
    dataset = read_table(data, present, missing, delimiter, header, file_format)
    constraints = Knowledge(max_parents=max_parents).constraints(dataset.names)
    partial = output.with_name(output.name + PARTIAL_SUFFIX)
    finished = _finished_before(partial, dataset, factor, chosen, max_parents)
    try:
        with _progress_bar(quiet=quiet) as report:
            scored = score(
                dataset,
                factor,
                relations=chosen,
                constraints=constraints,
                jobs=jobs,
                time_limit=time_limit,
                finished=finished,
                progress=report,
            )
    except ScoringInterrupted as interruption:
        _keep_partial(interruption.scored.table, partial)
        raise
    unfinished = len(scored.children) < dataset.variable_count
    if unfinished:
        _keep_partial(scored.table, partial)
    else:
        write_scores(scored.table, output)
        partial.unlink(missing_ok=True)
        _say_shortfalls(scored.table)
        note(f"wrote {output}")
    if as_json:
        summary = _summary(dataset, scored, factor, len(finished))
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        _print_summary(dataset, scored, len(finished))
    if unfinished:
        raise typer.Exit(EXIT_INTERRUPTED)


def _finished_before(
    partial: Path,
    data: BinaryDataset,
    factor: BayesFactor,
    relations: tuple[Relation, ...],
    max_parents: int | None,
) -> dict[int, ChildScores]:
    """Return what an interrupted run with the same data and settings has left."""
    if not partial.exists():
        return {}
    table = read_scores(partial)
    scope = table.scope
    if (
        scope.provenance.data != data.fingerprint()
        or scope.provenance.version != VERSION
        or scope.bayes_factor != factor
        or scope.relations != relations
        or scope.constraints != Knowledge(max_parents=max_parents).constraints(data.names)
    ):
        raise MismatchError(
            f"{partial} is what an interrupted run left, but of other data, settings or version; "
            "remove it, or choose another output"
        )
    finished = scores_in(table)
    note(f"going on from {partial}: {len(finished)} of {data.variable_count} children are done")
    return finished


def _keep_partial(table: ScoreTable, partial: Path) -> None:
    write_scores(table, partial)
    _say_shortfalls(table)
    note(f"what is finished is in {partial}; the same command goes on from there")


def _say_shortfalls(table: ScoreTable) -> None:
    for shortfall in table.scope.shortfalls:
        note(f"incomplete: {shortfall}")


@contextmanager
def _progress_bar(*, quiet: bool) -> Iterator["ProgressReport | None"]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(
        TextColumn("scoring"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[done]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    ) as bar:
        yield ProgressReport(bar)


class ProgressReport:
    """Shows how far the scoring is."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=1.0, done="")

    def __call__(self, now: ScoringProgress) -> None:
        """Take the latest figures."""
        rate = now.decided / now.seconds if now.seconds else 0
        self._bar.update(
            self._task,
            completed=now.share_done,
            done=f"{now.children_done}/{now.children} children, {rate:,.0f} families/s",
        )


def _summary(
    data: BinaryDataset, scored: Scored, factor: BayesFactor, finished: int
) -> dict[str, object]:
    statistics = scored.statistics
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "bayes_factor": factor.value,
        "slack": factor.slack,
        "complete": scored.table.scope.complete,
        "shortfalls": list(scored.table.scope.shortfalls),
        "families": scored_families(statistics)["by_relation"],
        "kept": len(scored.table),
        "pruned_percent": statistics.pruned_percent,
        "children_from_earlier_run": finished,
        "newton_steps": statistics.fits.newton_steps,
        "unconverged_fits": statistics.fits.unconverged,
        "largest_gap": float(scored.table.gaps.max(initial=0.0)),
        "seconds": {"score": scored.seconds},
    }


def _print_summary(data: BinaryDataset, scored: Scored, finished: int) -> None:
    console = results()
    console.print(
        f"{data.variable_count} variables, {data.record_count} records: "
        f"{len(scored.table):,} families kept in {scored.seconds:.2f} s"
    )
    if finished:
        console.print(f"{finished} children are from an earlier run; the table below is the rest")
    statistics = scored.statistics.relations
    table = Table("families", *(relation.name for relation in statistics))
    for column in table.columns[1:]:
        column.justify = "right"
    columns = list(statistics.values())
    table.add_row("considered", *(f"{one.considered:,}" for one in columns))
    for rule in columns[0].cut if columns else ():
        cut = (f"{one.cut[rule]:,}" for one in columns)
        table.add_row(f"never looked at: {rule_name(rule)}", *cut)
    table.add_row("looked at", *(f"{one.evaluated:,}" for one in columns))
    table.add_row("kept", *(f"{one.kept:,}" for one in columns))
    table.add_row("pruned", *(f"{one.pruned_percent:.4f} %" for one in columns))
    console.print(table)
