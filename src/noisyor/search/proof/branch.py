"""Branches: networks with required and excluded edges and with limits on the number of parents.

A branch has weighted cuts that bound its networks. `splits` divides branches.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import Words, to_words, variables_in
from noisyor.search.bounds.cut_system import Proof, WeightedSystem
from noisyor.search.bounds.duals import Cuts
from noisyor.search.components import ancestors
from noisyor.search.families import Families

Mask = npt.NDArray[np.bool_]
"""Marks some of a number of families."""


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """The networks in which each child has its `required` parents and none `excluded`.

    Each also has from `least` to `most` parents. The cuts are clusters with the best weights known
    for these networks, and `rounded` are weights on cuts of any kind that may prove more.
    """

    required: tuple[int, ...]
    excluded: tuple[int, ...]
    least: tuple[int, ...]
    most: tuple[int, ...]
    cuts: Cuts
    rounded: WeightedSystem | None = None

    @classmethod
    def root(cls, variables: int, cuts: Cuts, rounded: WeightedSystem | None = None) -> "Branch":
        """Return the branch of all networks."""
        none, fewest, most = (0,) * variables, (0,) * variables, (variables - 1,) * variables
        return cls(none, none, fewest, most, cuts, rounded)

    @property
    def demands_parents(self) -> bool:
        """Whether a family may fit although one over a subset of its parents does not."""
        return any(self.required) or any(self.least)

    @property
    def has_plain_clusters(self) -> bool:
        """Whether all cuts are clusters without classes."""
        return self.rounded is None and not len(self.cuts.clusters.classes)

    def prove(self, families: Families) -> Proof:
        """Return what the cuts prove about families that fit: the stronger of the two proofs."""
        proof = Proof.of_cuts(families, self.cuts)
        if self.rounded is None:
            return proof
        other = self.rounded.prove(families)
        return other if other.lower_bound > proof.lower_bound else proof

    def fits(self, families: Families) -> Mask:
        """Return which families the networks of this branch may have."""
        words = families.parents.shape[1]
        children = families.children()
        lacking = to_words(self.required, words)[children] & ~families.parents
        unwanted = to_words(self.excluded, words)[children] & families.parents
        count = count_parents(families.parents)
        in_range = (np.array(self.least)[children] <= count) & (
            count <= np.array(self.most)[children]
        )
        return np.asarray(in_range & ~(lacking | unwanted).any(axis=1))

    def is_part_of(self, other: "Branch") -> bool:
        """Return whether this branch requires and excludes all that the other one does."""
        has_edges = not any(
            theirs & ~own
            for own, theirs in zip(
                self.required + self.excluded, other.required + other.excluded, strict=True
            )
        )
        ranges = zip(self.least, self.most, other.least, other.most, strict=True)
        return has_edges and all(low <= least and most <= high for least, most, low, high in ranges)

    def rescaled(self, factor: float) -> "Branch":
        """Return the branch with weights in other ticks, rounded down: any weights are valid."""
        weights = np.floor(self.cuts.weights * factor).astype(np.int64)
        rounded = None if self.rounded is None else self.rounded.rescaled(factor)
        return replace(self, cuts=replace(self.cuts, weights=weights), rounded=rounded)

    def without_edge(self, parent: int, child: int) -> "Branch":
        """Return the networks without an edge."""
        return replace(self, excluded=_with(self.excluded, child, 1 << parent))

    def with_edge(self, parent: int, child: int) -> "Branch":
        """Return the networks with an edge.

        No acyclic network has an edge back along a path of required edges, so these edges are
        excluded too, which removes no network.
        """
        required = _with(self.required, child, 1 << parent)
        excluded = list(self.excluded)
        for low, above in enumerate(ancestors(required)):
            for high in variables_in(above):
                excluded[high] |= 1 << low
        return replace(self, required=required, excluded=tuple(excluded))

    def with_parents(
        self, child: int, *, least: int | None = None, most: int | None = None
    ) -> "Branch":
        """Return the networks in which a child has at least, or at most, so many parents."""
        low, high = self.least[child], self.most[child]
        return replace(
            self,
            least=_at(self.least, child, low if least is None else max(low, least)),
            most=_at(self.most, child, high if most is None else min(high, most)),
        )


def count_parents(parents: Words) -> npt.NDArray[np.int64]:
    """Return the number of parents of each family."""
    return np.asarray(np.bitwise_count(parents).sum(axis=1, dtype=np.int64))


def _with(sets: tuple[int, ...], place: int, more: int) -> tuple[int, ...]:
    return _at(sets, place, sets[place] | more)


def _at(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return (*values[:place], value, *values[place + 1 :])
