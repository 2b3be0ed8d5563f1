"""Shrinks a branch to the families that some of its credible networks have."""

import numpy as np
import numpy.typing as npt

from noisyor.search.clock import Clock
from noisyor.search.members.counting import members_of
from noisyor.search.proof.lattice import LatticeStop
from noisyor.search.proof.optimum import HOPELESS_GAP, filter_families, tighten
from noisyor.search.proof.state import State

_FEW_SUBSETS = 2**16
_GROWTH = 4
_MANY_FAMILIES = 5000  # too many to search for a member with each
_FIRST_DEPTH = 10  # nodes
_MOST_DEPTH = 4000
_FIRST_NODES = 16  # of branching
_MOST_NODES = 256  # of branching for the walk alone
_LARGE_GAP = 0.5  # nats: worth branching for
_UNUSED, _USED, _UNKNOWN = 0, 1, 2


def shrink(state: State, clock: Clock, jobs: int, memory: int) -> list[State] | None:
    """Remove families that no credible network has, as far as that is worth the time.

    The lattice finds them exactly, if it is small enough; where cuts that it cannot use prove more,
    it comes second. If the bounds leave a large gap, branching takes turns with it; once the parts
    of the branch are bounded well, they are returned to replace it. Unless there are too many
    families, a member with each is searched for, with few nodes at first. A member that is found
    confirms all of its families; a family that is refuted makes the rest easier, and the lattice
    smaller. In the end, whether or not the families are exact, branching has a last turn if the gap
    is large but not hopeless.
    """
    known: npt.NDArray[np.uint8] | None = None
    depth, nodes = _FIRST_DEPTH, _FIRST_NODES
    subsets = max(_FEW_SUBSETS, _GROWTH * state.lattice_size)
    while not state.exact and depth <= _MOST_DEPTH and not clock.time_is_up:
        stop: LatticeStop | None = None
        if depth > _FIRST_DEPTH or state.lattice_size or not state.is_sharper_than_lattice:
            stop = filter_families(state, clock, jobs, subsets, memory)
            subsets *= _GROWTH
        if state.exact:
            break
        if state.gap > _LARGE_GAP:
            if (parts := state.branch(nodes, clock, jobs)) is not None:
                return parts
            nodes *= _GROWTH
        if len(state.families) <= _MANY_FAMILIES or stop is not LatticeStop.SUBSETS:
            if known is None:
                known = np.full(len(state.families), _UNKNOWN, dtype=np.uint8)
            known = _look_for_members(state, known, depth, clock, jobs)
            depth *= _GROWTH
    tighten(state, clock)
    if _LARGE_GAP < state.gap <= HOPELESS_GAP:  # which would leave the walk little to go by
        return state.branch(_MOST_NODES, clock, jobs)
    return None


def _look_for_members(
    state: State, known: npt.NDArray[np.uint8], depth: int, clock: Clock, jobs: int
) -> npt.NDArray[np.uint8]:
    """Search for a member with each family, in `depth` nodes; return the status of those left."""
    with clock.limit() as cancellation:
        members = members_of(state.families, state.proof, state.standing.limit)
        known = members.used(known, depth, jobs, cancellation)
    kept = known != _UNUSED
    state.keep(kept)
    state.exact = not (known == _UNKNOWN).any()
    tighten(state, clock)
    left: npt.NDArray[np.uint8] = known[kept]
    return left
