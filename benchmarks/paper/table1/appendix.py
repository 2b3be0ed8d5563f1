"""The appendix of the page on Table 1: other readings of its measures."""

from benchmarks.harness.markdown import table
from benchmarks.paper.table1.measures import likeness
from benchmarks.paper.table1.stored import MANY_TESTS, Cells, likeness_cells
from benchmarks.paper.table1.verdicts import DEFINITIONS, LABELS, verdict_counts

INTRODUCTION = """\
### Appendix: other readings of the measures

The paper names its two measures without defining them for this experiment; the definitions above
are those of its scripts. Other readings, each with the medians of the certified fit
({tests:,} tests) against the paper's Algorithm 1 column; `as good` counts the sizes where the
certified fit is at least as good, worse by chance, and worse:"""


def appendix(cells: Cells) -> str:
    """Return how well each definition matches the paper's column, and how the fit stands by it."""
    rows = []
    for name, (measure, words) in DEFINITIONS.items():
        like = likeness(cells.measure(f"{name}/newton"), cells.printed(measure, "kl"))
        standing = ", ".join(map(str, verdict_counts(cells, name)))
        rows.append([LABELS[measure], words, *likeness_cells(like), standing])
    headings = ("measure", "definition", "typical factor", "worst factor", "likely", "as good")
    shares = {
        part: max(one[part] / one["tests"] for one in cells.stored.values())
        for part in ("zeros", "ones", "undetermined")
    }
    infinite = max(one["infinite"]["newton"] / one["tests"] for one in cells.stored.values())
    limits = (
        "D(truth, fitted) is infinite where a fit rules out what the truth allows, in up to "
        f"{infinite:.0%} of the tests of a size: the maximum-likelihood noisy-OR may have a q "
        f"of exactly 0 (up to {shares['zeros']:.0%} of the tests) or of exactly 1 (up to "
        f"{shares['ones']:.0%}). In up to {shares['undetermined']:.1%} the records do not "
        "determine some q: its parent occurs only together with one whose fitted q is 0. "
        "Such a q counts as 0."
    )
    return "\n\n".join(
        [INTRODUCTION.format(tests=MANY_TESTS), table(headings, rows, left=2), limits]
    )
