"""The section of the results page on the recovery of noisy-ORs, written from stored results."""

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.paper.table1.explanations import explanations
from benchmarks.paper.table1.figure import FIGURE
from benchmarks.paper.table1.measures import (
    HALF_DIGIT,
    LEAST_COMPARED,
    PAPERS_TESTS,
    likeness,
    number,
)
from benchmarks.paper.table1.readings import FITTERS, MARGIN
from benchmarks.paper.table1.stored import (
    DIVERGENCE,
    MANY_TESTS,
    RELATIVE,
    Cells,
    cells_of,
    interval,
    likeness_cells,
    text,
)

DEFINITIONS = {
    "relative": (RELATIVE, "mean over the parents of abs(fitted q - q) / q"),
    "relative_middle": (RELATIVE, "median over the parents of abs(fitted q - q) / q"),
    "relative_total": (RELATIVE, "sum of abs(fitted q - q) over the sum of q"),
    "kl": (DIVERGENCE, "sum over all configurations, infinite ones and all"),
    "kl_finite": (DIVERGENCE, "sum over the configurations that are finite"),
    "kl_held": (DIVERGENCE, f"sum, fitted chances held within {MARGIN:g} and {1 - MARGIN:g}"),
    "kl_weighted": (
        DIVERGENCE,
        "mean over the configurations that are finite (the paper's formula)",
    ),
}
CAPTION = (
    f"*Lines are medians of {MANY_TESTS:,} tests, bands hold 95 % of the medians of "
    f"{PAPERS_TESTS} tests, marks are the paper's figures; divergences: finite part.*"
)
LABELS = {RELATIVE: "relative error", DIVERGENCE: "conditional KL"}
VERDICTS = ("relative", "kl_finite", "kl_held", "kl")

TITLE = "## Table 1: recovery of noisy-OR parameters"
HOW = f"""\
Made by `make table1`. A test is a noisy-OR of 2 to 7 parents, which are present with a chance of
0.5 each, and records drawn from it. Each true q is drawn uniformly from 0.01, 0.02, ..., 0.99.
There is no leak: without a present parent the child is absent, in the truth and in every fit. The
three numbers of records share the true q's; their records are drawn independently of each other.
Each fitter gets the same records: Algorithm 1 (the paper's gradient descent, fitter `gradient`), EM
(Vomlel, 2006; fitter `em`) and the certified fit (fitter `newton`), each with the default settings
of `noisyor.fitting`.

The paper names its measures without defining them for this experiment. Here:

- **relative error** of a test is the mean over its parents of abs(fitted q - q) / q;
- **conditional KL divergence** of a test is the sum over all parent configurations of
  D(true chances, fitted chances), in nats, each configuration counting 1. The paper's formula for
  learning weighs each by its chance, here 2^-k. That is the same figure divided by 2^k, and far
  from what the paper prints (see below), so its table must be unweighted;
- a noisy-OR makes a statement about every configuration, so configurations without a record count
  as others do. Where a fitted q is 0 or 1, the maximum-likelihood noisy-OR rules out what the truth
  allows, and the divergence is **infinite**. A test with an infinite divergence counts as
  infinite in the median (`as defined`). The paper prints only finite figures, so two more readings
  are shown: with the infinite configurations left out (`finite part`), which favours fits that
  rule out much, and with the fitted chances clipped to {MARGIN:g} and {1 - MARGIN:g} (`held`);
- a true q is never 0, so no relative error is infinite. A q that the records do not determine (its
  parent occurs only together with one whose fitted q is 0) is counted as fitted, which is 0."""


def section(results: Results, images: str = IMAGES) -> str:
    """Return the section as Markdown, its figure being in the folder `images`."""
    few, many = cells_of(results, PAPERS_TESTS), cells_of(results, MANY_TESTS)
    parts = [TITLE, HOW]
    if few.stored:
        parts += [_recovered(few), _diverged(few)]
    if many.stored:
        parts += [
            f"![Recovery of noisy-ORs, the paper's figures and ours]({images}/{FIGURE})",
            CAPTION,
            _scatter(many),
            _verdicts(few, many),
            _definitions(many),
            _fitters(many),
            explanations(many),
        ]
    return "\n\n".join(parts) + "\n"


