"""The optimum with a proof, and few families: all that any credible network has.

Two exact methods take turns, each with more room at every turn. The walk of `enumeration`, as a
branch and bound, ends soon where the cuts leave a small gap; the lattice of subsets where there
are few variables or dense families, whatever the gap.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import from_words
from noisyor.search.bounds import find_bounds
from noisyor.search.clock import Clock
from noisyor.search.duals import Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.lattice import Lattice, LatticeStop, shortest_path
from noisyor.search.parts import Choice, members_of
from noisyor.search.preparation import Problem

SMALL = 18
"""Variables of which the whole lattice is a matter of moments, so that no cuts are needed."""

DENSE = 25
"""Variables of which the whole lattice can be searched, if cuts leave a large gap."""

_FIRST_SECONDS = 0.5
_FIRST_SUBSETS = 2**18
_GROWTH = 4
_FEW_SUBSETS = 2**16
_MANY_FAMILIES = 5000  # to look for a member with each
_FIRST_NODES = 10
_MOST_NODES = 4000
_UNUSED, _USED, _UNKNOWN = 0, 1, 2


@dataclass(slots=True)
class State:
    """What is known while the search goes on; families only ever become fewer."""

    problem: Problem
    families: Families
    duals: Duals
    best: Choice
    proven: bool = False
    exact: bool = False  # whether every family is known to be in a credible network
    subsets: int = 0
    nodes: int = 0
    lower_bound: int = field(init=False)

    def __post_init__(self) -> None:
        """Take the duals' bound."""
        self.lower_bound = self.duals.lower_bound

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return int(self.families.ticks[self.best].sum())

    def order(self) -> npt.NDArray[np.int32]:
        """Return a topological order of the best network so far."""
        left = dict(enumerate(from_words(self.families.parents[self.best])))
        order: list[int] = []
        placed = 0
        while left:
            ready = next(v for v, parents in left.items() if not parents & ~placed)
            order.append(ready)
            placed |= 1 << ready
            del left[ready]
        return np.array(order, dtype=np.int32)

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Let go of families; those of the best network stay in any case."""
        kept = kept.copy()
        kept[self.best] = True
        self.best = (np.cumsum(kept) - 1)[self.best]
        self.families = self.families.select(kept)
        self.use(duals_of(self.families, self.duals.cuts))

    def use(self, duals: Duals) -> None:
        """Bound with other duals, over the same families."""
        self.duals = duals
        self.raise_bound(duals.lower_bound)

    def raise_bound(self, bound: int) -> None:
        """Take a bound that was proven in another way."""
        self.lower_bound = min(max(self.lower_bound, bound), self.upper_bound)

    def reduce(self) -> None:
        """Let go of families that exceed the bounds on their own.

        A network that has a family exceeds the lower bound by its reduced cost at least.
        """
        most = self.upper_bound + self.problem.slack - self.duals.lower_bound
        self.keep(self.duals.rc <= most)


def prove_optimum(  # noqa: PLR0913  (limits and switches, each by name)
    state: State, clock: Clock, jobs: int, memory: int, *, whole: bool, walks: bool
) -> str | None:
    """Find the best network; return the reason if that could not be finished.

    The `whole` lattice tells the credible families at once. Otherwise, and if that outgrows the
    memory and `walks` are allowed, the optimum comes first, without slack and among few families.
    """
    if whole:
        stop = _filter(state, clock, jobs, np.iinfo(np.int64).max, memory)
        if stop is LatticeStop.MEMORY and not walks:
            return f"the subsets of variables take more than {memory / 2**30:.3g} GiB"
        if stop is LatticeStop.MEMORY:
            tighten(state, clock)  # without cuts the walk below would not end
            state.reduce()
    seconds, subsets = _FIRST_SECONDS, _FIRST_SUBSETS
    while not state.proven and state.upper_bound > state.duals.lower_bound:
        if clock.time_is_up:
            return "the time limit was reached"
        contest = _Contest(state)
        contest.walk(clock, jobs, seconds)
        if not state.proven:
            contest.search_lattice(clock, jobs, subsets, memory)
        seconds, subsets = seconds * _GROWTH, subsets * _GROWTH
    state.proven = True
    state.lower_bound = state.upper_bound
    state.reduce()
    return None


class _Contest:
    """The families among which the optimum is to be found, and two ways of finding it.

    A family is out if it exceeds the bounds on its own, or if another one of the same child has
    some of its parents only and costs no more: an optimal network can do without it.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        families = state.families
        close = state.duals.rc <= state.upper_bound - state.duals.lower_bound
        close[state.best] = True
        marks = kernels.undominated(families.first, families.parents, families.ticks)
        kept = close & marks.astype(np.bool_)
        self._index = np.flatnonzero(kept)
        self._families = families.select(kept)
        self._duals = duals_of(self._families, state.duals.cuts)

    def walk(self, clock: Clock, jobs: int, seconds: float) -> None:
        """Branch and bound, for so long."""
        state = self._state
        with clock.limit(seconds) as cancellation:
            members = members_of(self._families, self._duals, state.upper_bound)
            families, _, nodes, complete = members.best(1, jobs, cancellation)
        state.nodes += nodes
        if len(families):
            state.best = self._index[families[0]]
        state.proven = complete

    def search_lattice(self, clock: Clock, jobs: int, max_subsets: int, memory: int) -> None:
        """Look for a shortest path among so many subsets."""
        state = self._state
        with clock.limit() as cancellation:
            found = shortest_path(
                self._families,
                self._duals,
                state.upper_bound,
                0,
                max_subsets=max_subsets,
                memory=memory,
                jobs=jobs,
                cancellation=cancellation,
            )
        state.subsets += found.subsets
        if isinstance(found, Lattice):
            state.best = self._index[found.best]
            state.proven = True
        else:
            state.raise_bound(found.lower_bound)


