"""The page of table 3: our errors over many samples, and the paper's."""

from collections.abc import Mapping
from math import isinf

from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.paper.table3.cells import (
    COLUMNS,
    PAPER,
    REPEATS,
    SIZES,
    Cell,
    Contest,
    cell,
    not_proven,
    questions_of,
    repeats_of,
)
from benchmarks.paper.table3.crossed import crossed_of
from benchmarks.paper.table3.crossed_page import crossed_section
from benchmarks.paper.table3.figure import FIGURE
from noisyor.inference.trials import EVIDENCE_SHARE, TRIALS, evidence_size

_LARGE = 0.5  # an answer that is wrong by half

_INTRODUCTION = """\
## Table 3: inference error against the ground-truth networks

Made by `make table3` (`python -m benchmarks.paper.table3`). From each network {sizes} records
were drawn several times, with seeds that follow from the name, the number of records and the number
of the repeat. From each sample the credible networks were learned with Bayes factor 20, once with
full tables and noisy-ORs and once with full tables alone. Three networks were queried: the best,
the costliest of the credible set (the paper's "worst") and the best of full tables alone.
Parameters are those of maximum likelihood; a configuration that no record has gets 0.5.

In each of {trials:,} trials {share:.0%} of the variables are observed
({evidence}).
They are chosen at random, and their states are drawn one after another from the true posterior.
Each state of each unobserved variable has an error, the difference of its learned and its true
probability as a share of the true one. The figure of a sample is the median of all its errors.
An error counts as 0 where both probabilities are 0, and as infinite where only the true one is, or
where the evidence is impossible in the learned network. All three networks get the same queries.
The table has the median of the samples' figures and, in brackets, their quartiles. The costliest
network is known only where the credible set is complete ({limit} s for learning, on one core);
`lacking` counts the samples where it is not. `not proven` counts those where the time was up before
the best network was proven optimal, with noisy-ORs and with full tables alone; then the best
network found was queried.
"""


def section(results: Mapping[str, Results], images: str = IMAGES) -> str:
    """Return the section on table 3 in Markdown, with its figure in the given folder."""
    crossed = crossed_of(results)
    own = {
        key: one
        for name in REPEATS
        for size in SIZES
        for key, one in results.items()
        if key.startswith(f"{name}/{size}/")
    }
    if not own:
        return "## Table 3: inference error against the ground-truth networks\n\nNo results yet.\n"
    return "\n".join(
        [
            _introduction(own),
            _table(own),
            "",
            f"![Errors of the samples, and the paper's]({images}/{FIGURE})",
            "",
            *_findings(own),
            "",
            crossed_section(own, crossed),
        ]
    )


def _introduction(results: Mapping[str, Results]) -> str:
    known = {
        name: variables for name in REPEATS if (variables := _variables(results, name)) is not None
    }
    evidence = ", ".join(f"{evidence_size(n, EVIDENCE_SHARE)} of {n}" for n in known.values())
    limits = sorted({one["limit"] for one in results.values() if "limit" in one})
    return _INTRODUCTION.format(
        sizes=listed(SIZES),
        trials=TRIALS,
        share=EVIDENCE_SHARE,
        evidence=evidence,
        limit=" or ".join(f"{limit:g}" for limit in limits),
    )


def _variables(results: Mapping[str, Results], network: str) -> int | None:
    found = [
        one["variables"]
        for size in SIZES
        for one in repeats_of(results, network, size)
        if "variables" in one
    ]
    return found[0] if found else None


def _table(results: Mapping[str, Results]) -> str:
    headings = ["network", "n", "N", "samples"]
    for title in COLUMNS.values():
        headings += [title, "paper"]
    headings += ["lacking", "not proven"]
    rows = []
    for name in REPEATS:
        for size in SIZES:
            cells = {column: cell(results, name, size, column) for column in COLUMNS}
            best, costliest = cells["best"], cells["costliest"]
            if best is None or costliest is None:
                continue
            row = [name, str(_variables(results, name) or "-"), f"{size:,}", str(best.repeats)]
            for column, one in cells.items():
                row += [_spread_text(one), _paper_text(PAPER[name, size, column])]
            unproven = [not_proven(results, name, size, kind) for kind in ("both", "cpt")]
            row += [str(costliest.missing), " and ".join(map(str, unproven))]
            rows.append(row)
    return table(headings, rows)


