"""The figures that only docs/results.md has: one panel each, for readers who are new to it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.heldout.figures import draw_gains
from benchmarks.heldout.plan import ALL, LEAKY, PAPER, SAMPLED
from benchmarks.heldout.statistics import over_tables, record_count, stored_datasets
from benchmarks.paper.table1.stored import MANY_TESTS, RELATIVE, cells_of
from benchmarks.race import figures as race_figures
from benchmarks.race.figures import STYLE, line, mark_limits
from benchmarks.race.jobs import EXACT, GREEDY, LEARN
from benchmarks.race.large import figures as large_figures
from benchmarks.race.large.cells import RECORDS
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.running import CAUSES
from benchmarks.race.large.statistics import contests
from benchmarks.race.statistics import best_seconds, jobs_of, programs_of

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#666666"  # apart for every kind of colour blindness
WIDTH, HEIGHT = 6.4, 2.9  # inches
PROMISES = dict.fromkeys(GREEDY, "greedy") | {EXACT[1]: "another score"}
"""What programs promise that do not prove the best network by the same score."""

RELATIONS = {
    LEAKY: "noisy-ORs with a leak\n(the default)",
    PAPER: "noisy-ORs without a leak\n(the paper)",
    ALL: "all relations",
}
"""Whose gains a newcomer sees, and what they are called."""


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
    _plain_log(axes, (1.0, 2.0, 5.0))
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
        line(axes, seconds, look, f"{program} ({PROMISES.get(program, 'proven')})")
        limits = {at: one["limit"] for at, one in here.items() if "limit" in one}
        mark_limits(axes, seconds, limits, look[0])
    _plain_log(axes, (1.0,))
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
    axes.set_ylabel(f"cost above the best, %, after {mark:g} s")
    figure.legend(loc="outside right upper")
    return figure


def real_data(results: Mapping[str, Results]) -> Figure | None:
    """Draw the gains of three sets of relations on the real data sets, largest first."""
    names = [name for name in stored_datasets(results)[::-1] if name != SAMPLED]
    if not names:
        return None
    figure = Figure(figsize=(WIDTH, 1.0 + 0.17 * len(names)), layout="constrained")
    panels = figure.subplots(1, len(RELATIONS), sharex=True, sharey=True, squeeze=False)[0]
    for panel, (way, title) in zip(panels, RELATIONS.items(), strict=True):
        draw_gains(panel, over_tables(results, way), names)
        panel.set_title(title)
    labels = [f"{name} ({record_count(results, name):,} records)" for name in names]
    panels[0].set_yticks(range(len(names)), labels)
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel("gain, nats per new record: right of 0 is better", fontsize=8)
    return figure


def _plain_log(axes: Axes, steps: Sequence[float]) -> None:
    """Give an axis a scale of ratios with plain numbers, not powers of ten."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=steps))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _panel() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    axes = figure.subplots()
    axes.grid(visible=True, which="major", linewidth=0.3)
    return figure, axes


FIGURES: Mapping[str, tuple[str, Callable[[Results], Figure | None]]] = {
    "summary-strengths.svg": ("table1", strengths),
    "summary-heldout.svg": ("heldout", real_data),
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
