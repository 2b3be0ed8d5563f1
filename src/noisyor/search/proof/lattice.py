"""The optimum, and for every family the best network that has it: a shortest path over subsets.

Placing the variables one by one in a topological order walks from the empty set S to the full set;
v is placed with a family (v, P), P within S. By the classical dynamic programme (Silander &
Myllymäki, 2006) the cheapest network is a shortest path. Cuts with weights y reshape its arcs.
Say that S saturates a cut (C, k) for v if it holds a variable of v's class, or some of k classes.
With pi, rc and the lower bound of `duals`, let

    q(v, P | S) = rc(v, P) + sum of y_C over the cuts that (v, P) counts in and S saturates for v.

**Then ticks(G) = lower bound + sum of q over the families of G, for any topological order.** The
nodes that find a cut unsaturated are the first of their class, of the first k classes; each of
these counts in it. So y_C (nodes that count - k) is y_C for each node that counts and finds the cut
saturated; the rest is the identity of `duals`. No q is negative, so subsets farther away than a
known network and the slack allow need not be visited. Weights of a linear program leave few;
without cuts this is the classical dynamic programme.

Two rules prune more, and have their proofs in `cpp/search/lattice_expansion.hpp`:
*strengthen* bounds the rest of a path by what S has saturated, *persistent* follows only the arcs
into a set of variables that can be placed before all others. Neither changes a result. Without
cuts, where nearly all subsets are reached, *whole* goes through arrays of all of them instead.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.search.bounds.duals import Duals
from noisyor.search.families import Families, Ticks


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The optimum, and the families on paths within the slack of it.

    Shapes, with n variables and m families: best (n,), the family of each child in an optimal
    network; credible (m,), whether some network within the slack has the family; best_with (m,),
    the ticks of the best network that has the family, of no meaning where none is credible.
    """

    optimum: int
    best: npt.NDArray[np.int64]
    credible: npt.NDArray[np.bool_]
    best_with: Ticks
    subsets: int  # reached
    kept_subsets: int  # on a path within the slack


class LatticeStop(Enum):
    """What ended a search early."""

    SUBSETS = "more subsets than allowed"
    MEMORY = "more memory than allowed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class LatticeStopped:
    """A search that ended early, the subsets it reached, and a lower bound on the optimum."""

    reason: LatticeStop
    subsets: int
    lower_bound: int


class NoPathError(ValueError):
    """There is no network of as few ticks as were asked for."""


def shortest_path(  # noqa: PLR0913  (limits and switches, each by name)
    families: Families,
    duals: Duals,
    upper_bound: int,
    slack: int,
    *,
    max_subsets: int,
    memory: int,
    jobs: int,
    cancellation: "kernels.Cancellation",
    strengthen: bool = True,
    persistent: bool = True,
    whole: bool = True,
) -> Lattice | LatticeStopped:
    """Find the optimum, and for each family the best network with it if within the slack.

    The upper bound is the ticks of a known network, or more; the slack, in ticks, includes the
    tolerance. Any duals give the same optimum and best_with; ties of `best` may be broken
    differently. `memory` is in bytes; a quarter of it, at most 512 MB, is for a cache of bounds,
    the rest for subsets. Results do not depend on the number of `jobs` (threads).
    """
    found = kernels.lattice_path(
        families.first,
        families.parents,
        families.ticks,
        *duals.cuts.clusters.arrays,
        duals.cuts.weights,
        duals.pi,
        duals.rc,
        length_limit=upper_bound + slack - duals.lower_bound,
        slack=slack,
        max_subsets=max_subsets,
        max_bytes=memory,
        jobs=jobs,
        strengthen=strengthen,
        persistent=persistent,
        whole=whole,
        cancellation=cancellation,
    )
    ticks = found.shortest + duals.lower_bound
    if found.status == kernels.LatticeStatus.NO_PATH:
        raise NoPathError(f"no acyclic network costs {upper_bound} ticks or less")
    if found.status != kernels.LatticeStatus.DONE:
        return LatticeStopped(_reason(found.status), found.subsets, ticks)
    return Lattice(
        ticks,
        found.best,
        found.has_network,
        np.where(found.has_network, found.best_with + duals.lower_bound, 0),
        found.subsets,
        found.kept_subsets,
    )


def _reason(status: "kernels.LatticeStatus") -> LatticeStop:
    return {
        kernels.LatticeStatus.TOO_MANY_SUBSETS: LatticeStop.SUBSETS,
        kernels.LatticeStatus.TOO_MUCH_MEMORY: LatticeStop.MEMORY,
        kernels.LatticeStatus.CANCELLED: LatticeStop.CANCELLED,
    }[status]
