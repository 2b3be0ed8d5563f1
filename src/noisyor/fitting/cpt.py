"""The full table: maximum likelihood in closed form."""

import numpy as np
import numpy.typing as npt

from noisyor.core import BinaryDataset, Cpt, Family, FitCertificate
from noisyor.core.errors import TableSizeError
from noisyor.fitting.fitted_family import FittedFamily

MAX_TABLE_PARENTS = 20
"""A table has 2**k entries; beyond this no data could fill it, and memory ends soon."""

_UNSEEN = 0.5  # no record speaks for either state


def fit_cpt(data: BinaryDataset, family: Family) -> FittedFamily:
    """Fit a full table; its cost is -sum n_jk ln(n_jk / n_j) + 2^|P| ln(N)/2.

    The relative frequencies maximise the likelihood, so the certificate has no gap.
    """
    if family.parent_count > MAX_TABLE_PARENTS:
        raise TableSizeError(
            f"a full table for {data.names[family.child]!r} with {family.parent_count} parents "
            f"would have 2**{family.parent_count} entries; at most {MAX_TABLE_PARENTS} parents "
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
    np.divide(counts[1], records, out=present, where=seen)
    deviance = _surprise(counts[0], counts[1]) + _surprise(counts[1], counts[0])
    cost = deviance + family.relation.penalty(family.parent_count, data.record_count)
    return FittedFamily(
        family, Cpt(present, ~seen), FitCertificate(cost, cost), converged=True, iterations=0
    )


def _surprise(count: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """Return the sum of n ln((n + m) / n), precise also where m is much smaller than n."""
    seen = count > 0
    return float((count[seen] * np.log1p(other[seen] / count[seen])).sum())
