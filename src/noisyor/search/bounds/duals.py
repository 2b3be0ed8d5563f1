"""Weights on cuts, and the bounds that they prove.

A cut is a set C of variables, divided into classes, with a number k (its `need`), at most the
number of classes. A family *counts* in it if its child is in C, no parent is in the child's class,
and fewer than k classes have a parent.

**At least k families of an acyclic network count in a cut.** *Proof.* In a topological order take
the first variable of each class, and of these the first k. The j-th has no parent in its own class,
and its parents are in the at most j - 1 classes that came before. So its family counts. ∎

If each variable is a class of its own, these are the k-clusters of Jaakkola et al. (2010) and
Cussens (2011). Variables that nearly determine each other belong in one class: given one of them,
the others are cheap. All of them are cuts of matroids (Studený, 2015), namely of uniform ones with
parallel elements.

Take any weights y >= 0 on any cuts. Let reward(f) be the sum of the weights of the cuts that
family f counts in, pi_v the minimum of ticks - reward over the families of v, and
rc(f) = ticks(f) - reward(f) - pi_v >= 0. Summing over the families of a network G gives, exactly,

    ticks(G) = lower bound + sum of rc over G + sum over C of y_C (nodes of C that count - k),

with lower bound = sum of pi_v + sum of k y_C. The last two sums are not negative for an acyclic
G, so this is indeed a lower bound. All numbers are integers, so the identity holds without
rounding, wherever the weights come from: those of a linear program are good, any others are valid.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import Words
from noisyor.search.families import Families, Ticks

Ids = npt.NDArray[np.int64]
"""Numbers of things in a list."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Cuts in columns, without weights.

    Shapes, with c cuts: variables (c, words); needs (c,); first_class (c + 1,), where the classes
    of each cut begin; classes (all, words), those of two variables or more. Every other variable of
    a cut is a class of its own.
    """

    variables: Words
    needs: npt.NDArray[np.int32]
    first_class: Ids
    classes: Words

    @classmethod
    def plain(cls, variables: Words, needs: npt.NDArray[np.int32]) -> "Clusters":
        """Return clusters in which each variable is a class of its own."""
        none = np.empty((0, variables.shape[1]), dtype=np.uint64)
        return cls(variables, needs, np.zeros(len(needs) + 1, dtype=np.int64), none)

    @classmethod
    def none(cls, words: int) -> "Clusters":
        """Return no clusters, with sets of `words` words each."""
        return cls.plain(np.empty((0, words), dtype=np.uint64), np.empty(0, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.needs)

    @property
    def arrays(self) -> tuple[Words, npt.NDArray[np.int32], Ids, Words]:
        """The clusters as kernels take them."""
        return self.variables, self.needs, self.first_class, self.classes

    def and_also(self, others: "Clusters") -> "Clusters":
        """Return these clusters and then others."""
        return Clusters(
            np.concatenate((self.variables, others.variables)),
            np.concatenate((self.needs, others.needs)),
            np.concatenate((self.first_class, self.first_class[-1] + others.first_class[1:])),
            np.concatenate((self.classes, others.classes)),
        )

    def select(self, kept: npt.NDArray[np.bool_]) -> "Clusters":
        """Return the clusters marked in a mask."""
        sizes = np.diff(self.first_class)
        return Clusters(
            self.variables[kept],
            self.needs[kept],
            starts_of(sizes[kept]),
            self.classes[np.repeat(kept, sizes)],
        )


def starts_of(sizes: Ids) -> Ids:
    """Return where lists of these sizes begin, one after the other, and where the last ends."""
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Clusters with weights in ticks (c,)."""

    clusters: Clusters
    weights: Ticks

    @classmethod
    def none(cls, words: int) -> "Cuts":
        """Return no cuts, with sets of `words` words each."""
        return cls(Clusters.none(words), np.empty(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Duals:
    """Weighted cuts, and what they prove about families: pi (n,), rc (m,), the lower bound."""

    cuts: Cuts
    pi: Ticks
    rc: Ticks
    lower_bound: int


def duals_of(families: Families, cuts: Cuts) -> Duals:
    """Return the duals of these weighted cuts over these families."""
    weighted = cuts.weights > 0
    cuts = Cuts(cuts.clusters.select(weighted), cuts.weights[weighted])
    pi, rc = kernels.reduced_costs(
        families.first, families.parents, families.ticks, *cuts.clusters.arrays, cuts.weights
    )
    bound = sum(pi.tolist()) + sum(
        need * weight
        for need, weight in zip(cuts.clusters.needs.tolist(), cuts.weights.tolist(), strict=True)
    )
    return Duals(cuts, pi, rc, bound)
