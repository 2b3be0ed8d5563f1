"""Weights on cuts, and the bounds that they prove.

A cut is a set C of variables with a number k (its `need`; Jaakkola et al., 2010; Cussens, 2011):
in every acyclic network at least k nodes of C have fewer than k parents in C, since each of the
first k nodes of C in a topological order has. A family *counts* in a cut if its child is in C and
fewer than k of its parents are.

Take any weights y >= 0 on any cuts. Let reward(f) be the sum of the weights of the cuts that
family f counts in, pi_v the minimum of ticks - reward over the families of v, and
rc(f) = ticks(f) - reward(f) - pi_v >= 0. Summing over the families of a network G gives, exactly,

    ticks(G) = lower bound + sum of rc over G + sum over C of y_C (nodes of C that count - k),

with lower bound = sum of pi_v + sum of k y_C. The last two sums are not negative for an acyclic
G, hence the name. All numbers are integers, so the identity holds without rounding, wherever the
weights come from: those of a linear program are good, any others are valid.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import Words
from noisyor.search.families import Families, Ticks


@dataclass(frozen=True, slots=True, eq=False)
class Cuts:
    """Cuts in columns: variables (c, words), needs (c,), weights in ticks (c,)."""

    variables: Words
    needs: npt.NDArray[np.int32]
    weights: Ticks

    @classmethod
    def none(cls, words: int) -> "Cuts":
        """Return no cuts, with sets of `words` words each."""
        return cls(
            np.empty((0, words), dtype=np.uint64),
            np.empty(0, dtype=np.int32),
            np.empty(0, dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.needs)


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
    cuts = Cuts(cuts.variables[weighted], cuts.needs[weighted], cuts.weights[weighted])
    pi, rc = kernels.reduced_costs(
        families.first, families.parents, families.ticks, cuts.variables, cuts.needs, cuts.weights
    )
    bound = sum(pi.tolist()) + sum(
        need * weight
        for need, weight in zip(cuts.needs.tolist(), cuts.weights.tolist(), strict=True)
    )
    return Duals(cuts, pi, rc, bound)
