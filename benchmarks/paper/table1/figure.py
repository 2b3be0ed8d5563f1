"""The figure of Table 1: the paper's two columns and similar results, by number of parents."""

from math import nan
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.measuring import Results
from benchmarks.paper.table1.measures import number
from benchmarks.paper.table1.stored import (
    EMULATED,
    MANY_TESTS,
    OUR_NAMES,
    RELATIVE,
    Cells,
    cells_of,
)
from noisyor.reporting.plot_style import load_matplotlib, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "table1-recovery.svg"
BLUE, ORANGE = "#3f6fa3", "#d27a16"  # apart for every kind of colour blindness
TITLES = {RELATIVE: "relative error of q", "conditional_kl": "KL from the truth, nats"}


def figures(results: Results, folder: Path) -> list[Path]:
    """Write the figure into a folder, if its results are stored, and return its path."""
    cells = cells_of(results, MANY_TESTS)
    if not cells.stored:
        return []
    load_matplotlib()
    import matplotlib as mpl  # noqa: PLC0415

    sizes = sorted({records for records, _ in cells.stored})
    figure = new_figure(7.2, 4.6)
    grid = figure.subplots(len(OUR_NAMES), len(sizes), sharex=True, sharey="row", squeeze=False)
    for row, measure in zip(grid, OUR_NAMES, strict=True):
        for axes, records in zip(row, sizes, strict=True):
            _draw(axes, cells, measure, records)
            axes.set_yscale("log")
            axes.tick_params(labelsize=7)
        row[0].set_ylabel(TITLES[measure], fontsize=8)
        row[0].legend(fontsize=6, frameon=False, loc="upper left")
        low, high = row[0].get_ylim()
        row[0].set_ylim(low, high * (high / low) ** 0.6)  # room for the legend
    for axes, records in zip(grid[0], sizes, strict=True):
        axes.set_title(f"N = {records:,}", fontsize=8)
    for axes in grid[-1]:
        axes.set_xlabel("parents", fontsize=8)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FIGURE
    with mpl.rc_context({"svg.hashsalt": "noisyor", "svg.fonttype": "none"}):
        figure.savefig(path, metadata={"Date": None})
    return [path]


def _draw(axes: "Axes", cells: Cells, measure: str, records: int) -> None:
    """Draw the medians of one measure and number of records, with where medians of 30 lie."""
    places = [place for place, (one, _) in enumerate(cells.stored) if one == records]
    parents = [parents for one, parents in cells.stored if one == records]
    for column, name, colour, marker, words in (
        ("kl", "newton", BLUE, "o", "certified fit"),
        ("em", EMULATED[measure, "em"], ORANGE, "s", "emulation of the EM column"),
    ):
        summaries = [cells.measure(f"{OUR_NAMES[measure]}/{name}")[place] for place in places]
        medians, low, high = (
            [number(one[part]) for one in summaries] for part in ("median", "low", "high")
        )
        axes.plot(parents, medians, color=colour, linewidth=1.2, label=words)
        axes.fill_between(parents, low, high, color=colour, alpha=0.2, linewidth=0)
        printed = [cells.printed(measure, column)[place] for place in places]
        title = "paper, Algorithm 1" if column == "kl" else "paper, EM"
        shown = [figure if figure > 0 else nan for figure in printed]
        axes.plot(parents, shown, marker, color=colour, markersize=4, fillstyle="none", label=title)
