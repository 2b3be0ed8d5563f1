"""The full table: maximum likelihood and marginal likelihood in closed form."""

from math import isfinite, lgamma, log

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Dataset, Family
from noisyor.core.configurations import (
    MAX_CONFIGURATIONS,
    configuration_count,
    configuration_index,
)
from noisyor.core.dirichlet import Dirichlet
from noisyor.core.errors import SettingsError, TableSizeError
from noisyor.core.variable import BINARY
from noisyor.fitting.likelihood_fit import LikelihoodFit

Counts = npt.NDArray[np.float64]


def fit_cpt(data: Dataset, family: Family, prior: float = 0.0) -> LikelihoodFit:
    """Fit a full table: -ln L = -sum n_jk ln(theta_jk), theta_jk the relative frequencies.

    They maximise the likelihood, so there is no gap. A `prior` above 0 adds that many records of
    each state to each configuration, which gives the mean of the posterior under a Dirichlet prior
    with these parameters. The likelihood is then below its maximum by the gap. A configuration that
    no record has gets the uniform distribution, and is marked as unseen.
    """
    if not (isfinite(prior) and prior >= 0):
        raise SettingsError(f"the prior is {prior}; it must be a number of at least 0")
    counts, sizes = counts_of(data, family)
    states = counts.shape[1]
    records = counts.sum(axis=1, keepdims=True)
    seen = records[:, 0] > 0
    chances = np.full(counts.shape, 1 / states)
    np.divide(counts + prior, records + states * prior, out=chances, where=seen[:, None])
    if states == BINARY:  # files store only the chance of presence
        chances[:, 0] = 1 - chances[:, 1]
    least = sum(_surprise(counts[:, state], records[:, 0]) for state in range(states))
    upper = least if not prior else max(least, _deviance(counts, prior))
    return LikelihoodFit(Cpt(chances, ~seen, sizes), upper, least)


def fit_marginal(
    data: Dataset, family: Family, rows: Dirichlet, prior: float = 0.0
) -> LikelihoodFit:
    """Return a full table by its marginal likelihood, with the means of the posterior.

    Both bounds are minus the logarithm of the marginal likelihood: the sum over the rows that some
    record has of ln (r a)_N - sum of ln (a)_n, a being the pseudo-count and (x)_n = x (x + 1) ...
    (x + n - 1). The table has the chances (n + a) / (N + r a), with which the score predicts the
    next record; a `prior` above 0 takes the place of a.
    """
    counts, _ = counts_of(data, family)
    states = counts.shape[1]
    seen = counts[counts.sum(axis=1) > 0]
    own = rows.pseudo_count(states, len(counts), len(seen))
    cost = float((_log_rising(states * own, seen.sum(axis=1))).sum())
    cost -= float(_log_rising(own, seen).sum())
    return LikelihoodFit(fit_cpt(data, family, prior or own).distribution, cost, cost)


def _log_rising(start: float, counts: Counts) -> Counts:
    """Return ln x (x + 1) ... (x + n - 1) for each count n."""
    different, place = np.unique(counts, return_inverse=True)
    logs = [
        log(start) + lgamma(start + count) - lgamma(start + 1) if count else 0.0
        for count in different.tolist()
    ]
    return np.array(logs)[place.reshape(counts.shape)]


def counts_of(data: Dataset, family: Family) -> tuple[Counts, tuple[int, ...]]:
    """Return the records of each state by configuration, and the parents' numbers of states."""
    parents = family.parent_indices()
    sizes = tuple(data.variables[parent].state_count for parent in parents)
    size = configuration_count(sizes)
    if size > MAX_CONFIGURATIONS:
        raise TableSizeError(
            f"a full table for {data.names[family.child]!r} with {family.parent_count} parents "
            f"would have {size} rows; at most {MAX_CONFIGURATIONS} are supported"
        )
    columns = [data.column(parent) for parent in parents]
    index = configuration_index(columns, sizes, len(data.weights))
    states = data.variables[family.child].state_count
    cell = index * states + data.column(family.child)
    flat = np.bincount(cell, weights=data.weights, minlength=size * states)
    return flat.astype(np.float64).reshape(size, states), sizes


def _deviance(counts: Counts, prior: float) -> float:
    """Return -sum n ln(theta), theta being the frequencies with the prior's records added."""
    states = counts.shape[1]
    total = counts.sum(axis=1) + states * prior
    return float(
        sum((counts[:, s] * np.log(total / (counts[:, s] + prior))).sum() for s in range(states))
    )


def _surprise(count: Counts, records: Counts) -> float:
    """Return the sum of n ln(N / n), accurate also for n close to N."""
    seen = count > 0
    others = records[seen] - count[seen]
    return float((count[seen] * np.log1p(others / count[seen])).sum())
