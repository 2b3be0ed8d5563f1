"""Arrays inside frozen types: of one dtype, contiguous, and read-only."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Scalar = TypeVar("Scalar", bound=np.generic)


def read_only(values: npt.ArrayLike, dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    """Return the values as a contiguous, read-only array.

    An array that is already read-only and of this dtype is shared; any other is copied, so that
    its former owner cannot change a frozen value from outside.
    """
    array = np.asarray(values)
    if array.dtype == dtype and array.flags.c_contiguous and not _writeable(array):
        return array
    array = np.array(array, dtype=dtype, order="C")
    array.flags.writeable = False
    return array


def hand_over(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Make a freshly computed array read-only without copying it; the caller gives it up."""
    array.flags.writeable = False
    return array


def _writeable(array: npt.NDArray[np.generic]) -> bool:
    """Return whether the memory can change through this array or through the one it views."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    return False
