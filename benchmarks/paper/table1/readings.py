"""The measures of a fit in a cell of Table 1, by every reading of the paper's two measures."""

import numpy as np

from benchmarks.paper.table1.cells import Fits
from benchmarks.paper.table1.measures import (
    Floats,
    absent_chances,
    divergences,
    finite_sum,
    held_within,
    relative_errors,
    total_relative_error,
)

FITTERS = {"gradient": "Algorithm 1", "em": "EM", "newton": "certified"}
MARGIN = 0.001


def recovery(truth: Floats, fits: Fits) -> dict[str, Floats]:
    """Return how well a fit recovers the truth: by name, a figure per test."""
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
