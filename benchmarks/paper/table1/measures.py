"""The distance of a fitted noisy-OR from the true one, and summaries over many tests.

The paper prints a median relative error and a median conditional KL divergence, and defines neither
for this experiment. Its scripts do (see `published`); other definitions are here.
"""

from math import inf, isfinite, log

import numpy as np
import numpy.typing as npt

from benchmarks.harness.measuring import Results
from benchmarks.harness.quantile import quantile

Floats = npt.NDArray[np.float64]

PAPERS_TESTS = 30
"""The number of tests of each size in the paper."""

RESAMPLES = 2000
LEAST_COMPARED = 0.05
"""A smaller figure has too few printed digits for a meaningful factor."""

HALF_DIGIT = 0.005
"""The paper prints two decimals."""


def absent_chances(q: Floats) -> Floats:
    """Return the chance of an absent child per configuration, shape (tests, 2**k) for (tests, k).

    Bit t of a configuration is the t-th parent, as in noisyor.core.Cpt.
    """
    absent = np.ones((len(q), 1))
    for column in q.T:
        absent = np.concatenate([absent, absent * column[:, np.newaxis]], axis=1)
    return absent


def relative_errors(fitted: Floats, truth: Floats) -> Floats:
    """Return |fitted q - q| / q per test and parent; no true q is 0."""
    errors: Floats = np.abs(fitted - truth) / truth
    return errors


def total_relative_error(fitted: Floats, truth: Floats) -> Floats:
    """Return per test the sum of the absolute errors over the sum of the true q's."""
    error: Floats = np.abs(fitted - truth).sum(axis=1) / truth.sum(axis=1)
    return error


def divergences(one: Floats, other: Floats) -> Floats:
    """Return D(one || other) in nats of each configuration, given the chances of an absent child.

    A state that `one` rules out adds nothing; a state that only `other` rules out makes the
    divergence infinite.
    """
    return _state_terms(one, other) + _state_terms(1 - one, 1 - other)


def _state_terms(one: Floats, other: Floats) -> Floats:
    terms = np.zeros(one.shape)
    possible = one > 0
    terms[possible & (other == 0)] = inf
    both = possible & (other > 0)
    terms[both] = one[both] * np.log(one[both] / other[both])
    return terms


def finite_sum(terms: Floats) -> Floats:
    """Return the sum over the configurations whose divergence is finite."""
    total: Floats = np.where(np.isfinite(terms), terms, 0).sum(axis=1)
    return total


def held_within(chances: Floats, margin: float) -> Floats:
    """Return chances clipped to stay away from 0 and 1 by the margin.

    The configuration without a cause is not clipped: all noisy-ORs without a leak agree on it.
    """
    held: Floats = np.clip(chances, margin, 1 - margin)
    held[:, 0] = chances[:, 0]
    return held


def summary(values: Floats, seed: int) -> Results:
    """Return the median of one figure over the tests, its quartiles, and how medians scatter.

    `low` and `high` enclose 95 % of the medians of thirty tests drawn from these with replacement.
    For thirty tests as in the paper, this is the bootstrap interval of their median. For many more,
    it says which medians another thirty tests would give. An infinite figure is None, since JSON
    has no infinity.
    """
    ordered = np.sort(values)
    drawn = np.random.default_rng(seed).choice(values, (RESAMPLES, PAPERS_TESTS))
    medians = np.sort(np.median(drawn, axis=1))
    figures = {
        "median": quantile(ordered, 0.5),
        "lower_quartile": quantile(ordered, 0.25),
        "upper_quartile": quantile(ordered, 0.75),
        "low": quantile(medians, 0.025),
        "high": quantile(medians, 0.975),
    }
    return {
        name: float(f"{value:.5g}") if isfinite(value) else None for name, value in figures.items()
    }


def number(stored: float | None) -> float:
    """Return a figure as it was before it was stored."""
    return inf if stored is None else stored


def covers(one: Results, printed: float) -> bool:
    """Return whether a printed median is plausible for thirty of these tests."""
    return number(one["low"]) <= printed + HALF_DIGIT and printed - HALF_DIGIT <= number(
        one["high"]
    )


def likeness(ours: list[Results], printed: list[float]) -> Results:
    """Return how well our medians match a printed column.

    `factor` is the typical factor between the two (the exponential of the mean absolute log ratio)
    and `worst` the largest, over the figures that are large enough; None if there are none.
    `covered` counts all figures.
    """
    ratios = [
        abs(log(number(one["median"]) / figure)) if number(one["median"]) > 0 else inf
        for one, figure in zip(ours, printed, strict=True)
        if figure >= LEAST_COMPARED
    ]
    return {
        "factor": float(np.exp(np.mean(ratios))) if ratios else None,
        "worst": float(np.exp(max(ratios))) if ratios else None,
        "compared": len(ratios),
        "covered": sum(covers(one, figure) for one, figure in zip(ours, printed, strict=True)),
        "cells": len(printed),
    }
