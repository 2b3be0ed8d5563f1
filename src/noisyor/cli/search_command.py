"""The command that searches for networks."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from noisyor.cli.options import JobsOption, JsonOption, MaxParentsOption, QuietOption
from noisyor.cli.search_summary import print_summary, summary
from noisyor.cli.terminal import note
from noisyor.core import Constraints, CredibleSet, Knowledge, SettingsError
from noisyor.core.credible_set import Labels
from noisyor.formats import check_member_suffix, read_scores, write_members
from noisyor.search import BoundKind, SearchProgress, search
from noisyor.whole_files import check_target

_ARROW = "->"
_GIBIBYTE = 2**30


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
        help="A table of scores: noisyor's .parquet, a GOBNILP .jkl or a URLearning .pss.",
    ),
]
BayesFactorOption = Annotated[
    float | None,
    typer.Option(
        "--bayes-factor",
        metavar="FACTOR",
        help="How much less likely than the best network a credible one may be; by default what "
        "the table was scored for, or 20.",
    ),
]
BoundsOption = Annotated[
    BoundKind,
    typer.Option(
        "--bounds", help="Whether a linear program guides the search; the result is the same."
    ),
]
LabelsOption = Annotated[
    Labels,
    typer.Option(
        "--labels",
        help="Networks are graphs, each node with the better relation of its parents, or graphs "
        "with all choices of relations.",
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this long; the result says what it leaves open.",
    ),
]
MemoryLimitOption = Annotated[
    float | None,
    typer.Option(
        "--memory-limit",
        metavar="GIB",
        help="Memory that the search may use; the result says what it leaves open.",
    ),
]
MembersOption = Annotated[
    Path | None,
    typer.Option("--members", metavar="FILE", help="Write the networks to a .parquet file."),
]
MaxNetworksOption = Annotated[
    int,
    typer.Option("--max-networks", metavar="K", help="Networks to write to the file at most."),
]
ForbidOption = Annotated[
    list[str] | None,
    typer.Option("--forbid", metavar="A->B", help="An edge to leave out; may be repeated."),
]


def search_command(
    scores: ScoresArgument,
    *,
    bayes_factor: BayesFactorOption = None,
    bounds: BoundsOption = BoundKind.AUTO,
    labels: LabelsOption = Labels.BEST,
    max_parents: MaxParentsOption = None,
    forbid: ForbidOption = None,
    time_limit: TimeLimitOption = None,
    memory_limit: MemoryLimitOption = None,
    members: MembersOption = None,
    max_networks: MaxNetworksOption = 1_000_000,
    jobs: JobsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find the best network, with a proof, and every credible one.

    A limit that is hit makes the result say so; it is no error.
    """
    _check_members_file(members, max_networks)
    table = read_scores(scores)
    with _progress_line(quiet=quiet) as report:
        searched = search(
            table,
            bayes_factor,
            constraints=_constraints(table.names, max_parents, forbid),
            labels=labels,
            bounds=bounds,
            jobs=jobs,
            time_limit=time_limit,
            memory_limit=_bytes(memory_limit),
            progress=report,
        )
    _say_limits(searched.credible)
    written = _write_members(searched.credible, members, max_networks)
    if as_json:
        said = summary(searched) | {"members_written": written}
        typer.echo(json.dumps(said, indent=2, ensure_ascii=False))
    else:
        print_summary(searched)


def _check_members_file(path: Path | None, most: int) -> None:
    """Refuse what could not be written, before the search that is to end in it."""
    if most < 1:
        raise SettingsError(f"--max-networks is {most}; it must be at least 1")
    if path is not None:
        check_member_suffix(path)
        check_target(path)


def _constraints(
    names: tuple[str, ...], max_parents: int | None, forbid: Iterable[str] | None
) -> Constraints | None:
    if max_parents is None and not forbid:
        return None
    forbidden = [_edge(text, names) for text in forbid or ()]
    return Knowledge(forbidden=forbidden, max_parents=max_parents).constraints(names)


def _edge(text: str, names: Sequence[str]) -> tuple[str, str]:
    """Return the edge that a text like A->B names; a name may have an arrow in it."""
    parts = text.split(_ARROW)
    splits = [
        (_ARROW.join(parts[:place]).strip(), _ARROW.join(parts[place:]).strip())
        for place in range(1, len(parts))
    ]
    found = [(parent, child) for parent, child in splits if parent in names and child in names]
    if len(found) != 1:
        raise SettingsError(
            f"--forbid is {text!r}; it must look like A->B, with variables of the table: "
            f"{', '.join(names)}"
        )
    return found[0]


def _bytes(gibibytes: float | None) -> int | None:
    if gibibytes is None:
        return None
    if not 0 < gibibytes < 2**20:
        raise SettingsError(f"--memory-limit is {gibibytes:g} GiB; it must be above 0")
    return int(gibibytes * _GIBIBYTE)


def _say_limits(credible: CredibleSet) -> None:
    for shortfall in credible.shortfalls:
        note(f"incomplete: {shortfall}")
    for line in credible.notes:
        note(f"note: {line}")


def _write_members(credible: CredibleSet, path: Path | None, most: int) -> int | None:
    if path is None:
        return None
    written = write_members(credible, path, most)
    rest = "all" if written == credible.count and credible.complete else "not all"
    note(f"wrote {written:,} networks, {rest} credible ones, to {path}")
    return written


@contextmanager
def _progress_line(*, quiet: bool) -> Iterator["ProgressLine | None"]:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as line:
        yield ProgressLine(line)


class ProgressLine:
    """Shows what the search is doing."""

    def __init__(self, line: Progress) -> None:
        self._line = line
        self._task = line.add_task("searching", total=None)

    def __call__(self, now: SearchProgress) -> None:
        """Take the latest figures."""
        bounds = f"the optimum lies in [{now.lower_bound:.3f}, {now.upper_bound:.3f}]"
        self._line.update(self._task, description=f"{now.step}: {bounds} {now.detail}")