def _filter(
    state: State, clock: Clock, jobs: int, max_subsets: int, memory: int
) -> LatticeStop | None:
    """Look for all paths within the slack among so many subsets; exact families come with them."""
    with clock.limit() as cancellation:
        found = shortest_path(
            state.families,
            state.duals,
            state.upper_bound,
            state.problem.slack,
            max_subsets=max_subsets,
            memory=memory,
            jobs=jobs,
            cancellation=cancellation,
        )
    state.subsets += found.subsets
    if not isinstance(found, Lattice):
        state.raise_bound(found.lower_bound)
        return found.reason
    state.best = found.best
    state.proven = True
    state.keep(found.credible())
    state.exact = True
    return None


def shrink(state: State, clock: Clock, jobs: int, memory: int) -> None:
    """Let go of families that no credible network has, as far as that is worth its time.

    The lattice knows them exactly, if it is small enough. Otherwise, for each family a member that
    has it is looked for, a few nodes deep at first. Whatever is found marks all of its families;
    whatever is refuted makes the rest easier, and the lattice smaller.
    """
    known = np.full(len(state.families), _UNKNOWN, dtype=np.uint8)
    nodes, subsets = _FIRST_NODES, _FEW_SUBSETS
    tighten(state, clock)
    while not state.exact and nodes <= _MOST_NODES and not clock.time_is_up:
        stop = _filter(state, clock, jobs, subsets, memory)
        subsets *= _GROWTH
        if stop is LatticeStop.SUBSETS and len(state.families) > _MANY_FAMILIES:
            continue
        if state.exact:
            tighten(state, clock)
        else:
            known = _look_for_members(state, known, nodes, clock, jobs)
            nodes *= _GROWTH


def _look_for_members(
    state: State, known: npt.NDArray[np.uint8], nodes: int, clock: Clock, jobs: int
) -> npt.NDArray[np.uint8]:
    """Look for a member with each family, so many nodes deep; return what is known of the rest."""
    limit = state.upper_bound + state.problem.slack
    with clock.limit() as cancellation:
        members = members_of(state.families, state.duals, limit)
        known = members.used(known, nodes, jobs, cancellation)
    kept = known != _UNUSED
    state.keep(kept)
    state.exact = not (known == _UNKNOWN).any()
    tighten(state, clock)
    left: npt.NDArray[np.uint8] = known[kept]
    return left


def tighten(state: State, clock: Clock) -> None:
    """Look for better duals, now that there are fewer families."""
    with clock.limit() as cancellation:
        bounds = find_bounds(
            state.families,
            state.problem.tick,
            deadline=clock.deadline,
            cancellation=cancellation,
            start=state.duals.cuts,
            order=state.order(),
        )
    if bounds.duals.lower_bound > state.duals.lower_bound:
        state.use(bounds.duals)
