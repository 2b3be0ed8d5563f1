"""The figure of recovery with many variables: every sample, filled where its optimum is proven."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.race.figures import STYLE
from benchmarks.recovery.statistics import by_variables, distance, mean_distance

FIGURE = "recovery-distance.svg"
COLOUR = "#0072b2"
_SIZE = (6.4, 2.7)  # inches


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the figure into the folder, if it has anything to show."""
    groups = by_variables(results)
    if not groups:
        return []
    path = folder / FIGURE
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=True, which="major", linewidth=0.3)
        means = [mean_distance(some) for some in groups.values()]
        axes.plot(list(groups), means, "-", color=COLOUR, label="mean")
        for variables, some in groups.items():
            for one in some:
                fill = "full" if one["learned"]["proven"] else "none"
                axes.plot(variables, distance(one), "o", color=COLOUR, fillstyle=fill)
        axes.plot([], [], "o", color=COLOUR, label="the best network, proven")
        axes.plot([], [], "o", color=COLOUR, fillstyle="none", label="the best that was found")
        axes.set_xscale("log")
        axes.set_xticks(list(groups), [str(variables) for variables in groups])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("variables")
        axes.set_ylabel("wrong edges per true edge")
        figure.legend(loc="outside upper center", ncols=3)
        figure.savefig(path, metadata={"Date": None})
    return [path]
