"""The command that estimates the memory and time of learning."""

import math
from collections.abc import Mapping

import typer
from rich.table import Table

from noisyor.cli.learning_options import (
    BayesFactorOption,
    BoundsOption,
    ForbidOption,
    KnowledgeOption,
    MaxParentsOption,
    MethodOption,
    PaperOption,
    RelationsOption,
    RequireOption,
    ScoreOption,
    knowledge_of,
    relations_named,
)
from noisyor.cli.options import JobsOption, JsonOption, MemoryLimitOption, memory_bytes
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
from noisyor.core import BIC, BayesFactor, SettingsError
from noisyor.core.request import Request
from noisyor.core.score import score_named
from noisyor.data.constants import without_constants
from noisyor.data.missing import MissingPolicy
from noisyor.runs.learned import Method
from noisyor.runs.plan import Plan, method_for
from noisyor.runs.preflight import (
    LARGEST_FACTOR,
    MOST_VARIABLES,
    Estimate,
    estimate,
    refuse_if_too_large,
)
from noisyor.scoring.memory import Amount, total_of
from noisyor.search import BoundKind

_Units = tuple[tuple[str, float], ...]
"""Units, each with the number of them that make one of the next."""

_SECONDS: _Units = (("s", 60.0), ("min", 60.0), ("h", 24.0), ("days", 365.0), ("years", math.inf))
_BYTES: _Units = (
    ("B", 1024.0),
    ("KiB", 1024.0),
    ("MiB", 1024.0),
    ("GiB", 1024.0),
    ("TiB", math.inf),
)
_MOST_DIGITS = 15  # of a number that is written out
_FEW = 10  # below this, a figure has a decimal
_WORTH_SAYING = 2**20  # bytes, of a part of the memory


def add_to(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(
        "estimate",
        epilog="Examples:\n\nnoisyor estimate clinic.csv\n\n"
        "noisyor estimate clinic.csv --bayes-factor 100 --method table\n\n"
        "noisyor estimate clinic.csv --max-parents 3 --json",
    )(estimate_command)


def estimate_command(
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
    method: MethodOption = Method.AUTO,
    bounds: BoundsOption = BoundKind.AUTO,
    memory_limit: MemoryLimitOption = None,
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
) -> None:
    """Estimate the number of families, and the memory and time that learning will take.

    This takes a few seconds, for a short trial. The number of families is exact. The time is a
    range. The memory is about the peak of the process, including a report in a folder.
    """
    factor, priced = BayesFactor(bayes_factor), score_named(score)
    chosen = relations_named(relations, paper=paper)
    beliefs = prior_of(prior, arc_probability, relation_weight)
    read, _ = read_table(data, present, order, drop, missing, bins, delimiter, header, file_format)
    known = knowledge_of(knowledge, require, forbid, max_parents, read.names)
    dataset = without_constants(read, known, beliefs, keep_constants=keep_constants)
    request = Request.of(
        dataset,
        factor,
        score=priced,
        relations=chosen,
        constraints=known,
        prior=beliefs,
        jobs=jobs,
        memory_limit=memory_bytes(memory_limit),
    )
    how = method_for(request, Plan(method=method, bounds=bounds))
    expected = estimate(request, method=how, folder=True)
    refusal = _refusal(expected, request.limits.memory)
    if as_json:
        said = estimate_summary(expected) | {"refused": refusal}
        print_json(said)
    else:
        _print(expected)
    if refusal is not None:
        note(f"learning would be refused: {refusal}")


def _refusal(expected: Estimate, limit: int | None) -> str | None:
    """Return why `learn` would refuse the run, if it would."""
    try:
        refuse_if_too_large(expected, limit)
    except SettingsError as error:
        return str(error)
    return None


def estimate_summary(expected: Estimate) -> dict[str, object]:
    """Return an estimate as JSON's own types."""
    return {
        "variables": expected.variables,
        "records": expected.records,
        "distinct_records": expected.distinct_records,
        "bayes_factor": expected.bayes_factor,
        "method": str(expected.method),
        "families": {
            relation.name: {
                "there_are": count,
                "looked_at_most": expected.affordable[relation],
                "kept_about": round(expected.kept[relation]),
            }
            for relation, count in expected.families.items()
        },
        "memory_bytes": {
            name: {"least": one.least, "about": one.about, "most": one.most}
            for name, one in [*expected.memory.items(), ("total", expected.total_memory)]
        },
        "seconds": {
            name: {"least": span.least, "most": span.most}
            for name, span in [*expected.seconds.items(), ("total", expected.total_seconds)]
        },
        "pilot_seconds": expected.pilot_seconds,
    }


def _print(expected: Estimate) -> None:
    """Print an estimate for people."""
    console = results()
    console.print(
        f"{expected.variables} variables, {expected.records:,} records "
        f"({expected.distinct_records:,} distinct), Bayes factor {expected.bayes_factor:g}; "
        f"learning is by {expected.method}"
    )
    console.print(_families(expected))
    console.print(_memory(expected))
    console.print(_time(expected))
    middle = expected.total_seconds.middle
    if middle is None:
        console.print(
            f"Times were measured up to {MOST_VARIABLES} variables and a Bayes factor of "
            f"{LARGEST_FACTOR}, so no upper end is known here; with --time-limit, learning gives "
            "the best network so far and a bound."
        )
    else:
        console.print(f"About {_in_units(middle, _SECONDS)}, if nothing else runs on the machine.")


def _families(expected: Estimate) -> Table:
    table = Table(
        "relation",
        "there are",
        "evaluated, at most",
        "in a whole table, about",
        title="families",
        title_justify="left",
    )
    for relation, count in expected.families.items():
        table.add_row(
            relation.name,
            _whole(count),
            _whole(expected.affordable[relation]),
            _whole(round(expected.kept[relation])),
        )
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _memory(expected: Estimate) -> Table:
    table = Table("for", "at least", "about", "at most", title="memory", title_justify="left")
    for name, one in [*expected.memory.items(), ("total", expected.total_memory)]:
        most = "unknown" if one.most is None else _in_units(one.most, _BYTES)
        table.add_row(name, _in_units(one.least, _BYTES), _in_units(one.about, _BYTES), most)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _time(expected: Estimate) -> Table:
    table = Table("for", "at least", "at most", title="time", title_justify="left")
    for name, span in [*expected.seconds.items(), ("total", expected.total_seconds)]:
        most = "unknown" if span.most is None else _in_units(span.most, _SECONDS)
        table.add_row(name, _in_units(span.least, _SECONDS), most)
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def memory_line(memory: Mapping[str, Amount]) -> str:
    """Return a line about the memory that a run takes, and for what."""
    parts = [
        f"{_in_units(one.about, _BYTES)} {name}"
        for name, one in memory.items()
        if one.about >= _WORTH_SAYING
    ]
    total = _in_units(total_of(memory).about, _BYTES)
    return f"memory: about {total} at the peak ({', '.join(parts)})"


def _whole(count: int) -> str:
    """Return a whole number in full, or its power of ten if it is very long."""
    return f"{count:,}" if count < 10**_MOST_DIGITS else f"about 10^{len(str(count)) - 1}"


def _in_units(figure: float, units: _Units) -> str:
    """Return a figure in the unit that makes it short."""
    unit, size = units[0]
    for larger, next_size in units[1:]:
        if figure < size:
            break
        figure, unit, size = figure / size, larger, next_size
    return f"{figure:.2g} {unit}" if figure < _FEW else f"{figure:,.0f} {unit}"
