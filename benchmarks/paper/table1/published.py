"""What the scripts published with the paper measured for its Table 1, emulated.

- Algorithm 1 runs from five starts, all q's 0.1, 0.3, 0.5, 0.7 or 0.9. The result that is kept is
  the one closest to the truth by its relative error, not the one with the greatest likelihood.
- The divergence is D(fitted || truth), summed over the parents' configurations that some record
  has. A chance of exactly 0 or 1 is replaced by 0.00001 or 0.99999 in both.
- The records for EM are written by a script that moves the value at position y of a record to its
  end, y being the state of the child, which comes first. That is right where the child is absent.
  Where it is present, the first parent is moved, and the child is taken for the first parent.
- The q's of EM are converted to a network by a script that expects another format. It finds no
  noisy-OR in the file and writes the full table of the records instead.
"""

import numpy as np

from benchmarks.paper.table1.cells import Cell, Fits, fitted
from benchmarks.paper.table1.measures import Floats, absent_chances, divergences, relative_errors
from benchmarks.paper.table2.emulation.descent import Observed, descend

STARTS = (0.1, 0.3, 0.5, 0.7, 0.9)
REPLACED = 0.00001

Figures = dict[str, Floats]


def published_figures(cell: Cell, fits: dict[str, Fits]) -> Figures:
    """Return the figures of the emulation, and the fits by the published divergence."""
    descended = closest_descent(cell)
    figures = {
        "relative/descended": relative_errors(descended, cell.truth).mean(axis=1),
        "kl_published/descended": divergence(cell, absent_chances(descended)),
        "relative/misread": misread_errors(cell),
        "kl_published/table": divergence(cell, table_of(cell)),
    }
    return figures | {
        f"kl_published/{name}": divergence(cell, absent_chances(one.q))
        for name, one in fits.items()
    }


def divergence(cell: Cell, fitted_absent: Floats) -> Floats:
    """Return the published divergence of each test, given the fitted chances of an absent child."""
    absent, present = cell.by_configuration()
    terms = divergences(_replaced(fitted_absent), _replaced(absent_chances(cell.truth)))
    total: Floats = np.where(absent + present > 0, terms, 0).sum(axis=1)
    return total


def _replaced(chances: Floats) -> Floats:
    return np.where(chances <= 0, REPLACED, np.where(chances >= 1, 1 - REPLACED, chances))


def closest_descent(cell: Cell) -> Floats:
    """Return the q's of the descent whose relative error is the smallest of all starts."""
    observed = Observed(*cell.by_configuration())
    found = np.stack([descend(observed, np.full(cell.truth.shape, start)) for start in STARTS])
    errors = np.stack([relative_errors(q, cell.truth).mean(axis=1) for q in found])
    closest: Floats = found[errors.argmin(axis=0), np.arange(len(cell.truth))]
    return closest


def misread_errors(cell: Cell) -> Floats:
    """Return the relative errors of the best noisy-OR for the records as EM was given them."""
    fits = fitted(misread(cell).datasets(), "newton")
    errors: Floats = relative_errors(fits.q, cell.truth).mean(axis=1)
    return errors


def misread(cell: Cell) -> Cell:
    """Return the records that were written for EM.

    Where the child is present, it stands in the place of the first parent, which stands in its.
    """
    k = cell.parents
    kinds = np.arange(cell.counts.shape[1])
    configurations = kinds & 2**k - 1
    moved = configurations | 1 | (configurations & 1) << k
    counts = np.zeros_like(cell.counts)
    np.add.at(counts.T, np.where(kinds >> k, moved, kinds), cell.counts.T)
    return Cell(cell.truth, counts)


def table_of(cell: Cell) -> Floats:
    """Return the share of records with the child absent; what has no record does not count."""
    absent, present = cell.by_configuration()
    return absent / np.maximum(absent + present, 1)
