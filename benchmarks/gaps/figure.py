"""The figure on records with gaps."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.gaps.page import FIGURE, TITLES
from benchmarks.gaps.plan import SHARES, Mechanism, Way
from benchmarks.gaps.statistics import cell, excess_edges, excess_nats
from benchmarks.harness.measuring import Results

_LOOKS = {Way.EM: ("#d55e00", "o"), Way.DROP: ("#0072b2", "s"), Way.MODE: ("#009e73", "^")}
_READINGS = {
    "nats per new record": excess_nats,
    "wrong edges per true arc": excess_edges,
}


def draw(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw how much worse than from whole records each way is, by the share of cells removed."""
    figure = Figure(figsize=(7.5, 5.0), layout="constrained")
    axes = figure.subplots(len(_READINGS), len(Mechanism), sharex=True, sharey="row")
    for row, (label, reading) in zip(axes, _READINGS.items(), strict=True):
        for own, mechanism in zip(row, Mechanism, strict=True):
            for way, (colour, marker) in _LOOKS.items():
                bands = [cell(results, mechanism, share, way, reading) for share in SHARES]
                there = [(s, one) for s, one in zip(SHARES, bands, strict=True) if one is not None]
                own.errorbar(
                    [100 * share for share, _ in there],
                    [one.middle for _, one in there],
                    yerr=[
                        [one.middle - one.low for _, one in there],
                        [one.high - one.middle for _, one in there],
                    ],
                    color=colour,
                    marker=marker,
                    capsize=3,
                    label=TITLES[way],
                )
            own.axhline(0, color="#888888", linewidth=0.8)
            own.set_title(f"cells removed {mechanism}", fontsize=9)
        row[0].set_ylabel(f"{label}\nmore than whole", fontsize=8)
    for own in axes[-1]:
        own.set_xlabel("cells removed, percent")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    path = folder / FIGURE
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "noisyor"}):
        figure.savefig(path, metadata={"Date": None})
    return [path]
