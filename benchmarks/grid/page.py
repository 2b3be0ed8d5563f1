"""The page of the grid: figures, what is clearly better or worse, and a table of every cell."""

from collections.abc import Mapping

from benchmarks.grid.figures import PREDICTION, STRUCTURE
from benchmarks.grid.networks import FREQUENCIES
from benchmarks.grid.plan import (
    CELLS,
    CHOICES,
    COMPARED,
    FAILURES,
    HELD_OUT_RECORDS,
    NETWORKS,
    ROOTS,
    SIZES,
    VARIABLES,
    Model,
    Prevalence,
    Strength,
    jobs,
)
from benchmarks.grid.statistics import changes
from benchmarks.harness.markdown import listed, table, wrapped
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.relations.page import starred
from benchmarks.relations.statistics import prediction, structure
from benchmarks.study.statistics import CONFIDENCE
from noisyor.networks.likelihood import SMOOTHING

MEASURES = {"structure": (structure, 2), "prediction": (prediction, 3)}

_INTRODUCTION = """\
## When do relations pay? Leaks, strengths, prevalences, and wrong models

Made by `make grid` (`python -m benchmarks.grid`). The [study](study.md) has one kind of noisy-OR,
without a leak and with strong causes, and lets noisy-ORs without a leak compete. Here both vary:
what the truth is, and what competes. Random networks of {variables} variables, with arcs as in the
study, are of these kinds:

- **noisy-OR**: causes act by their presence, with a leak of 0, 0.1 or 0.3;
- **signed noisy-OR**: each cause acts by its presence or by its absence, with even chances, and a
  leak of 0.1;
- **noisy-AND**: the effect needs all of its causes; without one of them it comes about with chance
  q only, and even with all of them it fails with chance 0.1;
- **full tables**, drawn uniformly: no relation is right, so whatever wins has won by chance.

Strong causes fail with q from {strong[0]:g} to {strong[1]:g}, weak ones from {weak[0]:g} to
{weak[1]:g}. Variables without parents are present with chance {common[0]:g} to {common[1]:g}
(common) or {rare[0]:g} to {rare[1]:g} (rare); networks are drawn again until every variable is
present in {often[0]:.0%} to {often[1]:.0%}, or {seldom[0]:.0%} to {seldom[1]:.0%}, of the records.
For the default, noisy-AND and signed noisy-OR are wrong models, and so are full tables for all.

Each cell has {networks} networks, with one sample of {sizes} records each. The best network is
learned with full tables and BIC, and with each of {choices} other choices; a difference is to the
former on the same sample. Structure is the distance of CPDAGs per true arc. Prediction is in nats
per held-out record ({held_out:,} of them; parameters of maximum likelihood, smoothed with a share
of {smoothing:g} of a uniform distribution). Below 0 is better in both. Intervals of
{confidence:.0%} are from a bootstrap of networks, point by point. {coverage}"""

_STRUCTURE = """\
### Is the structure found better?

A point is the mean change of wrong edges per true edge against full tables, a line its interval.
The scale is the same everywhere; an arrow marks what lies beyond it."""

_PREDICTION = """\
### Are new records predicted better?

The same for the prediction of new records."""

_CLEAR = """\
### Where it is clear

How many of the cells (what the truth is, strength, prevalence and N) are clearly better / clearly
worse than full tables with BIC."""

_EVERY = """\
### Every cell

Differences to full tables with BIC: of structure, then of prediction. A star marks what is clearly
better, bold type what is clearly worse."""


def section(results: Mapping[str, Results]) -> str:
    """Return the page as a section."""
    parts = [
        _introduction(results),
        conclusions(results),
        _STRUCTURE,
        f"![Change of wrong edges in every cell]({IMAGES}/{STRUCTURE})",
        _PREDICTION,
        f"![Change of prediction in every cell]({IMAGES}/{PREDICTION})",
        _CLEAR,
        *(clear_table(results, name) for name in MEASURES),
        _EVERY,
        cell_table(results),
    ]
    return wrapped("\n\n".join(parts)) + "\n"


def conclusions(results: Mapping[str, Results]) -> str:
    """Say in how many cells each choice is clearly better, and worse."""
    lines = []
    for choice in COMPARED:
        said = []
        for name, (measure, _) in MEASURES.items():
            bands = [
                band for size in SIZES for band in changes(results, size, measure, choice).values()
            ]
            better = sum(band.clearly_below(0) for band in bands)
            worse = sum(band.clearly_above(0) for band in bands)
            said.append(f"{name} is clearly better in {better} and clearly worse in {worse}")
        lines.append(f"- {CHOICES[choice].title.removeprefix('+ ')}: {', '.join(said)}.")
    cells = len(CELLS) * len(SIZES)
    return f"Of {cells} cells, against full tables with BIC:\n\n" + "\n".join(lines)


def _introduction(results: Mapping[str, Results]) -> str:
    seconds = sum(one["seconds"] for one in results.values())
    return _INTRODUCTION.format(
        variables=VARIABLES,
        strong=FAILURES[Strength.STRONG],
        weak=FAILURES[Strength.WEAK],
        common=ROOTS[Prevalence.COMMON],
        rare=ROOTS[Prevalence.RARE],
        often=FREQUENCIES[Prevalence.COMMON],
        seldom=FREQUENCIES[Prevalence.RARE],
        networks=NETWORKS,
        sizes=listed(SIZES),
        choices=len(COMPARED),
        held_out=HELD_OUT_RECORDS,
        smoothing=SMOOTHING,
        confidence=CONFIDENCE,
        coverage=(
            f"Of {len(jobs()):,} planned samples, {len(results):,} have a result; they took "
            f"{seconds / 60:.1f} minutes of processor time."
        ),
    )


def clear_table(results: Mapping[str, Results], name: str) -> str:
    """Return for each kind of truth in how many cells a choice is clearly better, and worse."""
    measure, _ = MEASURES[name]
    rows = []
    for model in Model:
        cells = [cell for cell in CELLS if cell.model is model]
        texts = []
        for choice in COMPARED:
            bands = [
                band
                for size in SIZES
                for cell, band in changes(results, size, measure, choice).items()
                if cell in cells
            ]
            better = sum(band.clearly_below(0) for band in bands)
            texts.append(f"{better} / {sum(band.clearly_above(0) for band in bands)}")
        rows.append([f"{model} ({len(cells) * len(SIZES)} cells)", *texts])
    return table((name, *_titles()), rows)


def cell_table(results: Mapping[str, Results]) -> str:
    """Return both differences of every choice in every cell."""
    every = {
        (choice, size, name): changes(results, size, measure, choice)
        for choice in COMPARED
        for size in SIZES
        for name, (measure, _) in MEASURES.items()
    }
    rows = []
    for cell in CELLS:
        for size in SIZES:
            texts = []
            for choice in COMPARED:
                bands = [
                    (every[choice, size, name].get(cell), digits)
                    for name, (_, digits) in MEASURES.items()
                ]
                said = [starred(band, digits) for band, digits in bands if band is not None]
                texts.append(" / ".join(said) or "-")
            rows.append([cell.title, f"{size:,}", *texts])
    return table(("the truth", "N", *_titles()), rows)


def _titles() -> list[str]:
    return [CHOICES[choice].title for choice in COMPARED]