def _recovered(cells: Cells) -> str:
    columns = [cells.measure(f"relative/{name}") for name in FITTERS]
    rows = [
        [
            f"{records:,}",
            str(parents),
            f"{paper_kl:.2f}",
            *(text(one["median"]) for one in ours[:-1]),
            interval(ours[-1]),
            verdict(ours[-1], paper_kl),
            f"{paper_em:.2f}",
        ]
        for (records, parents), paper_kl, paper_em, *ours in zip(
            cells.stored,
            cells.printed(RELATIVE, "kl"),
            cells.printed(RELATIVE, "em"),
            *columns,
            strict=True,
        )
    ]
    headings = ("N", "parents", "paper, Algorithm 1", *FITTERS.values(), "as good?", "paper, EM")
    return (
        f"Median relative error of q over {PAPERS_TESTS} tests; in parentheses the 95 % bootstrap "
        "interval of the median. `as good?` asks whether the certified fit is at least as good as "
        "the paper's Algorithm 1; `no, within chance` means that the paper's figure is smaller, "
        f"but not below that interval:\n\n{table(headings, rows)}"
    )


def _diverged(cells: Cells) -> str:
    names = [f"kl_finite/{name}" for name in FITTERS]
    columns = [cells.measure(name) for name in (*names, "kl_held/newton", "kl/newton")]
    weighted = cells.measure("kl_weighted/newton")
    rows = [
        [
            f"{records:,}",
            str(parents),
            f"{paper_kl:.2f}",
            text(gradient["median"]),
            text(em["median"]),
            interval(newton),
            verdict(newton, paper_kl),
            text(held["median"]),
            text(plain["median"]),
            f"{cells.stored[records, parents]['infinite']['newton']} of {PAPERS_TESTS}",
            text(mean["median"]),
            f"{paper_em:.2f}",
        ]
        for (records, parents), paper_kl, paper_em, mean, gradient, em, newton, held, plain in zip(
            cells.stored,
            cells.printed(DIVERGENCE, "kl"),
            cells.printed(DIVERGENCE, "em"),
            weighted,
            *columns,
            strict=True,
        )
    ]
    headings = (
        "N",
        "parents",
        "paper, Algorithm 1",
        *(f"{name}, finite part" for name in FITTERS.values()),
        "as good?",
        "certified, held",
        "certified, as defined",
        "infinite",
        "certified, finite part, weighted",
        "paper, EM",
    )
    return (
        f"Median conditional KL divergence from the truth over {PAPERS_TESTS} tests, in nats:\n\n"
        f"{table(headings, rows)}\n\n"
        "EM comes close to q = 1 without reaching it. So its finite part has large terms that are "
        "infinite, and therefore left out, for the other two."
    )


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


def _scatter(cells: Cells) -> str:
    rows = []
    columns = [cells.measure(f"{name}/newton") for name in VERDICTS]
    for place, (records, parents) in enumerate(cells.stored):
        row = [f"{records:,}", str(parents)]
        for name, ours in zip(VERDICTS, columns, strict=True):
            paper = cells.printed(DEFINITIONS[name][0], "kl")[place]
            if name in {"relative", "kl_finite"}:
                row.append(f"{paper:.2f}")
            row += [interval(ours[place]), verdict(ours[place], paper)]
        row.append(f"{cells.stored[records, parents]['infinite']['newton'] / MANY_TESTS:.0%}")
        rows.append(row)
    headings = (
        *("N", "parents", "paper's relative error", "certified", "as good?"),
        *("paper's KL", "certified, finite part", "as good?", "held", "as good?"),
        *("as defined", "as good?", "infinite"),
    )
    return (
        f"The same with {MANY_TESTS:,} tests of each size, the certified fit against the paper's "
        "Algorithm 1. In parentheses is the range of 95 % of the medians of thirty tests; `no, "
        "within chance` means that the paper's figure is smaller and yet a likely median of thirty "
        f"of our tests:\n\n{table(headings, rows)}"
    )


