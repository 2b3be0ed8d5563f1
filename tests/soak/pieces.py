"""The pieces of a credible set: networks that the moves of the Markov chain join inside the set.

Between two pieces a chain must pass networks that are not credible. Where these are much dearer, no
chain does, and a sample knows only the pieces that its chains began in (docs/sampling.md).
"""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from noisyor.core.credible_set import CredibleSet
from tests.oracles.networks import bits

_LARGEST_BLOCK = 3  # children whose families change in one move


def is_in_one_piece(credible: CredibleSet) -> bool:
    """Return whether the moves join all networks of an enumerated set."""
    families = [use.family for use in credible.families]
    place = {family: at for at, family in enumerate(families)}
    members = [member.structure.families for member in credible.stream()]
    choices = np.array([[place[family] for family in own] for own in members])
    parents = np.zeros((len(families), len(credible.names)), dtype=np.bool_)
    for at, family in enumerate(families):
        parents[at, list(bits(family.parents))] = True
    return not pieces(choices, parents).any()


def pieces(choices: npt.NDArray[np.int64], parents: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each network the first one of its piece.

    `choices` has the families of each network, shape (networks, n), and `parents` the parents of
    each family, shape (families, n). A move changes the families of one child, or of a block: a
    centre and one or two of its neighbours, before the move and after it.
    """
    count, n = choices.shape
    has = parents[choices]
    near = has | has.transpose(0, 2, 1)
    # Networks that differ in a block alone have the same sum over the others, and hardly any else.
    codes = np.random.default_rng(0).integers(2**63, size=len(parents), dtype=np.uint64)
    parts = codes[choices]
    whole = parts.sum(axis=1, dtype=np.uint64)
    blocks = [
        block
        for size in range(1, min(n, _LARGEST_BLOCK) + 1)
        for block in combinations(range(n), size)
    ]
    first = np.arange(count)
    while True:
        before = first.copy()
        for block in blocks:
            free = np.flatnonzero(_can_be_picked(near, block))
            rest = whole[free] - parts[free][:, block].sum(axis=1, dtype=np.uint64)
            distinct, group = np.unique(rest, return_inverse=True)
            least = np.full(len(distinct), count)
            np.minimum.at(least, group, first[free])
            first[free] = least[group]
        if np.array_equal(first, before):
            return first


def _can_be_picked(near: npt.NDArray[np.bool_], block: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return in which networks some child of a block is a neighbour of all the others."""
    found = np.zeros(len(near), dtype=np.bool_)
    for centre in block:
        others = [v for v in block if v != centre]
        found |= near[:, centre, others].all(axis=1)
    return found
