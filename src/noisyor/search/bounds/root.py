"""Bounds on the optimum: a good network from above, weights on cuts from below."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.cut_system import Proof, WeightedSystem
from noisyor.search.bounds.duals import Cuts, Duals, duals_of
from noisyor.search.bounds.effort import ALL_CUTS, BoundsProgress, Effort, Ending
from noisyor.search.families import Families

if TYPE_CHECKING:
    from noisyor._kernels import kernels

_RANDOM_ORDERS = 12  # starts of the first search
_MORE_RANDOM_ORDERS = 36  # if the cuts have not closed the gap


@dataclass(frozen=True, slots=True)
class BoundsStatistics:
    """How the bounds were found."""

    ending: Ending
    rounds: int
    cuts_found: int
    columns: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Duals and a network: its family for each variable (n,), and its ticks, the upper bound.

    The duals are those of clusters, with which the lattice and the members can be searched. The
    proof is that of all cuts, and has the best lower bound.
    """

    duals: Duals
    proof: Proof
    incumbent: npt.NDArray[np.int64]
    upper_bound: int
    statistics: BoundsStatistics


def find_bounds(  # noqa: PLR0913  (one option each, all by name)
    families: Families,
    tick: float,
    *,
    seed: int = 0,
    deadline: float | None = None,
    cancellation: "kernels.Cancellation | None" = None,
    effort: Effort = ALL_CUTS,
    start: Cuts | WeightedSystem | None = None,
    order: npt.NDArray[np.int32] | None = None,
    progress: Callable[[BoundsProgress], None] | None = None,
) -> Bounds:
    """Return bounds on the ticks of the best acyclic network; NoNetworkError if there is none.

    The tick is in nats. The `deadline` is a value of `time.monotonic`. The work starts with the
    cuts of `start`, and with the `order` of a network known to be good instead of random orders. It
    ends for one of the reasons in `Ending`. The result depends on the seed; it depends on time only
    through the deadline and, if the effort is exact, the time limit of the integer program.
    """
    started = time.monotonic()
    work = Bounding(families, tick, seed=seed, deadline=deadline, cancellation=cancellation)
    if order is None:
        work.search_random_orders(_RANDOM_ORDERS)
    else:
        work.improve_order(order)
    work.begin(start)
    ending = work.run(effort, progress)
    if order is None:
        work.search_random_orders(_MORE_RANDOM_ORDERS)
    duals = work.duals()
    statistics = BoundsStatistics(
        ending,
        work.rounds,
        work.cuts_found,
        len(work.program.columns),
        time.monotonic() - started,
    )
    return Bounds(duals, work.strongest(), work.incumbent, work.upper_bound, statistics)


def bounds_without_cuts(
    families: Families, tick: float, *, seed: int = 0, cancellation: "kernels.Cancellation"
) -> Bounds:
    """Return a network that is quick to find, and the lower bound without cuts."""
    started = time.monotonic()
    work = Bounding(families, tick, seed=seed, cancellation=cancellation)
    work.improve_order(np.arange(families.variable_count, dtype=np.int32))
    duals = duals_of(families, Cuts.none(families.parents.shape[1]))
    seconds = time.monotonic() - started
    statistics = BoundsStatistics(Ending.NO_CUT, 0, 0, 0, seconds)
    proof = Proof.of_cuts(families, duals.cuts)
    return Bounds(duals, proof, work.incumbent, work.upper_bound, statistics)
