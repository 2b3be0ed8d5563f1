"""The figures that only docs/results.md has: one panel each, for readers who are new to it."""

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.paper.table1.stored import MANY_TESTS, RELATIVE, cells_of
from benchmarks.race import figures as race_figures
from benchmarks.race.figures import STYLE, line, mark_limits
from benchmarks.race.jobs import LEARN
from benchmarks.race.large import figures as large_figures
from benchmarks.race.large.cells import RECORDS
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.running import CAUSES
from benchmarks.race.large.statistics import contests
from benchmarks.race.statistics import best_seconds, jobs_of, programs_of

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#666666"  # apart for every kind of colour blindness
WIDTH, HEIGHT = 6.4, 2.9  # inches


def strengths(results: Results) -> Figure | None:
    """Draw the error of q by the number of causes, with the most records."""
    cells = cells_of(results, MANY_TESTS)
    if not cells.stored:
        return None
    most = max(records for records, _ in cells.stored)
    places = [place for place, (records, _) in enumerate(cells.stored) if records == most]
    causes = [float(list(cells.stored)[place][1]) for place in places]
    ours = [cells.measure("relative/newton")[place] for place in places]
    figure, axes = _panel()
    low, middle, high = ([one[part] for one in ours] for part in ("low", "median", "high"))
    axes.fill_between(causes, low, high, color=BLUE, alpha=0.2, linewidth=0)
    axes.plot(causes, middle, "-o", color=BLUE, label="noisyor")
    for column, title, marker in (("kl", "the paper's fit", "s"), ("em", "the paper's EM", "^")):
        printed = [cells.printed(RELATIVE, column)[place] for place in places]
        axes.plot(causes, printed, f"--{marker}", color=ORANGE, fillstyle="none", label=title)
    axes.set_yscale("log")
    axes.set_xticks(causes, [f"{one:g}" for one in causes])
    axes.set_xlabel(f"causes of the noisy-OR ({most:,} records)")
    axes.set_ylabel("median relative error of q")
    figure.legend(loc="outside right upper")
    return figure


def speed(results: Results) -> Figure | None:
    """Draw the time to the best network by the number of columns, for each program."""
    jobs = {float(key): job for key, job in jobs_of(results, "variables").items()}
    if not jobs:
        return None
    jobs = dict(sorted(jobs.items()))
    figure, axes = _panel()
    for program in programs_of(jobs.values()):
        if program == LEARN:  # another job: all credible networks, of both relations
            continue
        here = {at: job["programs"][program] for at, job in jobs.items()}
        look = race_figures.LOOKS[program]
        seconds = {at: found for at, one in here.items() if (found := best_seconds(one))}
        line(axes, seconds, look, program)
        limits = {at: one["limit"] for at, one in here.items() if "limit" in one}
        mark_limits(axes, seconds, limits, look[0])
    axes.set_yscale("log")
    axes.set_xticks(list(jobs))
    axes.set_xlabel("columns (a cross: stopped at the limit)")
    axes.set_ylabel("seconds")
    figure.legend(loc="outside right upper")
    return figure


def many_variables(results: Mapping[str, Results]) -> Figure | None:
    """Draw how far each program is from the best network found, by the number of columns."""
    mark = MARKS[1]
    some = {
        one.cell.variables: one
        for one in contests(results)
        if one.cell.kind is Kind.TABLES and one.cell.records == RECORDS[-1]
    }
    if not some:
        return None
    figure, axes = _panel()
    for program, look in large_figures.LOOKS.items():
        if program == CAUSES:  # its networks are not of full tables alone
            continue
        points = {
            float(at): 100 * (cost / one.best_cost - 1)
            for at, one in sorted(some.items())
            if (cost := one.cost_at(program, mark)) is not None
        }
        line(axes, points, look, program)
    axes.set_xscale("log")
    axes.set_xticks([float(at) for at in some], [f"{at:,}" for at in some])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"columns ({RECORDS[-1]:,} records)")
    axes.set_ylabel(f"% above the best, after {mark:g} s")
    figure.legend(loc="outside right upper")
    return figure


def _panel() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axes = figure.subplots()
    axes.grid(visible=True, which="major", linewidth=0.3)
    return figure, axes


FIGURES: Mapping[str, tuple[str, Callable[[Results], Figure | None]]] = {
    "summary-strengths.svg": ("table1", strengths),
    "summary-speed.svg": ("race", speed),
    "summary-many-variables.svg": ("large", many_variables),
}
"""The files, the script whose results each figure is from, and what draws it."""


def summary_figures(stored: Mapping[str, Results], folder: Path) -> list[Path]:
    """Write the figures of the scripts that have results, and return their paths."""
    written = []
    with mpl.rc_context(STYLE):
        for name, (script, draw) in FIGURES.items():
            figure = draw(stored[script]) if script in stored else None
            if figure is not None:
                figure.savefig(folder / name, metadata={"Date": None})
                written.append(folder / name)
    return written
