"""How likely a child's states are in each of many records."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution

Floats = npt.NDArray[np.float64]
Columns = Sequence[npt.NDArray[np.bool_]]


def present_chances(distribution: Distribution, parents: Columns, records: int) -> Floats:
    """Return the child's chance of presence in each record, from its parents' columns."""
    if isinstance(distribution, Cpt):
        return distribution.present[_configurations(parents, records)]
    absent = np.full(records, 1.0 if distribution.leak_q is None else distribution.leak_q)
    for q, column in zip(distribution.q, parents, strict=True):
        absent[column] *= q
    return 1 - absent


def log_chances(
    distribution: Distribution, parents: Columns, records: int
) -> tuple[Floats, Floats]:
    """Return the logarithms of the chances of absence and presence in each record.

    Of a noisy-OR the first is a sum. One minus the chance of presence would be 0, and a record
    impossible that is merely unlikely, as soon as some strong causes are present together.
    """
    with np.errstate(divide="ignore"):  # the logarithm of zero is what it should be
        if isinstance(distribution, Cpt):
            index = _configurations(parents, records)
            return np.log1p(-distribution.present)[index], np.log(distribution.present)[index]
        leak_q = 1.0 if distribution.leak_q is None else distribution.leak_q
        absent = np.full(records, np.log(leak_q))
        for log_q, column in zip(np.log(distribution.q), parents, strict=True):
            absent[column] += log_q
        return absent, np.log(-np.expm1(absent))


def _configurations(parents: Columns, records: int) -> npt.NDArray[np.intp]:
    """Return the place of each record's configuration in a full table."""
    index = np.zeros(records, dtype=np.intp)
    for position, column in enumerate(parents):
        index |= column.astype(np.intp) << position
    return index
