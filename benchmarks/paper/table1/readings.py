"""The measures of a cell of Table 1, and readings of what the paper's EM column may show.

Each measure is a name and a figure per test. Names are `measure/of what`; `READINGS` has their
words on the page.
"""

import numpy as np

from benchmarks.paper.table1.cells import Cell, Fits, fitted, plain_em
from benchmarks.paper.table1.measures import (
    Floats,
    absent_chances,
    divergences,
    finite_sum,
    held_within,
    relative_errors,
    total_relative_error,
)
from noisyor.core import LEAKY_NOISY_OR

FITTERS = {"gradient": "Algorithm 1", "em": "EM", "newton": "certified"}
MARGIN = 0.001
FEW_ROUNDS = (1, 10, 100)

READINGS = {
    "end": "EM run to its end",
    "round1": "EM stopped after 1 round, from q = 1/2",
    "round10": "EM stopped after 10 rounds, from q = 1/2",
    "round100": "EM stopped after 100 rounds, from q = 1/2",
    "random0": "random q, not fitted at all",
    "random10": "EM stopped after 10 rounds, from random q",
    "confused": "EM run to its end, its q read as 1 - q",
    "reversed": "EM run to its end, its parents read in reverse order",
    "leak": "EM with a leak",
    "swapped_parents": "EM with a leak, the parents' states swapped",
    "table_truth": "the full table of the records, from the truth: D(table, truth)",
    "table_em": "the full table of the records, from EM's noisy-OR: D(table, EM)",
    "truth_table": "the truth, from the full table of the records: D(truth, table)",
}
"""What the paper's EM column may be, by name; the last three are divergences only."""

Figures = dict[str, Floats]


def recovery(truth: Floats, fits: Fits) -> Figures:
    """Return how well a fit recovers the truth, by every reading of the paper's two measures."""
    errors = relative_errors(fits.q, truth)
    true, ours = absent_chances(truth), absent_chances(fits.q)
    terms = divergences(true, ours)
    return {
        "relative": errors.mean(axis=1),
        "relative_middle": np.median(errors, axis=1),
        "relative_total": total_relative_error(fits.q, truth),
        "kl": terms.sum(axis=1),
        "kl_finite": finite_sum(terms),
        "kl_held": divergences(true, held_within(ours, MARGIN)).sum(axis=1),
    }


def em_readings(cell: Cell, to_the_end: Fits) -> Figures:
    """Return what the paper's EM column may be, as `relative/reading` and `kl_finite/reading`."""
    q = to_the_end.q
    half = np.full(q.shape, 0.5)
    anywhere = np.random.default_rng([cell.parents, len(q)]).uniform(0.01, 0.99, q.shape)
    few = {f"round{rounds}": plain_em(cell, half, rounds) for rounds in FEW_ROUNDS}
    figures: Figures = {}
    for name, read in {
        "end": q,
        **few,
        "random0": anywhere,
        "random10": plain_em(cell, anywhere, 10),
        "confused": 1 - q,
        "reversed": q[:, ::-1],
    }.items():
        figures |= _compared(cell, name, read, absent_chances(read))
    every_parent = 2**cell.parents - 1
    for name, swapped in {"leak": 0, "swapped_parents": every_parent}.items():
        fits = fitted(cell.datasets(swapped), "em", LEAKY_NOISY_OR)
        in_our_states = np.arange(2**cell.parents) ^ swapped
        absent = absent_chances(fits.q, fits.leak_q)[:, in_our_states]
        figures |= _compared(cell, name, fits.q, absent)
    return figures | _table_divergences(cell, q)


def _compared(cell: Cell, name: str, q: Floats, absent: Floats) -> Figures:
    return {
        f"relative/{name}": relative_errors(q, cell.truth).mean(axis=1),
        f"kl_finite/{name}": finite_sum(divergences(absent_chances(cell.truth), absent)),
    }


def _table_divergences(cell: Cell, q: Floats) -> Figures:
    """Return divergences that involve the relative frequencies of the records.

    A configuration that no record has is left out: it has no frequency.
    """
    absent, present = cell.by_configuration()
    records = absent + present
    seen = records > 0
    true, ours = absent_chances(cell.truth), absent_chances(q)
    table = np.divide(absent, records, out=true.copy(), where=seen)  # what is unseen adds nothing
    fitted_where_seen = np.where(seen, ours, true)
    return {
        "kl_finite/table_truth": finite_sum(divergences(table, true)),
        "kl_finite/table_em": finite_sum(divergences(table, fitted_where_seen)),
        "kl_finite/truth_table": finite_sum(divergences(true, table)),
    }
