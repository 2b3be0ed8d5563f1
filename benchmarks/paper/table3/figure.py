"""The figure of table 3: a panel for each network, our spread and the paper's marks."""

from collections.abc import Mapping
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.measuring import Results
from benchmarks.paper.table3.cells import COLUMNS, PAPER, REPEATS, SIZES, cell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "table3.svg"
LOOKS = {"best": ("#0072b2", "o"), "costliest": ("#d55e00", "s"), "cpt": ("#555555", "^")}
_WIDTH, _HEIGHT = 9.0, 4.8  # inches
_LINEAR_BELOW = 0.01  # the axis is logarithmic above, and has a 0 below
_TICKS = {0.0: "0", 0.01: "0.01", 0.1: "0.1", 1.0: "1"}
_INFINITE = 5.0  # where the axis has infinite errors, if there are any
_STEP = 0.24  # between the columns of one number of records


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the errors of the samples and the paper's figures into the folder."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra that only figures need)
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({"svg.hashsalt": "table3", "font.size": 8.0}):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
        *panels, legend = figure.subplots(2, 4, sharey=True).flat
        infinite = [
            _draw_network(panel, results, name) for panel, name in zip(panels, REPEATS, strict=True)
        ]
        for place, panel in enumerate(panels):
            _dress(panel, infinite=any(infinite))
            if place % 4 == 0:
                panel.set_ylabel("median relative error")
            if place >= 3:  # nothing but the legend is below the fourth
                panel.set_xlabel("records")
        _draw_legend(legend)
        path = folder / FIGURE
        figure.savefig(path, metadata={"Date": None})
    return [path]


def _draw_network(panel: "Axes", results: Mapping[str, Results], name: str) -> bool:
    """Draw the three columns of a network, and return whether some error is infinite."""
    infinite = False
    samples = []
    for group, size in enumerate(SIZES):
        for place, (column, (colour, marker)) in enumerate(LOOKS.items()):
            across = group + (place - 1) * _STEP
            one = cell(results, name, size, column)
            if one is not None:
                samples.append(one.repeats)
            if one is not None and one.errors:
                low, first, middle, third, high = (
                    one.quantile(share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)
                )
                infinite |= isinf(high)
                panel.plot([across] * 2, [_height(low), _height(high)], color=colour, lw=0.8)
                panel.plot(
                    [across] * 2,
                    [_height(first), _height(third)],
                    color=colour,
                    lw=3.5,
                    solid_capstyle="butt",
                    alpha=0.6,
                )
                panel.plot(across, _height(middle), marker, color=colour, ms=4.5)
            paper = PAPER[name, size, column]
            if paper is not None:
                panel.plot(across, paper, "x", color=colour, ms=5, mew=1.2, zorder=3)
    count = sorted(set(samples))
    said = " or ".join(map(str, count)) if count else "no"
    panel.set_title(f"{name}, {said} sample{'' if count == [1] else 's'}", fontsize=8.5)
    return infinite


def _height(error: float) -> float:
    return _INFINITE if isinf(error) else error


def _dress(panel: "Axes", *, infinite: bool) -> None:
    """Give a panel its axes."""
    panel.set_yscale("symlog", linthresh=_LINEAR_BELOW, linscale=0.5)
    ticks = _TICKS | ({_INFINITE: "infinite"} if infinite else {})
    panel.set_yticks(list(ticks), list(ticks.values()))
    panel.set_yticks([], minor=True)
    panel.set_ylim(-0.002, _INFINITE * 1.4 if infinite else 2.0)
    panel.set_xticks(range(len(SIZES)), [f"{size:,}" for size in SIZES])
    panel.set_xlim(-0.5, len(SIZES) - 0.5)
    panel.grid(axis="y", lw=0.4, alpha=0.5)
    panel.set_axisbelow(True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)


def _draw_legend(panel: "Axes") -> None:
    """Explain the marks in the panel that is left."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    marks = [
        Line2D([], [], color=colour, marker=marker, ms=4.5, lw=0, label=COLUMNS[column])
        for column, (colour, marker) in LOOKS.items()
    ]
    black = "#222222"
    marks += [
        Line2D([], [], color=black, lw=3.5, alpha=0.6, label="quartiles of the samples"),
        Line2D([], [], color=black, lw=0.8, label="smallest to largest"),
        Line2D([], [], color=black, marker="x", ms=5, mew=1.2, lw=0, label="the paper's figure"),
    ]
    panel.set_axis_off()
    panel.legend(handles=marks, loc="center", frameon=False, fontsize=8.5)
