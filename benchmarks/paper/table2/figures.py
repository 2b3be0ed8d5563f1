"""The figures of table 2."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.page import SHARES_FIGURE, SIZES_FIGURE
from benchmarks.paper.table2.statistics import Row, Shares, rows_of
from noisyor.core import CPT, NOISY_OR
from noisyor.core.relation_looks import look_of
from noisyor.reporting.plot_style import FONT_SIZE, GREY, load_matplotlib, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.2  # inches
ROW = 0.235  # inches from data set to data set
FRAME = 0.95  # inches for scales and legend
OURS, PAPERS = look_of(NOISY_OR).paper.line, look_of(CPT).paper.line
SETTINGS: Any = {"svg.hashsalt": "noisyor", "font.size": FONT_SIZE, "axes.labelsize": FONT_SIZE}


def figures(results: Results, folder: Path) -> list[Path]:
    """Write the figures as SVG, the same bytes for the same results; return where they are."""
    load_matplotlib()
    from matplotlib import rc_context  # noqa: PLC0415  (an extra)

    rows = [row for row in rows_of(results) if row.both is not None]
    if not rows:
        return []
    written = []
    with rc_context(SETTINGS):
        for name, draw in ((SHARES_FIGURE, shares_figure), (SIZES_FIGURE, sizes_figure)):
            path = folder / name
            draw(rows).savefig(path, metadata={"Date": None})
            written.append(path)
    return written


def _two_panels(rows: list[Row]) -> "tuple[Figure, Axes, Axes]":
    """Return two panels, whose rows are the data sets from top to bottom."""
    figure = new_figure(WIDTH, FRAME + ROW * len(rows))
    left, right = figure.subplots(1, 2, sharey=True)
    left.set_yticks(range(len(rows)), [row.name for row in rows])
    left.set_ylim(len(rows) - 0.4, -0.6)
    for panel in (left, right):
        panel.grid(axis="both", color="0.9", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(length=0)
        for side in ("top", "right", "left"):
            panel.spines[side].set_visible(False)
    return figure, left, right


def sizes_figure(rows: list[Row]) -> "Figure":
    """Return the figure of the numbers of credible networks and the times to find them."""
    figure, left, right = _two_panels(rows)
    unfinished = False
    for place, row in enumerate(rows):
        for run, marker, colour in ((row.cpt, "s", PAPERS), (row.both, "o", OURS)):
            if run is None:
                continue
            unfinished |= not run["complete"]
            points = _points(marker if run["complete"] else ">", colour)
            left.plot([run["members"]], [place], **points)
            right.plot([run["seconds"]["total"]], [place], **points)
    for panel, label in ((left, "credible networks"), (right, "seconds")):
        panel.set_xscale("log")
        panel.set_xlabel(label)
    looks = [("full tables and noisy-ORs", "o", OURS), ("full tables only", "s", PAPERS)]
    if unfinished:
        looks.append(("not finished: at least", ">", GREY))
    _add_legend(figure, looks)
    return figure


def _add_legend(figure: "Figure", looks: list[tuple[str, str, str]]) -> None:
    """Explain markers and colours above the panels."""
    from matplotlib.lines import Line2D  # noqa: PLC0415  (an extra)

    figure.legend(
        handles=[
            Line2D([], [], label=label, **_points(marker, colour))
            for label, marker, colour in looks
        ],
        loc="outside upper center",
        ncols=len(looks),
        frameon=False,
    )


def _points(marker: str, colour: str) -> Results:
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 5 if marker == "o" else 6.5,
        "markerfacecolor": colour if marker == "o" else "white",
        "markeredgecolor": colour,
        "markeredgewidth": 1.3,
        "clip_on": False,
        "zorder": 2.5 if marker == "|" else 3,
    }


def shares_figure(rows: list[Row]) -> "Figure":
    """Return the figure of how many nodes are noisy-ORs and how often, here and in the paper."""
    figure, left, right = _two_panels(rows)
    for place, row in enumerate(rows):
        ours, theirs = row.shares(), row.published.shares
        _draw_pair(left, place, _nodes(ours), _nodes(theirs))
        _draw_pair(right, place, _average(ours), _average(theirs))
        _draw_nodes(right, place, row)
        for text, shares in (("not finished here", ours), ("paper: out of time", theirs)):
            if shares is None:
                _write(left, place, text)
    left.set_xlabel("nodes that are a noisy-OR in some credible network")
    right.set_xlabel("percent of the credible networks, on average")
    left.set_xlim(left=-0.6)
    right.set_xlim(0, 100)
    looks = [("here", "o", OURS), ("paper", "s", PAPERS), ("each node, here", "|", OURS)]
    _add_legend(figure, looks)
    return figure


def _draw_nodes(panel: "Axes", place: int, row: Row) -> None:
    """Draw the share of networks in which each node is a noisy-OR, in percent."""
    if row.both is None or not row.complete:
        return
    for percent in row.both["noisy_or"]["any_parents"]["percent_by_node"].values():
        panel.plot([percent], [place], **_points("|", OURS), alpha=0.5)


def _nodes(shares: Shares | None) -> float | None:
    return None if shares is None else shares.nodes


def _average(shares: Shares | None) -> float | None:
    """Return the average, if there is one."""
    return shares.average if shares is not None and shares.nodes else None


def _draw_pair(panel: "Axes", place: int, ours: float | None, theirs: float | None) -> None:
    if ours is not None and theirs is not None:
        panel.plot([ours, theirs], [place, place], color="0.7", linewidth=1.2, zorder=2)
    for value, marker, colour in ((theirs, "s", PAPERS), (ours, "o", OURS)):
        if value is not None:
            panel.plot([value], [place], **_points(marker, colour))


def _write(panel: "Axes", place: int, text: str) -> None:
    panel.text(
        1,
        place,
        text,
        transform=panel.get_yaxis_transform(),
        ha="right",
        va="center",
        color=GREY,
        fontsize=0.85 * FONT_SIZE,
        style="italic",
    )
