"""The figures of the grid: changes against full tables in every cell, on one scale."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.grid.plan import CELLS, CHOICES, COMPARED, SIZES
from benchmarks.grid.statistics import changes
from benchmarks.harness.measuring import Results
from benchmarks.race.figures import STYLE
from benchmarks.relations.statistics import Measure, prediction, structure

STRUCTURE, PREDICTION = "grid-structure.svg", "grid-prediction.svg"

COLOURS = dict(zip(SIZES, ("#d55e00", "#0072b2", "#009e73"), strict=True))

DRAWINGS: dict[str, tuple[Measure, str, float]] = {
    STRUCTURE: (structure, "change of wrong edges per true edge: left of 0 is better", 0.6),
    PREDICTION: (prediction, "change of nats per held-out record: left of 0 is better", 0.3),
}
"""By file: what is drawn, the label of the axis, and where the axis ends."""

_WIDTH = 10.0  # inches


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the figures into the folder."""
    paths = []
    with mpl.rc_context(STYLE):
        for name, (measure, label, edge) in DRAWINGS.items():
            drawn(results, measure, label, edge).savefig(folder / name, metadata={"Date": None})
            paths.append(folder / name)
    return paths


def drawn(results: Mapping[str, Results], measure: Measure, label: str, edge: float) -> Figure:
    """Return a figure: a row for each cell, a panel for each choice, a colour for each N."""
    figure = Figure(figsize=(_WIDTH, 1.2 + 0.26 * len(CELLS)), layout="constrained")
    panels = figure.subplots(1, len(COMPARED), sharex=True, sharey=True)
    rows = {cell: row for row, cell in enumerate(CELLS)}
    for panel, choice in zip(panels, COMPARED, strict=True):
        panel.axvline(0, color="black", linewidth=0.8)
        for place, size in enumerate(SIZES):
            for cell, band in changes(results, size, measure, choice).items():
                at = rows[cell] + 0.22 * (place - 1)
                ends = [max(band.low, -edge), min(band.high, edge)]
                panel.plot(ends, [at, at], color=COLOURS[size], linewidth=1.1)
                middle = min(max(band.middle, -edge), edge)
                marker = "o" if middle == band.middle else ">" if middle > 0 else "<"
                panel.plot(middle, at, marker, color=COLOURS[size], markersize=3)
        panel.set_title(CHOICES[choice].title.replace(" (", "\n("), fontsize=7)
        panel.grid(visible=True, color="#e6e6e6", linewidth=0.6)
        panel.set_xlim(-1.05 * edge, 1.05 * edge)
    for size in SIZES:
        panels[0].plot([], [], "o-", color=COLOURS[size], markersize=3, label=f"N = {size:,}")
    panels[0].set_yticks(range(len(CELLS)), [cell.title for cell in CELLS])
    panels[0].set_ylim(len(CELLS) - 0.4, -0.6)
    figure.legend(loc="outside upper center", ncols=len(SIZES))
    figure.supxlabel(label, fontsize=8)
    return figure
