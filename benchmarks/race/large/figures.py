"""Figures of the race of many variables: time, cost and memory by variables and records."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.race.figures import STYLE, line
from benchmarks.race.large.cells import GROWTH_SIZE, RECORDS
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.running import CAUSES, OWN, PGMPY
from benchmarks.race.large.statistics import Contest, contests, first_seconds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VARIABLES, BY_RECORDS = "large-variables.svg", "large-records.svg"
# Colours that stay apart for every kind of colour blindness (Okabe and Ito).
LOOKS: Mapping[str, tuple[str, str]] = {
    OWN: ("#0072b2", "o"),
    CAUSES: ("#000000", "s"),
    "pyAgrum hill climbing": ("#56b4e9", "<"),
    "pyAgrum tabu": ("#009e73", "v"),
    "PyBNesian hill climbing": ("#d55e00", "D"),
    PGMPY: ("#e69f00", "^"),
}
LEAST_SECONDS = 0.01

Measure = Callable[[Contest, str], float | None]


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Write the figures of the stored results, and return their files."""
    tables = [one for one in contests(results) if one.cell.kind is Kind.TABLES]
    by_variables = {one.cell.variables: one for one in tables if one.cell.records == RECORDS[-1]}
    by_records = {one.cell.records: one for one in tables if one.cell.variables == GROWTH_SIZE}
    written = []
    with mpl.rc_context(STYLE):
        for name, label, some in (
            (VARIABLES, f"variables ({RECORDS[-1]:,} records)", by_variables),
            (BY_RECORDS, f"records ({GROWTH_SIZE} variables)", by_records),
        ):
            path = folder / name
            drawn(some, label).savefig(path, metadata={"Date": None})
            written.append(path)
    return written


def drawn(some: Mapping[int, Contest], label: str) -> Figure:
    """Draw the time to a network, its excess at each mark, and memory."""
    figure = Figure(figsize=(9.0, 5.4), layout="constrained")
    panels: Sequence[Axes] = list(figure.subplots(2, 3).flat)
    measures: list[tuple[str, Measure]] = [
        ("first network, processor s", _first),
        *((f"% above the best, after {mark:g} s", _excess_at(mark)) for mark in MARKS),
        ("peak memory, MiB", _memory),
        ("CPDAG distance per variable", _distance),
    ]
    for axes, (title, measure) in zip(panels, measures, strict=True):
        for program, look in LOOKS.items():
            points = {
                float(at): found
                for at, one in sorted(some.items())
                if (found := measure(one, program)) is not None
            }
            line(axes, points, look, program)
        axes.set_title(title)
        axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.set_xticks([float(at) for at in some], [f"{at:,}" for at in some])
        axes.minorticks_off()
        axes.grid(visible=True, which="major", linewidth=0.3)
    panels[0].set_yscale("log")
    panels[4].set_yscale("log")
    for axes in panels[1:4]:
        axes.set_ylim(bottom=0)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    return figure


def _first(one: Contest, program: str) -> float | None:
    seconds = first_seconds(one.programs.get(program, {}))
    return None if seconds is None else max(seconds, LEAST_SECONDS)


def _excess_at(mark: float) -> Measure:
    def excess(one: Contest, program: str) -> float | None:
        cost = one.cost_at(program, mark)
        if cost is None or program == CAUSES:
            return None
        return 100 * (cost / one.best_cost - 1)

    return excess


def _memory(one: Contest, program: str) -> float | None:
    found: float | None = one.programs.get(program, {}).get("peak_mib")
    return found


def _distance(one: Contest, program: str) -> float | None:
    networks = one.programs.get(program, {}).get("networks")
    return float(networks[-1]["cpdag_shd"]) / one.cell.variables if networks else None
