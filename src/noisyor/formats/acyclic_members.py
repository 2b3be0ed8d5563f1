"""Check many networks at a time for directed cycles."""

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import Words, to_words

_WORDS_AT_ONCE = 2**20  # 8 MB of parent sets, and as much again while they are compared


def first_cyclic(parents: Words, members: npt.NDArray[np.uint32]) -> int | None:
    """Return the first network that has a directed cycle, or None.

    `parents` (families, words) are the parent sets of the families. `members` (networks, n) gives,
    for each variable of a network, the index of its family among them.
    """
    rows_at_once = max(1, _WORDS_AT_ONCE // (members.shape[1] * parents.shape[1]))
    for start in range(0, len(members), rows_at_once):
        acyclic = _are_acyclic(parents[members[start : start + rows_at_once]])
        if not acyclic.all():
            return start + int(acyclic.argmin())
    return None


def _are_acyclic(parents: Words) -> npt.NDArray[np.bool_]:
    """Return which networks have no cycle, from parent sets of shape (networks, n, words).

    In every round, a variable is placed if all its parents are. Without a cycle, there is always
    one that can be placed.
    """
    _, count, words = parents.shape
    own = to_words([1 << v for v in range(count)], words)
    everyone = np.bitwise_or.reduce(own, axis=0)
    placed = np.zeros((len(parents), words), dtype=np.uint64)
    while True:
        missing = np.any(parents & ~placed[:, None], axis=2, keepdims=True)
        now = np.bitwise_or.reduce(np.where(missing, np.uint64(0), own), axis=1)
        complete: npt.NDArray[np.bool_] = (now == everyone).all(axis=1)
        if complete.all() or (now == placed).all():
            return complete
        placed = now
