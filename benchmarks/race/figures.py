"""The race's figures: how time, memory and work grow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.harness.measuring import Results
from benchmarks.race.jobs import LEARN
from benchmarks.race.statistics import (
    BASE,
    BUSY_KIND,
    best_seconds,
    busy_seconds,
    counts,
    jobs_of,
    programs_of,
)

# Colours that stay apart for every kind of colour blindness (Okabe and Ito).
LOOKS: Mapping[str, tuple[str, str]] = {
    BASE: ("#0072b2", "o"),
    LEARN: ("#000000", "s"),
    "pgmpy hill climbing": ("#e69f00", "^"),
    "pyAgrum tabu": ("#009e73", "v"),
    "pomegranate exact": ("#cc79a7", "D"),
    "causal-learn exact": ("#d55e00", "P"),
}
LABELS = {
    BASE: "noisyor, optimum, full tables, 1 thread",
    LEARN: "noisyor learn, both relations, Bayes factor 20",
}
WORK = {
    "fits": ("#e69f00", "^"),
    "families": ("#0072b2", "o"),
    "nodes": ("#009e73", "v"),
    "networks": ("#000000", "s"),
}
LEAST_MIB = 50.0  # no program takes less: Python and numpy alone take this much
DATA_LOOKS = (("#0072b2", "o"), ("#d55e00", "s"), ("#009e73", "^"))
STYLE: Any = {
    "svg.hashsalt": "noisyor",
    "svg.fonttype": "none",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.handlelength": 3,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
}


def figures(results: Results, folder: Path) -> list[Path]:
    """Write the figures of the stored results, and return their files."""
    written = []
    with mpl.rc_context(STYLE):
        for name, figure in drawn(results).items():
            path = folder / f"race-{name}.svg"
            figure.savefig(path, metadata={"Date": None})
            written.append(path)
    return written


def drawn(results: Results) -> dict[str, Figure]:
    """Return the figures by name."""
    found = {}
    for kind, label in (
        ("variables", "variables, n"),
        ("records", "records, N"),
        ("bins", "states of each variable"),
    ):
        jobs = {float(key): job for key, job in jobs_of(results, kind).items()}
        if jobs:
            found[kind] = growth(
                dict(sorted(jobs.items())),
                label,
                is_log=kind == "records",
                is_busy=kind == BUSY_KIND,
            )
    factors = by_factor(results)
    if factors:
        found["factor"] = factor_growth(factors)
    return found


def by_factor(results: Results) -> dict[str, dict[float, Results]]:
    """Return the jobs with different Bayes factors, by data set and factor."""
    found: dict[str, dict[float, Results]] = {}
    for key, job in jobs_of(results, "factor").items():
        name, factor = key.split("/")
        found.setdefault(name, {})[float(factor)] = job
    return {name: dict(sorted(jobs.items())) for name, jobs in found.items()}


def growth(
    jobs: Mapping[float, Results], label: str, *, is_log: bool, is_busy: bool = False
) -> Figure:
    """Draw time of all programs, memory of all, and the work of learning."""
    seconds_of = busy_seconds if is_busy else best_seconds
    figure = Figure(figsize=(7.5, 3.4), layout="constrained")
    time, memory, work = figure.subplots(1, 3)
    for program in programs_of(jobs.values()):
        here = {at: job["programs"][program] for at, job in jobs.items()}
        look = LOOKS[program]
        seconds = {at: found for at, one in here.items() if (found := seconds_of(one))}
        line(time, seconds, look, LABELS.get(program, program))
        limits = {at: one["limit"] for at, one in here.items() if "limit" in one}
        mark_limits(time, seconds, limits, look[0])
        peaks = {at: one["peak_mib"] for at, one in here.items() if "peak_mib" in one}
        line(memory, peaks, look, None)
    draw_work(work, jobs)
    finish((time, memory, work), label, is_log=is_log)
    if is_busy:
        time.set_title("processor time, s")
    handles, labels = time.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    return figure


def factor_growth(data: Mapping[str, Mapping[float, Results]]) -> Figure:
    """Draw time, memory, and the number of networks for different Bayes factors."""
    figure = Figure(figsize=(7.5, 2.7), layout="constrained")
    time, memory, work = figure.subplots(1, 3)
    for look, (name, jobs) in zip(DATA_LOOKS, data.items(), strict=False):
        here = {at: job["programs"][LEARN] for at, job in jobs.items()}
        seconds = {at: found for at, one in here.items() if (found := best_seconds(one))}
        line(time, seconds, look, name)
        limits = {at: one["limit"] for at, one in here.items() if "limit" in one}
        mark_limits(time, seconds, limits, look[0])
        line(memory, {at: one["peak_mib"] for at, one in here.items() if "peak_mib" in one}, look)
        for what, style in (("networks", "-"), ("fits", "--"), ("nodes", ":")):
            label = what if look == DATA_LOOKS[0] else None  # the other legend has the colours
            line(work, work_counts(jobs, what), look, label, style)
    work.set_title("work, networks")
    work.legend(fontsize=6, loc="upper left")
    time.legend(loc="upper left")
    finish((time, memory, work), "Bayes factor", is_log=True)
    return figure


def draw_work(axes: Axes, jobs: Mapping[float, Results]) -> None:
    """Draw how much work learning was, and how many networks it found."""
    for name, look in WORK.items():
        line(axes, work_counts(jobs, name), look, name)
    axes.set_title("noisyor learn: work, networks")
    axes.legend(fontsize=6, loc="best")


def work_counts(jobs: Mapping[float, Results], what: str) -> dict[float, float]:
    """Return one count of the work of learning for each job that ended; none is drawn as 1."""
    return {
        at: max(float(one[what]), 1.0)
        for at, job in jobs.items()
        if (one := counts(job, LEARN)) is not None
    }


def line(
    axes: Axes,
    points: Mapping[float, float],
    look: tuple[str, str],
    label: str | None = None,
    style: str = "-",
) -> None:
    """Draw a line through some points, if there are any."""
    colour, marker = look
    if points:
        axes.plot(*_apart(points), style, color=colour, marker=marker, label=label)


def mark_limits(
    axes: Axes, reached: Mapping[float, float], limits: Mapping[float, float], colour: str
) -> None:
    """Mark where a program was stopped at its limit, joined to its last result."""
    if not limits:
        return
    axes.plot(*_apart(limits), "x", color=colour, markersize=7, markeredgewidth=1.6)
    if reached:
        last, first = max(reached), min(limits)
        axes.plot([last, first], [reached[last], limits[first]], ":", color=colour)


def finish(panels: Sequence[Axes], label: str, *, is_log: bool) -> None:
    """Give the panels their axes."""
    time, memory, _ = panels
    time.set_title("time, s")
    memory.set_title("peak memory, MiB")
    for axes in panels:
        axes.set_xlabel(label)
        axes.set_yscale("log")
        if is_log:
            axes.set_xscale("log")
        axes.grid(visible=True, which="major", linewidth=0.3)
    memory.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    memory.yaxis.set_major_formatter(FuncFormatter(lambda mib, _: f"{mib:,.0f}"))
    memory.yaxis.set_minor_formatter(NullFormatter())
    memory.set_ylim(bottom=LEAST_MIB)


def _apart(points: Mapping[float, float]) -> tuple[list[float], list[float]]:
    return list(points), list(points.values())
