"""The figure of held-out log-likelihood: gains over full tables, on one scale for all data sets."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.heldout.plan import ALL, GREEDY, LEAKY, LEAKY_EBIC, PAPER, TABLES
from benchmarks.heldout.statistics import (
    Gain,
    average,
    best,
    gain_of,
    over_tables,
    record_count,
    stored_datasets,
)
from benchmarks.race.figures import STYLE

FIGURE = "heldout-gains.svg"

PANELS = {
    PAPER: "noisy-OR\n(the paper)",
    LEAKY: "leaky noisy-OR\n(the default)",
    ALL: "all relations",
    LEAKY_EBIC: "leaky noisy-OR,\nEBIC",
    GREEDY: "full tables,\npyAgrum, greedy",
}
"""Whose best networks are compared with those of full tables, and the panels' titles."""

AVERAGED = "leaky noisy-OR,\naveraged"

BETTER, WORSE, UNCLEAR = "#0072b2", "#d55e00", "#888888"
EDGE = 0.6  # nats: where the axis ends; what lies beyond is drawn as an arrow
_WIDTH = 9.0  # inches


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the figure into the folder."""
    path = folder / FIGURE
    with mpl.rc_context(STYLE):
        drawn(results).savefig(path, metadata={"Date": None})
    return [path]


def drawn(results: Mapping[str, Results]) -> Figure:
    """Return the figure: a row for each data set, a panel for each way."""
    names = stored_datasets(results)
    figure = Figure(figsize=(_WIDTH, 1.2 + 0.19 * len(names)), layout="constrained")
    columns = {title: over_tables(results, way) for way, title in PANELS.items()}
    columns[AVERAGED] = averaged(results, names)
    panels = figure.subplots(1, len(columns), sharex=True, sharey=True, squeeze=False)[0]
    for panel, (title, gains) in zip(panels, columns.items(), strict=True):
        draw_gains(panel, gains, names)
        panel.set_title(title)
    labels = [f"{name}, N = {record_count(results, name):,}" for name in names]
    panels[0].set_yticks(range(len(names)), labels)
    panels[0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel(
        "gain over full tables, nats per held-out record: right of 0 is better", fontsize=8
    )
    return figure


def averaged(results: Mapping[str, Results], names: list[str]) -> dict[str, Gain]:
    """Return the gain of the default's average over the best network of full tables."""
    gains = {
        name: gain_of(results, name, (LEAKY, average("joint")), (TABLES, best("joint")))
        for name in names
    }
    return {name: gain for name, gain in gains.items() if gain is not None}


def draw_gains(panel: Axes, gains: Mapping[str, Gain], names: list[str]) -> None:
    """Draw gains with their intervals, coloured where these leave out 0."""
    panel.axvline(0, color="black", linewidth=0.8)
    for row, name in enumerate(names):
        if name not in gains:
            continue
        gain = gains[name]
        colour = BETTER if gain.clearly_better else WORSE if gain.clearly_worse else UNCLEAR
        low, high = gain.mean - gain.half_width, gain.mean + gain.half_width
        panel.plot([max(low, -EDGE), min(high, EDGE)], [row, row], color=colour, linewidth=1.4)
        if abs(gain.mean) <= EDGE:
            panel.plot(gain.mean, row, "o", color=colour, markersize=3.5)
        for end, marker in ((low, "<"), (high, ">")):
            if abs(end) > EDGE:
                panel.plot(EDGE if end > 0 else -EDGE, row, marker, color=colour, markersize=3.5)
    panel.set_xlim(-1.08 * EDGE, 1.08 * EDGE)
    panel.grid(visible=True, color="#e6e6e6", linewidth=0.6)
