"""The full table: maximum likelihood in closed form."""

from math import isfinite

import numpy as np
import numpy.typing as npt

from noisyor.core import BinaryDataset, Cpt, Family, FitCertificate
from noisyor.core.errors import SettingsError, TableSizeError
from noisyor.core.network import MAX_EXPANDED_PARENTS
from noisyor.fitting.fitted_family import FittedFamily

_UNSEEN = 0.5  # no record speaks for either state


def fit_cpt(data: BinaryDataset, family: Family, prior: float = 0.0) -> FittedFamily:
    """Fit a full table; its cost is -sum n_jk ln(theta_jk) + 2^|P| ln(N)/2.

    The relative frequencies maximise the likelihood, so the certificate has no gap. A `prior`
    above 0 adds so many records of each state to each configuration: the mean of the posterior
    under a Dirichlet prior with these parameters. The likelihood is then a little below its
    maximum, and the certificate's gap says how much.
    """
    if not (isfinite(prior) and prior >= 0):
        raise SettingsError(f"the prior is {prior}; it must be a number of at least 0")
    if family.parent_count > MAX_EXPANDED_PARENTS:
        raise TableSizeError(
            f"a full table for {data.names[family.child]!r} with {family.parent_count} parents "
            f"would have 2**{family.parent_count} entries; at most {MAX_EXPANDED_PARENTS} parents "
            "are supported"
        )
    size = 2**family.parent_count
    index = np.zeros(len(data.weights), dtype=np.int64)
    for position, parent in enumerate(family.parent_indices()):
        index |= data.column(parent).astype(np.int64) << position
    child = data.column(family.child)
    counts = [
        np.bincount(index[state], weights=data.weights[state], minlength=size).astype(np.float64)
        for state in (~child, child)
    ]
    records = counts[0] + counts[1]
    seen = records > 0
    present = np.full(size, _UNSEEN)
    np.divide(counts[1] + prior, records + 2 * prior, out=present, where=seen)
    penalty = family.relation.penalty(family.parent_count, data.record_count)
    least = _surprise(counts[0], counts[1]) + _surprise(counts[1], counts[0])
    most = least if not prior else max(least, _deviance(counts, prior))
    certificate = FitCertificate(most + penalty, least + penalty)
    return FittedFamily(family, Cpt(present, ~seen), certificate, converged=True, iterations=0)


def _deviance(counts: list[npt.NDArray[np.float64]], prior: float) -> float:
    """Return -sum n ln(theta), theta being the frequencies with the prior's records added."""
    total = counts[0] + counts[1] + 2 * prior
    return float(sum((count * np.log(total / (count + prior))).sum() for count in counts))


def _surprise(count: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Return the sum of n ln((n + m) / n), precise also where m is much smaller than n."""
    seen = count > 0
    return float((count[seen] * np.log1p(other[seen] / count[seen])).sum())
