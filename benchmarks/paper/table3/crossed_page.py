"""What the paper's script explains of its table 3: the paper, crossed states, exact."""

from collections.abc import Mapping
from statistics import median

from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table3.cells import COLUMNS, PAPER, SIZES, cell
from benchmarks.paper.table3.crossed import REPEATS, truth_key
from noisyor.inference.trials import TRIALS

INTRODUCTION = """\
### Crossed states

The script that computed the paper's errors (in the repository that the paper names) reads the
chances of a variable's two states from a file of each network. For the two networks with noisy-ORs,
the best and the worst, it takes the second state for the first and the first for the second; for
the truth and the network of full tables it does not. The true networks list state 1 first, sachs
state 0; the learned ones are written with state 0 first. So crossing may be right or wrong, and
nothing checks which. `crossed` are our samples asked in this way: the learned chance of a state
against the true chance of the other one, and a true chance of 0 taken as 1. `exact` are the medians
of the table above."""


def crossed_section(results: Mapping[str, Results], crossed: Mapping[str, Results]) -> str:
    """Return the paper's figures beside crossed and exact ones; nothing without results."""
    cells = [
        (name, size) for name in REPEATS for size in SIZES if errors_of(crossed, name, size, "best")
    ]
    if not cells:
        return ""
    headings = ["network", "N", "samples"]
    for title in COLUMNS.values():
        headings += [f"{title}: paper", "crossed", "exact"]
    rows = []
    for name, size in cells:
        row = [name, f"{size:,}", str(len(errors_of(crossed, name, size, "best")))]
        for column in COLUMNS:
            row += [_text(one) for one in _three(results, crossed, name, size, column)]
        rows.append(row)
    return "\n\n".join([INTRODUCTION, table(headings, rows), _findings(results, crossed, cells)])


def errors_of(crossed: Mapping[str, Results], network: str, size: int, column: str) -> list[float]:
    """Return the crossed errors of the samples that have one."""
    start = f"{network}/{size}/"
    found = [one.get(column) for key, one in crossed.items() if key.startswith(start)]
    return [error for error in found if error is not None]


def _three(
    results: Mapping[str, Results],
    crossed: Mapping[str, Results],
    name: str,
    size: int,
    column: str,
) -> tuple[float | None, float | None, float | None]:
    """Return the paper's figure and the medians of the crossed and of the exact errors."""
    errors, exact = errors_of(crossed, name, size, column), cell(results, name, size, column)
    return (
        PAPER[name, size, column],
        median(errors) if errors else None,
        exact.quantile(0.5) if exact is not None and exact.errors else None,
    )


def _text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _findings(
    results: Mapping[str, Results],
    crossed: Mapping[str, Results],
    cells: list[tuple[str, int]],
) -> str:
    """Return what crossing explains, counted, and what remains supposed."""
    truths = {
        name: found["truth"]
        for name in dict.fromkeys(network for network, _, _ in PAPER)
        if (found := crossed.get(truth_key(name))) is not None
    }
    told = listed(f"{error:.2f} ({name})" for name, error in truths.items())
    shown = (
        f"**Shown**: the truth against *itself*, crossed, has a median error of {told}, over "
        f"{TRIALS:,} trials. So a crossed error says how uneven the chances of the two states are, "
        "and nothing about the network."
    )
    supposed = (
        "**Supposed**: which of the paper's figures were crossed wrongly. The script treats its "
        "best and worst networks alike, and the samples behind the table are not in the repository."
    )
    counts = [
        f"- {COLUMNS[column]}: {_near(results, crossed, cells, column)}" for column in COLUMNS
    ]
    question = "Are the paper's figures closer to the crossed or to the exact ones?"
    return "\n\n".join([shown, question, "\n".join(counts), supposed])


def _near(
    results: Mapping[str, Results],
    crossed: Mapping[str, Results],
    cells: list[tuple[str, int]],
    column: str,
) -> str:
    three = [(name, *_three(results, crossed, name, size, column)) for name, size in cells]
    known = [
        (name, abs(paper - one) < abs(paper - other))
        for name, paper, one, other in three
        if paper is not None and one is not None and other is not None
    ]
    near = [name for name, is_near in known if is_near]
    where = f" ({listed(dict.fromkeys(near))})" if near else ""
    return f"{len(near)} of {len(known)} to the crossed ones{where}"