def _verdicts(few: Cells, many: Cells) -> str:
    rows = [
        [
            f"{LABELS[measure]}: {words}",
            f"{next(iter(cells.stored.values()))['tests']:,}",
            *(str(count) for count in verdict_counts(cells, name)),
        ]
        for name in VERDICTS
        for measure, words in [DEFINITIONS[name]]
        for cells in (few, many)
        if cells.stored
    ]
    headings = ("the certified fit is as good", "tests", "yes", "no, within chance", "no")
    shares = {
        part: max(one[part] / one["tests"] for one in many.stored.values())
        for part in ("zeros", "ones", "undetermined")
    }
    return (
        "Is the certified fit at least as good as the paper's Algorithm 1? Over all sizes:\n\n"
        f"{table(headings, rows)}\n\n"
        "So the answer depends on the treatment of infinite divergences, which the paper does not "
        "state. The certified fit attains the maximum likelihood. With few records that is not the "
        "smallest divergence from the truth, and a fit that stops before a q reaches 0 or 1 may "
        "come closer to it. At worst, "
        f"{shares['zeros']:.0%} of the tests of a size have a fitted q of exactly 0, "
        f"{shares['ones']:.0%} one of exactly 1, and {shares['undetermined']:.1%} a q that the "
        "records do not determine."
    )


def verdict_counts(cells: Cells, name: str) -> tuple[int, int, int]:
    """Return the number of sizes in which the certified fit is as good, worse by chance, worse."""
    printed = cells.printed(DEFINITIONS[name][0], "kl")
    pairs = list(zip(cells.measure(f"{name}/newton"), printed, strict=True))
    good = sum(holds(*pair) for pair in pairs)
    worse = sum(beyond_chance(*pair) for pair in pairs)
    return good, len(pairs) - good - worse, worse


def _definitions(cells: Cells) -> str:
    rows = []
    for name, (measure, words) in DEFINITIONS.items():
        like = likeness(cells.measure(f"{name}/newton"), cells.printed(measure, "kl"))
        rows.append([LABELS[measure], words, *likeness_cells(like)])
    return (
        "Which definitions did the paper use? The medians of the certified fit under each "
        f"definition ({MANY_TESTS:,} tests) are compared with the paper's Algorithm 1 column. "
        "`typical factor` and `worst factor` are between the two medians, over the sizes where the "
        f"paper's figure is at least {LEAST_COMPARED}; `likely` counts the sizes where the paper's "
        "figure lies within 95 % of the medians of thirty tests:\n\n"
        + table(("measure", "definition", "typical factor", "worst factor", "likely"), rows)
    )


def _fitters(cells: Cells) -> str:
    rows = []
    tests = sum(one["tests"] for one in cells.stored.values())
    for name, title in FITTERS.items():
        parts = [one["fitters"][name] for one in cells.stored.values()]
        rows.append(
            [
                title,
                f"{max(part['worst_excess'] for part in parts):.1e}",
                f"{max(part['worst_gap'] for part in parts):.1e}",
                f"{sum(part['converged'] for part in parts):,} of {tests:,}",
                f"{max(part['most_iterations'] for part in parts):,}",
            ]
        )
    em = max(one["fitters"]["em"]["worst_excess"] for one in cells.stored.values())
    headings = ("fitter", "largest excess", "largest proven gap", "converged", "most iterations")
    return (
        f"Do the three reach the same optimum? Over {tests:,} fits each, in nats; the excess is "
        "over the certified fit's cost, and `converged` requires a proven gap within the fitter's "
        f"tolerance as well as its own stopping test:\n\n{table(headings, rows)}\n\n"
        f"Run to convergence, EM is never more than {em:.1e} nats above the certified fit: the "
        "log-likelihood is concave in ln q, so all three have the same optimum. The paper's EM "
        "column is therefore not what EM converges to on these tests."
    )
