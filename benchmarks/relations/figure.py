"""The figure of sets of relations: how wrong edges change, by what the truth is."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from benchmarks.harness.measuring import Results
from benchmarks.race.figures import STYLE
from benchmarks.relations.statistics import default_and_paper
from benchmarks.study.statistics import outcomes_of

FIGURE = "relations-structure.svg"

LOOKS = (("leaky noisy-ORs (the default)", "#0072b2", "o"), ("the paper's", "#d55e00", "s"))
_SIZE = (6.4, 2.9)  # inches


def figures(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Draw the figure into the folder, if it has anything to show."""
    bands = default_and_paper(outcomes_of(results))
    if not bands:
        return []
    path = folder / FIGURE
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        axes.grid(visible=True, which="major", linewidth=0.3)
        for index, (label, colour, marker) in enumerate(LOOKS):
            some = [pair[index] for pair in bands.values()]
            axes.errorbar(
                [band.middle for band in some],
                [place + 0.16 * (2 * index - 1) for place in range(len(some))],
                xerr=[
                    [band.middle - band.low for band in some],
                    [band.high - band.middle for band in some],
                ],
                fmt=marker,
                color=colour,
                label=label,
            )
        axes.axvline(0, color="#666666", linewidth=0.8)
        axes.set_yticks(range(len(bands)), list(bands))
        axes.invert_yaxis()
        axes.set_xlabel("change of wrong edges per true edge: left of 0 is better")
        figure.legend(loc="outside upper center", ncols=2)
        figure.savefig(path, metadata={"Date": None})
    return [path]
