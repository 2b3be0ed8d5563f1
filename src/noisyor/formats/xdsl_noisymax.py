"""The meaning of the parameters of GeNIe's noisy-MAX.

A node's states are ordered from the strongest, the first, to the weakest, the last, which means
that nothing happened. Its parameters are columns, each a distribution over these states: for each
parent one per state, from the strongest to the weakest, then the leak's. Each cause, and the leak,
draws an effect from its column, and the node takes the strongest (Diez, 1993). So the
probability of an effect no stronger than a state is the product over the causes.
"""

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.core.configurations import MAX_EXPANDED_PARENTS
from noisyor.core.network import ROW_TOLERANCE
from noisyor.formats.parsed_network import ParsedNoisyOr

_BINARY = 2
_MAX_ENTRIES = 2 ** (MAX_EXPANDED_PARENTS + 1)
_ZERO = 1e-9  # what GeNIe's own rounding may leave in a column that is zero by definition

Table = npt.NDArray[np.float64]


def noisymax_distribution(
    columns: Table, strengths: Sequence[Sequence[int]], *, leaky: bool
) -> Table | ParsedNoisyOr:
    """Return a noisy-OR if all variables are binary, else the table: an axis per parent, one own.

    `columns` has shape (states of the parents + 1, own states); `strengths` lists the states of
    each parent from strongest to weakest. If `leaky`, a leak that never acts is kept.
    """
    _check_columns(columns)
    *causes, leak = np.split(columns, np.cumsum([len(order) for order in strengths]))
    for place, cause in enumerate(causes, start=1):
        if np.abs(cause[-1, :-1]).max(initial=0) > _ZERO:
            raise FormatError(
                f"has for the weakest state of parent {place} the column "
                f"{' '.join(f'{value:g}' for value in cause[-1])}; it must be 0 except for a last 1"
            )
    if not causes:
        return leak.reshape(-1)
    if all(len(order) == _BINARY for order in (*strengths, leak[0])):
        leak_q = float(leak[0, 1])
        return ParsedNoisyOr(
            q=tuple(float(cause[0, 1]) for cause in causes),
            leak_q=leak_q if leaky or leak[0, 0] > 0 else None,
            acting=tuple(order[0] for order in strengths),
            effect=0,
        )
    return _written_out(causes, leak, strengths)


def _check_columns(columns: Table) -> None:
    if not ((columns >= 0) & (columns <= 1)).all():
        raise FormatError("has a parameter that is not between 0 and 1")
    sums = columns.sum(axis=1)
    worst = int(np.abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > ROW_TOLERANCE:
        raise FormatError(
            f"has parameters whose column {worst + 1} sums to {sums[worst]:g}; it must be 1, "
            f"within {ROW_TOLERANCE:g}"
        )


def _written_out(causes: Sequence[Table], leak: Table, strengths: Sequence[Sequence[int]]) -> Table:
    entries = prod(len(order) for order in strengths) * leak.shape[1]
    if entries > _MAX_ENTRIES:
        raise FormatError(
            f"is a noisy-MAX over more than two states, whose table would have {entries} entries; "
            f"at most {_MAX_ENTRIES} can be written out"
        )
    at_most = _no_stronger(leak)[0]
    for cause, order in zip(causes, strengths, strict=True):
        by_state = np.empty_like(cause)
        by_state[list(order)] = _no_stronger(cause)
        at_most = at_most[..., None, :] * by_state
    below = np.zeros_like(at_most)
    below[..., :-1] = at_most[..., 1:]
    table: Table = (at_most - below).clip(0)  # rounding may leave -1e-17
    return table


def _no_stronger(columns: Table) -> Table:
    """Return for each state the probability of an effect no stronger, 1 for the first."""
    tails = np.cumsum(columns[:, ::-1], axis=1)[:, ::-1]
    tails = tails / tails[:, :1]
    tails[:, 0] = 1
    return tails
