"""Branches: networks with some required and some excluded edges, and weighted cuts for them.

Splitting a branch on an edge gives two branches, without and with the edge, which partition its
networks.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import to_words, variables_in
from noisyor.search.bounds.cut_system import Proof, WeightedSystem
from noisyor.search.bounds.duals import Cuts
from noisyor.search.components import ancestors
from noisyor.search.families import Families


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """The networks in which each child has its `required` parents and none `excluded`.

    The cuts are clusters with the best weights known for these networks, and `rounded` are weights
    on cuts of any kind that may prove more.
    """

    required: tuple[int, ...]
    excluded: tuple[int, ...]
    cuts: Cuts
    rounded: WeightedSystem | None = None

    @classmethod
    def root(cls, variables: int, cuts: Cuts, rounded: WeightedSystem | None = None) -> "Branch":
        """Return the branch of all networks."""
        return cls((0,) * variables, (0,) * variables, cuts, rounded)

    def prove(self, families: Families) -> Proof:
        """Return what the cuts prove about families that fit: the stronger of the two proofs."""
        proof = Proof.of_cuts(families, self.cuts)
        if self.rounded is None:
            return proof
        other = self.rounded.prove(families)
        return other if other.lower_bound > proof.lower_bound else proof

    def fits(self, families: Families) -> npt.NDArray[np.bool_]:
        """Return which families the networks of this branch may have."""
        words = families.parents.shape[1]
        children = families.children()
        lacking = to_words(self.required, words)[children] & ~families.parents
        unwanted = to_words(self.excluded, words)[children] & families.parents
        return np.asarray(~(lacking | unwanted).any(axis=1))

    def is_part_of(self, other: "Branch") -> bool:
        """Return whether whatever the other branch requires and excludes, this one does, too."""
        return not any(
            theirs & ~own
            for own, theirs in zip(
                self.required + self.excluded, other.required + other.excluded, strict=True
            )
        )

    def rescaled(self, factor: float) -> "Branch":
        """Return the branch with weights in other ticks, rounded down: any weights are valid."""
        weights = np.floor(self.cuts.weights * factor).astype(np.int64)
        rounded = None if self.rounded is None else self.rounded.rescaled(factor)
        return replace(self, cuts=replace(self.cuts, weights=weights), rounded=rounded)

    def split(self, parent: int, child: int) -> "tuple[Branch, Branch]":
        """Return the networks without an edge, and those with it.

        With it, no acyclic network has an edge back along a path of required edges, so these edges
        are excluded too, and every network of this branch is still in one of the two.
        """
        without = replace(self, excluded=_with(self.excluded, child, 1 << parent))
        required = _with(self.required, child, 1 << parent)
        excluded = list(self.excluded)
        for low, above in enumerate(ancestors(required)):
            for high in variables_in(above):
                excluded[high] |= 1 << low
        return without, replace(self, required=required, excluded=tuple(excluded))


def _with(sets: tuple[int, ...], place: int, more: int) -> tuple[int, ...]:
    return (*sets[:place], sets[place] | more, *sets[place + 1 :])
