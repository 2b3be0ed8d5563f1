"""The figure of the calibration: how often a weight is true, for each kind of weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.measuring import KINDS
from benchmarks.calibration.statistics import GROUPS, bins_of, calibration_error, in_group
from benchmarks.harness.measuring import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "calibration-reliability.svg"

SHOWN = ("paper", "default", "ebic", "warm", "bootstrap", "bagged")
"""The kinds of weights that have a column."""

_COLOUR = "#0072b2"
_Z = 1.96  # of a 95 % interval
_WIDTH = 11.0  # inches


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the figure into the folder."""
    import matplotlib as mpl  # noqa: PLC0415  (an extra that only figures need)
    from matplotlib.figure import Figure  # noqa: PLC0415

    groups = [group for group in GROUPS if in_group(results, group)]
    path = folder / FIGURE
    with mpl.rc_context({"svg.hashsalt": FIGURE, "svg.fonttype": "none", "font.size": 8.0}):
        figure = Figure(figsize=(_WIDTH, 0.6 + 2.0 * len(groups)), layout="constrained")
        panels = figure.subplots(len(groups), len(SHOWN), squeeze=False, sharex=True, sharey=True)
        for row, group in zip(panels, groups, strict=True):
            own = in_group(results, group)
            for panel, kind in zip(row, SHOWN, strict=True):
                _draw(panel, bins_of(own, kind, "skeleton"))
            row[0].set_ylabel(f"{group[0]}\nN = {group[1]}\nshare that is true")
        for panel, kind in zip(panels[0], SHOWN, strict=True):
            panel.set_title(KINDS[kind].replace(", ", ",\n", 1), fontsize=8)
        for panel in panels[-1]:
            panel.set_xlabel("weight of adjacencies")
        figure.savefig(path, metadata={"Date": None})
    return [path]


def _draw(panel: "Axes", bins: np.ndarray) -> None:
    """Draw the share of true pairs over the mean weight of each bin, with its interval."""
    kept = bins[bins[:, 0] > 0]
    pairs, weights, true = kept.T
    mean, share = weights / pairs, true / pairs
    middle = (true + _Z**2 / 2) / (pairs + _Z**2)  # Wilson
    half = _Z * np.sqrt(share * (1 - share) * pairs + _Z**2 / 4) / (pairs + _Z**2)
    panel.plot([0, 1], [0, 1], color="#999999", lw=0.8, ls="--")
    panel.fill_between(mean, middle - half, middle + half, color=_COLOUR, alpha=0.18, lw=0)
    panel.plot(mean, share, color=_COLOUR, marker="o", ms=3.5, lw=1.2)
    panel.set_xlim(-0.03, 1.03)
    panel.set_ylim(-0.03, 1.03)
    panel.set_aspect("equal")
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(visible=True, color="#e6e6e6", lw=0.6)
    panel.text(0.98, 0.02, f"error {calibration_error(bins):.3f}", fontsize=7, ha="right")
