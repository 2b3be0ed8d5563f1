"""The meaning of the parameters of GeNIe's noisy-MAX.

A node's states are ordered from the strongest, the first, to the weakest, the last, which means
that nothing happened. Its parameters are columns, each a distribution over these states: for each
parent one per state, from the strongest to the weakest, then the leak's. Each cause, and the leak,
draws an effect from its column, and the node takes the strongest (Diez, 1993). So the
probability of an effect no stronger than a state is the product over the causes.

Turned round, that is the model of `core.relations.causes`: with F the distribution function of a
column from the weakest state on, q(t) = F(t - 1) / F(t).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import Distribution, FormatError
from noisyor.core.network import ROW_TOLERANCE, normalised
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.parsed_network import ParsedCauses

_ZERO = 1e-9  # what GeNIe's own rounding may leave in a column that is zero by definition

Table = npt.NDArray[np.float64]


def noisymax_distribution(
    columns: Table,
    strengths: Sequence[Sequence[int]],
    *,
    place: str,
    leaky: bool = False,
    signed: bool = False,
) -> Table | ParsedCauses:
    """Return the causes of a noisy-MAX; without parents, the distribution of its leak.

    `columns` has shape (states of the parents + 1, own states); `strengths` lists the states of
    each parent from strongest to weakest. If `leaky`, a leak that never acts is kept; if `signed`,
    the parents' weakest states are kept as causes that never act. `place` is for messages.
    """
    _check_columns(columns)
    if not strengths:
        return columns.reshape(-1)
    levels = levels_of_columns(columns)
    *causes, leak = np.split(levels, np.cumsum([len(order) for order in strengths]))
    by_parent = []
    for number, (cause, order) in enumerate(zip(causes, strengths, strict=True), start=1):
        _settle_weakest(cause, f"{place} has for the weakest state of parent {number}")
        by_state = np.empty_like(cause)
        by_state[list(order)] = cause
        by_parent.append(by_state)
    own = columns.shape[1]
    return ParsedCauses(
        weakest_first=tuple(reversed(range(own))),
        q=tuple(by_parent),
        leak_q=leak[0] if leaky or (leak != 1).any() else None,
        idle=tuple(order[-1] for order in strengths),
        signed=signed,
    )


@dataclass(frozen=True, slots=True, eq=False)
class NoisymaxCauses:
    """The causes of a node as a noisy-MAX of GeNIe has them.

    `q` has for each parent, ascending, the q(t) of its states, shape (states, m), and `idle` lists
    those of its states that never act, of which there is at least one. `leak_q` is None without a
    leak. `unseen` marks what no record has, in the shapes of `q`, and the leak's last.
    """

    q: tuple[Table, ...]
    idle: tuple[tuple[int, ...], ...]
    leak_q: Table | None
    unseen: tuple[npt.NDArray[np.bool_], ...]


def noisymax_causes(distribution: Distribution) -> NoisymaxCauses | None:
    """Return the causes of a distribution; None if GeNIe's noisy-MAX cannot hold it.

    It can hold every noisy-OR, AND, MAX and MIN, leaky or not. A signed one must have a state of
    each parent that does not act at any level.
    """
    if distribution.relation.causes is None:
        return None
    levels = distribution.child_states - 1
    q = [np.ones((states, levels)) for states in distribution.parent_states]
    unseen = [np.zeros(own.shape, dtype=np.bool_) for own in (*q, np.ones((1, levels)))]
    leak_q = None
    for cause in distribution.causes():
        marks = cause.unseen or (False,) * levels
        if cause.parent is None:
            leak_q = np.array(cause.levels)
            unseen[-1][0] = marks
        else:
            q[cause.parent][cause.state] = cause.levels
            unseen[cause.parent][cause.state] = marks
    idle = tuple(tuple(np.flatnonzero((own == 1).all(axis=1)).tolist()) for own in q)
    return NoisymaxCauses(tuple(q), idle, leak_q, tuple(unseen)) if all(idle) else None


def holds_causes(distribution: Distribution) -> bool:
    """Return whether a distribution is a noisy-MAX in GeNIe."""
    return noisymax_causes(distribution) is not None


def levels_of_columns(columns: Table) -> Table:
    """Return q(t) for t = 1 to m of distributions over the states, strongest first.

    Where F(t) is zero, no q(s) up to s = t has any influence; it is 1.
    """
    at_most = np.cumsum(normalised(columns)[:, ::-1], axis=1)
    at_most[:, -1] = 1
    below, upto = at_most[:, :-1], at_most[:, 1:]
    levels: Table = np.divide(below, upto, out=np.ones_like(below), where=upto > 0)
    return levels.clip(0, 1)


def columns_of_levels(levels: Table) -> Table:
    """Return the distributions over the states, strongest first, of q(t) for t = 1 to m."""
    columns = np.ones((len(levels), levels.shape[1] + 1))
    columns[:, :-1] = np.cumprod(levels[:, ::-1], axis=1)[:, ::-1]
    columns[:, 1:] *= 1 - levels
    return columns[:, ::-1]


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


def _settle_weakest(cause: Table, where: str) -> None:
    """Make the column of a weakest state exactly idle; warn of one that does act."""
    if (1 - cause[-1]).max() <= _ZERO:
        cause[-1] = 1
        return
    shown = " ".join(f"{value:g}" for value in columns_of_levels(cause[-1:])[0])
    warn_user(
        f"{where} the column {shown}, where GeNIe has 0 except for a last 1; it is taken for "
        "a cause like the others",
        ConversionWarning,
    )
