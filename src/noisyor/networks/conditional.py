"""The chance of presence in each of many records."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution


def present_chances(
    distribution: Distribution, parents: Sequence[npt.NDArray[np.bool_]], records: int
) -> npt.NDArray[np.float64]:
    """Return the child's chance of presence in each record, from its parents' columns."""
    if isinstance(distribution, Cpt):
        index = np.zeros(records, dtype=np.intp)
        for position, column in enumerate(parents):
            index |= column.astype(np.intp) << position
        return distribution.present[index]
    absent = np.full(records, 1.0 if distribution.leak_q is None else distribution.leak_q)
    for q, column in zip(distribution.q, parents, strict=True):
        absent[column] *= q
    return 1 - absent
