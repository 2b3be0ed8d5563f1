"""Cuts that are rounded from sums of other cuts, which close gaps that clusters leave.

A cut here is any inequality that the acyclic networks satisfy: the sum of the coefficients of a
network's families is at least the cut's need. Coefficients and needs are integers, and no
coefficient is negative. A cluster of `duals` is one, with coefficients 0 and 1.

**Rounding.** Add up some cuts, the parts: a family f gets the coefficient s(f), and the sum is at
least B. Choose any set D of children. Then

    the sum over a network's families of s(f) / 2, rounded down if the child of f is in D, else up,
    is at least (B - |D|) / 2, rounded up.

*Proof.* Every child of D has one family, so subtracting 1 from the coefficients of all its families
subtracts |D| in total. Half of the result is at least (B - |D|) / 2 in total, and rounding every
coefficient up does not lower it. (s - 1) / 2 rounded up is s / 2 rounded down. The total is now a
sum of integers, so the right side can be rounded up as well. This is a {0, 1/2}-cut (Caprara and
Fischetti, 1996), a special case of Chvátal's and Gomory's. ∎

Parts may be rounded cuts. A larger set of parents never has a larger coefficient: that holds for
clusters, and adding and rounding preserve it. So families that one over a subset of the parents
undercuts need not be columns, as with clusters alone.

The cuts are stored as definitions, not as coefficients, so they hold for families that are found
later, and in every branch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import Words, set_of, to_words
from noisyor.search.bounds.duals import Clusters, Cuts, Ids, starts_of
from noisyor.search.families import Families, Ticks

_MOST_REWARD = 2**61  # ticks, so that sums stay exact


@dataclass(frozen=True, slots=True, eq=False)
class HalvedSums:
    """Definitions of rounded cuts: the cuts to add up, and the children that are rounded down."""

    parts: Sequence[Sequence[int]]
    down: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, eq=False)
class CutSystem:
    """Cuts in columns; parts come before the cuts that are made of them.

    Shapes, with c cuts: sets (c, words), the variables of a cluster, or the children that a rounded
    cut rounds down; needs (c,); first_class and classes as in `Clusters`; first_part (c + 1,),
    where a cut's parts begin; parts, their numbers. A cluster has no parts, a rounded cut no
    classes.
    """

    sets: Words
    needs: npt.NDArray[np.int32]
    first_class: Ids
    classes: Words
    first_part: Ids
    parts: Ids

    @classmethod
    def of_clusters(cls, clusters: Clusters) -> "CutSystem":
        """Return a system of clusters alone."""
        first = np.zeros(len(clusters) + 1, dtype=np.int64)
        return cls(*clusters.arrays, first, np.empty(0, dtype=np.int64))

    @classmethod
    def of_cuts(cls, cuts: Cuts) -> "CutSystem":
        """Return clusters, without their weights, as a system."""
        return cls.of_clusters(cuts.clusters)

    @classmethod
    def none(cls, words: int) -> "CutSystem":
        """Return no cuts, with sets of `words` words each."""
        return cls.of_clusters(Clusters.none(words))

    def __len__(self) -> int:
        return len(self.needs)

    @property
    def arrays(self) -> tuple[Words, npt.NDArray[np.int32], Ids, Words, Ids, Ids]:
        """The system as kernels take it."""
        classes = (self.first_class, self.classes)
        return (self.sets, self.needs, *classes, self.first_part, self.parts)

    def are_rounded(self) -> npt.NDArray[np.bool_]:
        """Return which cuts are rounded from others."""
        return np.asarray(np.diff(self.first_part) > 0)

    def are_plain(self) -> npt.NDArray[np.bool_]:
        """Return which cuts are clusters in which each variable is a class of its own."""
        return np.asarray((np.diff(self.first_class) == 0) & ~self.are_rounded())

    @property
    def clusters(self) -> Clusters:
        """The cuts as clusters, which those that are not rounded are."""
        return Clusters(self.sets, self.needs, self.first_class, self.classes)

    def with_clusters(self, clusters: Clusters) -> "CutSystem":
        """Return the system with more clusters at its end."""
        parts = np.full(len(clusters), self.first_part[-1])
        return CutSystem(
            *self.clusters.and_also(clusters).arrays,
            np.concatenate((self.first_part, parts)),
            self.parts,
        )

    def with_halves(self, sums: HalvedSums) -> "CutSystem":
        """Return the system with rounded cuts at its end, made of cuts that it has already."""
        sizes = [len(one) for one in sums.parts]
        flat = np.array([part for one in sums.parts for part in one], dtype=np.int64)
        totals = [int(self.needs[list(one)].sum()) for one in sums.parts]
        needs = [(1 + b - len(d)) // 2 for b, d in zip(totals, sums.down, strict=True)]
        down = to_words([set_of(one) for one in sums.down], self.sets.shape[1])
        return CutSystem(
            np.concatenate((self.sets, down)),
            np.concatenate((self.needs, np.array(needs, dtype=np.int32))),
            np.concatenate((self.first_class, np.full(len(sizes), self.first_class[-1]))),
            self.classes,
            np.concatenate(
                (self.first_part, self.first_part[-1] + np.cumsum(sizes, dtype=np.int64))
            ),
            np.concatenate((self.parts, flat)),
        )

    def select(self, wanted: Ids) -> tuple["CutSystem", Ids]:
        """Return the wanted cuts with all their parts, and the new numbers of the wanted ones."""
        kept = np.zeros(len(self), dtype=np.bool_)
        kept[wanted] = True
        for cut in np.flatnonzero(self.are_rounded())[::-1]:
            if kept[cut]:
                kept[self.parts[self.first_part[cut] : self.first_part[cut + 1]]] = True
        number = np.cumsum(kept) - 1
        classes, parts = np.diff(self.first_class), np.diff(self.first_part)
        return (
            CutSystem(
                self.sets[kept],
                self.needs[kept],
                starts_of(classes[kept]),
                self.classes[np.repeat(kept, classes)],
                starts_of(parts[kept]),
                number[self.parts[np.repeat(kept, parts)]],
            ),
            number[wanted],
        )

    def coefficients(
        self, wanted: Ids, children: npt.NDArray[np.int32], parents: Words
    ) -> npt.NDArray[np.int32]:
        """Return the coefficients of families in the wanted cuts, shape (wanted, families)."""
        return kernels.cut_coefficients(children, parents, *self.arrays, wanted)

    def largest(self) -> list[int]:
        """Return an upper bound on the coefficients of each cut."""
        most: list[int] = []
        for own in np.split(self.parts, self.first_part[1:-1]) if len(self) else []:
            parts = own.tolist()
            most.append((sum(most[part] for part in parts) + 1) // 2 if parts else 1)
        return most


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSystem:
    """A system's cuts with weights in ticks (c,)."""

    system: CutSystem
    weights: Ticks

    def __len__(self) -> int:
        return len(self.system)

    def rescaled(self, factor: float) -> "WeightedSystem":
        """Return the weights in other ticks, rounded down: any weights are valid."""
        return WeightedSystem(self.system, np.floor(self.weights * factor).astype(np.int64))

    def prove(self, families: Families) -> "Proof":
        """Return what the weights prove about families."""
        return prove(families, self.system, self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """A system's cuts with weights in ticks (c,), and what they prove, as in `duals`.

    With rewards multiplied by coefficients, the identity of `duals` holds for these cuts too; so no
    network has fewer ticks than the lower bound, and none with family f fewer than that + rc[f].
    """

    system: CutSystem
    weights: Ticks
    pi: Ticks
    rc: Ticks
    lower_bound: int

    @classmethod
    def of_cuts(cls, families: Families, cuts: Cuts) -> "Proof":
        """Return the proof of weighted clusters."""
        return prove(families, CutSystem.of_cuts(cuts), cuts.weights)

    @property
    def weighted(self) -> WeightedSystem:
        """The cuts and their weights, which prove something about any families."""
        return WeightedSystem(self.system, self.weights)


def prove(families: Families, system: CutSystem, weights: Ticks) -> Proof:
    """Return what these weights on the cuts of a system prove about families."""
    used = np.flatnonzero(weights > 0)
    own, places = system.select(used)
    kept = np.zeros(len(own), dtype=np.int64)
    kept[places] = weights[used]
    largest = own.largest()
    while sum(w * c for w, c in zip(kept.tolist(), largest, strict=True)) > _MOST_REWARD:
        kept //= 2  # any weights are valid
    first, parents, ticks = families.first, families.parents, families.ticks
    if own.are_rounded().any():
        pi, rc = kernels.system_reduced_costs(first, parents, ticks, *own.arrays, kept)
    else:  # the kernel for clusters alone is faster
        pi, rc = kernels.reduced_costs(first, parents, ticks, *own.clusters.arrays, kept)
    bound = sum(pi.tolist()) + sum(
        need * weight for need, weight in zip(own.needs.tolist(), kept.tolist(), strict=True)
    )
    return Proof(own, kept, pi, rc, bound)
