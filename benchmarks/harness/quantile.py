"""Quantiles of numbers that may be infinite."""

from collections.abc import Sequence
from math import floor, isinf

import numpy as np
import numpy.typing as npt


def quantile(ordered: Sequence[float] | npt.NDArray[np.float64], share: float) -> float:
    """Return a quantile of sorted numbers, interpolated linearly.

    Between a finite number and an infinite one, every point is infinite.
    """
    place = share * (len(ordered) - 1)
    below = floor(place)
    part, low = place - below, float(ordered[below])
    if part == 0:
        return low
    high = float(ordered[below + 1])
    return high if isinf(high) else low + part * (high - low)
