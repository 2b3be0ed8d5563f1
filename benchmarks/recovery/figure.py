"""The figure of recovery with many variables: every sample, filled where its optimum is proven."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.race.figures import STYLE
from benchmarks.recovery.plan import LEAKY, TABLES, TITLES
from benchmarks.recovery.statistics import by_variables, distance, mean_distance

FIGURE = "recovery-distance.svg"
LOOKS = {TABLES: ("#666666", "s", 0.97), LEAKY: ("#0072b2", "o", 1.03)}
"""Of each set: its colour, its marker, and a factor that keeps the two apart."""

_SIZE = (6.4, 2.9)  # inches


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
        for name, (colour, marker, aside) in LOOKS.items():
            places = [aside * variables for variables in groups]
            means = [mean_distance(some, name) for some in groups.values()]
            axes.plot(places, means, "-", color=colour)
            for place, some in zip(places, groups.values(), strict=True):
                for one in some:
                    fill = "full" if one[name]["proven"] else "none"
                    axes.plot(place, distance(one, name), marker, color=colour, fillstyle=fill)
            axes.plot([], [], f"-{marker}", color=colour, label=TITLES[name])
        axes.plot([], [], "o", color="black", label="proven to be the best network")
        axes.plot([], [], "o", color="black", fillstyle="none", label="the best that was found")
        axes.set_xscale("log")
        axes.set_xticks(list(groups), [str(variables) for variables in groups])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.set_xlabel("variables")
        axes.set_ylabel("wrong edges per true edge")
        figure.legend(loc="outside upper center", ncols=2)
        figure.savefig(path, metadata={"Date": None})
    return [path]
