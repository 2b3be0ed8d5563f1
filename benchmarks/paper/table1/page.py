"""The section of the results page on the recovery of noisy-ORs, written from stored results."""

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.paper.table1.appendix import appendix
from benchmarks.paper.table1.figure import FIGURE
from benchmarks.paper.table1.measures import LEAST_COMPARED, PAPERS_TESTS, likeness
from benchmarks.paper.table1.readings import FITTERS
from benchmarks.paper.table1.stored import (
    EMULATED,
    MANY_TESTS,
    OUR_NAMES,
    Cells,
    cells_of,
    interval,
    likeness_cells,
    text,
)
from benchmarks.paper.table1.verdicts import LABELS, verdict, verdict_counts

CAPTION = (
    f"*Lines are medians of {MANY_TESTS:,} tests, bands hold 95 % of the medians of "
    f"{PAPERS_TESTS} tests, marks are the paper's figures. Blue: the certified fit. Orange: the "
    "emulation of what the paper's scripts measured for EM.*"
)
TITLE = "## Table 1: recovery of noisy-OR parameters"
HOW = """\
Made by `make table1`. A test is a noisy-OR of 2 to 7 parents, which are present with a chance of
0.5 each, and records drawn from it. Each true q is drawn uniformly from 0.01, 0.02, ..., 0.99.
There is no leak: without a present parent the child is absent, in the truth and in every fit. The
three numbers of records share the true q's; their records are drawn independently of each other.

The measures are those of the scripts published with the paper:

- **relative error** of a test: the mean over its parents of abs(fitted q - q) / q;
- **conditional KL divergence** of a test: the sum of D(fitted chances || true chances), in nats,
  over the parent configurations that some record has, each counting 1. A chance of exactly 0 or 1
  counts as 0.00001 or 0.99999, so no divergence is infinite.

`certified` is the maximum-likelihood fit (fitter `newton`). `emulation` is what the paper's scripts
do, by a program of our own written from reading them (`benchmarks/paper/table1/published.py`). All
get the same records. Figures are medians of {tests:,} tests; in parentheses is the range of 95 % of
the medians of thirty tests, the paper's number."""
ALGORITHM = """\
### Algorithm 1

The emulation runs the published descent (see [table 2](table2.md)) from five starts, all q's 0.1,
0.3, 0.5, 0.7 or 0.9, and keeps the result that is closest **to the truth**, as the script does.
`as good?` asks whether the certified fit, which does not know the truth, is at least as good as the
paper's figure; `no, within chance` means that the paper's figure is smaller and yet a likely median
of thirty of our tests."""
EXPECTATION = """\
### EM

EM, run to its end, attains the same maximum as the certified fit (see below), so the paper's EM
columns are not what EM finds. Two faults in the scripts explain them:

- **relative error**: the script that writes EM's input moves the value at position y of each record
  to the end, y being the state of the child, which comes first. Where the child is absent, that
  moves the child. Where it is present, it moves the first parent, and EM takes the child for the
  first parent and the first parent for the child. `emulation` is the best noisy-OR for these
  records.
- **divergence**: EM's q's are written in one format and converted to a network by a script that
  expects another. It finds no noisy-OR in the file and falls back on the full table of the records.
  `emulation` is the divergence of that table from the truth: EM has no part in it."""


def section(results: Results, images: str = IMAGES) -> str:
    """Return the section as Markdown, its figure being in the folder `images`."""
    few, many = cells_of(results, PAPERS_TESTS), cells_of(results, MANY_TESTS)
    parts = [TITLE, HOW.format(tests=MANY_TESTS)]
    if many.stored:
        parts += [
            ALGORITHM,
            _algorithm_table(many),
            _standing(few, many),
            EXPECTATION,
            _em_table(many),
            _explained(many),
            f"![Recovery of noisy-ORs, the paper's figures and ours]({images}/{FIGURE})",
            CAPTION,
            _fitters(many),
            appendix(many),
        ]
    return "\n\n".join(parts) + "\n"


