"""Whether the certified fit recovers noisy-ORs as well as the paper's figures say of its own."""

from benchmarks.harness.measuring import Results
from benchmarks.paper.table1.measures import HALF_DIGIT, number
from benchmarks.paper.table1.readings import MARGIN
from benchmarks.paper.table1.stored import DIVERGENCE, RELATIVE, Cells

DEFINITIONS = {
    "relative": (RELATIVE, "mean over the parents of abs(fitted q - q) / q"),
    "kl_published": (DIVERGENCE, "D(fitted, truth) over observed configurations, no chance of 0"),
    "relative_middle": (RELATIVE, "median over the parents of abs(fitted q - q) / q"),
    "relative_total": (RELATIVE, "sum of abs(fitted q - q) over the sum of q"),
    "kl": (DIVERGENCE, "D(truth, fitted) over all configurations, infinite ones and all"),
    "kl_finite": (DIVERGENCE, "D(truth, fitted) over the configurations that are finite"),
    "kl_held": (
        DIVERGENCE,
        f"D(truth, fitted), fitted chances held within {MARGIN:g} and {1 - MARGIN:g}",
    ),
    "kl_weighted": (
        DIVERGENCE,
        "D(truth, fitted), mean over the configurations that are finite (the paper's formula)",
    ),
}
"""The paper's two measures by every definition; the first two are those of its scripts."""

LABELS = {RELATIVE: "relative error", DIVERGENCE: "conditional KL"}


def holds(ours: Results, printed: float) -> bool:
    """Return whether our median is at most the printed one, up to its rounding."""
    return number(ours["median"]) <= printed + HALF_DIGIT


def beyond_chance(ours: Results, printed: float) -> bool:
    """Return whether thirty of our tests rarely have a median as small as the printed one."""
    return number(ours["low"]) > printed + HALF_DIGIT


def verdict(ours: Results, printed: float) -> str:
    """Return whether our figure is at least as good as the printed one, or worse by chance."""
    if holds(ours, printed):
        return "yes"
    return "**no**" if beyond_chance(ours, printed) else "no, within chance"


def verdict_counts(cells: Cells, name: str) -> tuple[int, int, int]:
    """Return the number of sizes in which the certified fit is as good, worse by chance, worse."""
    printed = cells.printed(DEFINITIONS[name][0], "kl")
    pairs = list(zip(cells.measure(f"{name}/newton"), printed, strict=True))
    good = sum(holds(*pair) for pair in pairs)
    worse = sum(beyond_chance(*pair) for pair in pairs)
    return good, len(pairs) - good - worse, worse
