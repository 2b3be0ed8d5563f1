"""Configurations of parents, numbered: the one index that tables, counts and records share."""

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core.errors import TableSizeError

MAX_EXPANDED_PARENTS = 20
"""The most binary parents of a full table."""

MAX_CONFIGURATIONS = 2**MAX_EXPANDED_PARENTS
"""The most rows of a full table, one for each configuration of its parents."""


def configuration_count(parent_states: Sequence[int]) -> int:
    """Return the number of configurations of parents with these numbers of states."""
    return prod(parent_states)


def check_configurations(parent_states: Sequence[int], what: str) -> None:
    """Refuse a table that would have too many rows; `what` says whose table it is."""
    count = configuration_count(parent_states)
    if count > MAX_CONFIGURATIONS:
        raise TableSizeError(
            f"{what} with {len(parent_states)} parents has a table of {count} rows; at most "
            f"{MAX_CONFIGURATIONS} can be written out"
        )


def configuration_index(
    columns: Sequence[npt.NDArray[np.generic]], parent_states: Sequence[int], records: int
) -> npt.NDArray[np.intp]:
    """Return the number of each record's configuration: mixed radix, the first parent fastest.

    `columns` has each parent's codes over the records, parents ascending. For binary parents bit t
    of the number is the t-th parent.
    """
    # 16-bit arithmetic is several times as fast.
    small = configuration_count(parent_states) <= np.iinfo(np.uint16).max
    index = np.zeros(records, dtype=np.uint16 if small else np.intp)
    for column, states in reversed(list(zip(columns, parent_states, strict=True))):
        np.multiply(index, states, out=index, casting="unsafe")
        np.add(index, column, out=index, casting="unsafe")
    return index.astype(np.intp)


def configuration_codes(number: int, parent_states: Sequence[int]) -> tuple[int, ...]:
    """Return the parents' codes of a numbered configuration."""
    codes = []
    for states in parent_states:
        number, code = divmod(number, states)
        codes.append(code)
    return tuple(codes)