def _algorithm_table(cells: Cells) -> str:
    columns = [
        (
            cells.printed(measure, "kl"),
            cells.measure(f"{ours}/{EMULATED[measure, 'kl']}"),
            cells.measure(f"{ours}/newton"),
        )
        for measure, ours in OUR_NAMES.items()
    ]
    rows = []
    for place, (records, parents) in enumerate(cells.stored):
        row = [f"{records:,}", str(parents)]
        for printed, emulated, certified in columns:
            row += [
                f"{printed[place]:.2f}",
                text(emulated[place]["median"]),
                interval(certified[place]),
                verdict(certified[place], printed[place]),
            ]
        rows.append(row)
    headings = ["N", "parents"]
    for label in LABELS.values():
        headings += [f"{label}: paper", "emulation", "certified", "as good?"]
    return table(headings, rows)


def _standing(few: Cells, many: Cells) -> str:
    """Return in how many sizes the certified fit is as good as the paper's figures."""
    texts = []
    for measure, name in OUR_NAMES.items():
        for cells, tests in ((many, MANY_TESTS), (few, PAPERS_TESTS)):
            if cells.stored:
                good, chance, worse = verdict_counts(cells, name)
                texts.append(
                    f"{LABELS[measure]}, {tests:,} tests: as good in {good} of "
                    f"{len(cells.stored)} sizes, worse within chance in {chance}, worse in {worse}"
                )
    return "The certified fit against the paper's Algorithm 1 column:\n\n" + "\n".join(
        f"- {one}" for one in texts
    )


def _em_table(cells: Cells) -> str:
    rows = []
    for place, (records, parents) in enumerate(cells.stored):
        row = [f"{records:,}", str(parents)]
        for measure, ours in OUR_NAMES.items():
            row += [
                f"{cells.printed(measure, 'em')[place]:.2f}",
                interval(cells.measure(f"{ours}/{EMULATED[measure, 'em']}")[place]),
                text(cells.measure(f"{ours}/em")[place]["median"]),
            ]
        rows.append(row)
    headings = ["N", "parents"]
    for label in LABELS.values():
        headings += [f"{label}: paper, EM", "emulation", "EM, run right"]
    return table(headings, rows)


def _explained(cells: Cells) -> str:
    """Return how well the emulation, and the right results, match the paper's four columns."""
    rows = []
    for (measure, column), emulated in EMULATED.items():
        right = "newton" if column == "kl" else "em"
        words = f"{LABELS[measure]}, {'Algorithm 1' if column == 'kl' else 'EM'}"
        likes = [
            likeness(cells.measure(f"{OUR_NAMES[measure]}/{name}"), cells.printed(measure, column))
            for name in (emulated, right)
        ]
        rows.append([words, *(cell for like in likes for cell in likeness_cells(like))])
    headings = ["the paper's column"]
    for what in ("emulation", "right"):
        headings += [f"{what}: typical factor", "worst factor", "likely"]
    return (
        "**Shown**: how well the emulation matches the paper's four columns, beside the right "
        "results. `typical factor` and `worst factor` are between the two medians, over the sizes "
        f"where the paper's figure is at least {LEAST_COMPARED}; `likely` counts the sizes where "
        "the paper's figure lies within 95 % of the medians of thirty tests:\n\n"
        f"{table(headings, rows)}\n\n"
        "**Supposed**: that the scripts in the repository are those that made the table. The "
        "converter that they call is there in an older version only, and EM itself, a program of "
        "another author, is not there."
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
        "### The three fitters reach the same optimum\n\n"
        "Algorithm 1 as the paper describes it (fitter `gradient`), EM (Vomlel, 2006; `em`) and "
        f"the certified fit (`newton`), over {tests:,} fits each, in nats. The excess is over the "
        "certified fit's cost, and `converged` requires a proven gap within the fitter's "
        f"tolerance as well as its own stopping test:\n\n{table(headings, rows)}\n\n"
        f"Run to convergence, EM is never more than {em:.1e} nats above the certified fit: the "
        "log-likelihood is concave in ln q, so all three have the same optimum."
    )
