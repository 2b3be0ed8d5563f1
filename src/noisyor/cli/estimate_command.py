"""The command that estimates the memory and time of learning."""

import math
from collections.abc import Mapping, Sequence

import typer
from rich.table import Table

from noisyor.cli.learning_options import (
    BoundsOption,
    ComparisonOptions,
    KnowledgeOptions,
    MethodOption,
)
from noisyor.cli.option_groups import grouped
from noisyor.cli.options import JobsOption, JsonOption, MemoryLimitOption, memory_bytes
from noisyor.cli.prior_options import PriorOptions
from noisyor.cli.requests import request_for
from noisyor.cli.table_options import DataArgument, LearningTableOptions
from noisyor.cli.terminal import note, print_json, results
from noisyor.core import Relation, SettingsError, Variable
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


@grouped
def estimate_command(
    data: DataArgument,
    *,
    compared: ComparisonOptions,
    background: KnowledgeOptions,
    beliefs: PriorOptions,
    method: MethodOption = Method.AUTO,
    bounds: BoundsOption = BoundKind.AUTO,
    memory_limit: MemoryLimitOption = None,
    jobs: JobsOption = None,
    table: LearningTableOptions,
    as_json: JsonOption = False,
) -> None:
    """Estimate the number of families, and the memory and time that learning will take.

    This takes a few seconds, for a short trial. The number of families is exact. The time is a
    range. The memory is about the peak of the process, including a report in a folder.
    """
    request, _ = request_for(
        data,
        table,
        compared,
        background,
        beliefs,
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
        _print(expected, request.data.variables)
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


def _print(expected: Estimate, variables: Sequence[Variable]) -> None:
    """Print an estimate for people."""
    console = results()
    console.print(
        f"{expected.variables} variables, {expected.records:,} records "
        f"({expected.distinct_records:,} distinct), Bayes factor {expected.bayes_factor:g}; "
        f"learning is by {expected.method}"
    )
    console.print(_families(expected, variables))
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


def _families(expected: Estimate, variables: Sequence[Variable]) -> Table:
    """Return the numbers of families; a relation has the names that it has in a learned network."""
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
            ", ".join(_names_of(relation, variables)),
            _whole(count),
            _whole(expected.affordable[relation]),
            _whole(round(expected.kept[relation])),
        )
    for column in table.columns[1:]:
        column.justify = "right"
    return table


def _names_of(relation: Relation, variables: Sequence[Variable]) -> list[str]:
    """Return what a relation is called for the variables that it can have as children."""
    names = [
        relation.name_for(child.state_count)
        for child in variables
        if relation.supports(child, [one for one in variables if one is not child])
    ]
    return list(dict.fromkeys(names)) or [relation.name]


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