def _spread_text(one: Cell | None) -> str:
    if one is None or not one.errors:
        return "-"
    low, middle, high = (_number(one.quantile(share)) for share in (0.25, 0.5, 0.75))
    return f"{middle} ({low} to {high})"


def _number(error: float) -> str:
    return "infinite" if isinf(error) else f"{error:.3f}"


def _paper_text(figure: float | None) -> str:
    return "out of time" if figure is None else f"{figure:.2f}"


def _findings(results: Mapping[str, Results]) -> list[str]:
    """Return what the table shows, in sentences whose numbers are counted here."""
    repeats = [one for name in REPEATS for size in SIZES for one in repeats_of(results, name, size)]
    lines = ["How the paper's figures lie among those of our samples:", ""]
    for column, title in COLUMNS.items():
        lines.append(f"- {title}: {_paper_among(results, column)}")
    lines += _extremes(results)
    lines += [
        "",
        "Sample by sample, on the same queries:",
        "",
        _contest_text(repeats, "best", "The best network", "cpt", "the best of full tables"),
        _contest_text(repeats, "costliest", "The costliest credible network", "best", "the best"),
        f"- Evidence that is impossible in a learned network: {_impossible_text(repeats)}.",
    ]
    nothing = sum("nothing_because" in one for one in repeats)
    if nothing:
        lines.append(f"- {_of(nothing, len(repeats))} samples have no result: see the stored file.")
    return [*lines, "", *_REMARKS]


_REMARKS = [
    "What differs from the paper: as far as it says, it has one sample of each size; we have",
    "several, which are not the paper's. It does not say how true values of 0 and impossible",
    "evidence are treated, nor whether the median is over all entries, as here, or over trials.",
    "The spread is that between samples, not an interval for the paper's figure.",
]


def _contest_text(
    repeats: list[Results], first: str, first_name: str, second: str, second_name: str
) -> str:
    found = Contest.between(repeats, first, second)
    return (
        f"- {first_name} has a smaller error than {second_name} in "
        f"{_of(found.smaller, found.count)} samples, a larger one in {found.larger:,}, and the "
        f"same in {found.same:,}."
    )


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}"


def _paper_among(results: Mapping[str, Results], column: str) -> str:
    """Return how many of the paper's figures lie within our range and our quartiles."""
    found = [
        (one, figure)
        for (name, size, of_column), figure in PAPER.items()
        if of_column == column and figure is not None
        if (one := cell(results, name, size, column)) is not None and one.errors
    ]
    if not found:
        return "nothing to compare"
    within = sum(one.has(figure) for one, figure in found)
    middle = sum(one.has(figure, 0.25, 0.75) for one, figure in found)
    below = sum(not one.has(figure, 0.0, 1.0) and figure < one.errors[0] for one, figure in found)
    return (
        f"{_of(within, len(found))} lie between our smallest and largest error (as rounded in the "
        f"paper), {middle} of them between our quartiles; {below} lie below and "
        f"{len(found) - within - below} above all of our samples"
    )


def _extremes(results: Mapping[str, Results]) -> list[str]:
    """Return how far our samples reach where the paper's figures are smallest and largest."""
    found = [
        (one, figure)
        for (name, size, column), figure in PAPER.items()
        if figure is not None
        if (one := cell(results, name, size, column)) is not None and one.errors
    ]
    none = [one.errors[0] for one, figure in found if figure == 0]
    large = [one.errors[-1] for one, figure in found if figure >= _LARGE]
    lines = []
    if none:
        lines.append(
            f"- In the {len(none)} places where the paper has 0.00, the smallest error of all our "
            f"samples is {_number(min(none))}."
        )
    if large:
        beyond = sum(error >= _LARGE for error in large)
        lines.append(
            f"- In the {len(large)} places where it has {_LARGE:.2f} or more, some sample of ours "
            f"has as much in {beyond}; the largest error there is {_number(max(large))}."
        )
    return lines


def _impossible_text(repeats: list[Results]) -> str:
    parts = []
    for column, title in COLUMNS.items():
        found = [one for result in repeats if (one := questions_of(result, column)) is not None]
        trials = sum(one["impossible"] for one in found)
        parts.append(f"{title}, {_of(trials, TRIALS * len(found))} trials")
    return "; ".join(parts)
