"""Proves the optimum.

Three exact methods take turns, each with a larger budget at every turn. The enumeration, as branch
and bound, is fast if the cuts leave a small gap; the lattice of subsets if there are few variables
or dense families, whatever the gap; branching if few edges are undecided. Branching has no more
time than the others, unless it closes the gap quickly, or the gap of many variables is too large
for the others. Many branches are split further together.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from noisyor._kernels import kernels
from noisyor.search.bounds.duals import duals_of
from noisyor.search.bounds.root import find_bounds
from noisyor.search.clock import Clock
from noisyor.search.members.counting import members_of
from noisyor.search.no_network import NoNetworkError
from noisyor.search.proof.dividing import divide
from noisyor.search.proof.lattice import Lattice, LatticeStop, NoPathError, shortest_path
from noisyor.search.proof.state import Standing, State

SMALL = 18
"""Up to this number of variables the whole lattice is fast, so no cuts are needed."""

DENSE = 25
"""Up to this number of variables the whole lattice can be searched if cuts leave a large gap."""

FEW = 32
"""Up to this number of variables even a large gap leaves few subsets."""

HOPELESS_GAP = 50.0
"""Nats: too much for the enumeration, and for the lattice of many variables."""

_FIRST_SECONDS = 0.5
_FIRST_SUBSETS = 2**18
_FIRST_NODES = 16
_MANY = 16  # branches that are split together
_LEAST_TURN = 2.0  # seconds, of branching; more if the others took longer
_MUCH = 0.25  # of the gap: branching that closes as much in a turn has another one
_GROWTH = 4
_LEAST_SECONDS = 0.05  # of the enumeration of a branch
_LEAST_SUBSETS = 2**14
_LEAST_GAP = 0.5  # nats: where a program of its own pays for a branch


def prove_whole(state: State, clock: Clock, jobs: int, memory: int, *, walks: bool) -> str | None:
    """Search the whole lattice, which also gives the exact set of credible families.

    Return the reason if memory is too small for it, unless enumeration may take over (`walks`).
    """
    stop = filter_families(state, clock, jobs, np.iinfo(np.int64).max, memory)
    if stop is LatticeStop.MEMORY and not walks:
        return f"the subsets of variables take more than {memory / 2**30:.3g} GiB"
    if stop is LatticeStop.MEMORY:
        tighten(state, clock)  # without cuts the enumeration would take too long
        state.reduce()
    return None


def prove_optimum(
    standing: Standing, states: list[State], clock: Clock, jobs: int, memory: int
) -> tuple[list[State], str | None]:
    """Find the best network of all branches; return the branches, and the reason if unfinished.

    A branch that was split is replaced by its parts. Branches without credible networks are
    dropped.
    """
    seconds, subsets, nodes = _FIRST_SECONDS, _FIRST_SUBSETS, _FIRST_NODES
    if len(states) == 1 and _is_for_lattice(states[0]):
        subsets *= _GROWTH
    while waiting := [one for one in states if _is_open(one)]:
        if clock.time_is_up:
            return states, clock.ending
        share = len(waiting)
        started = clock.seconds
        contested = [one for one in waiting if not _is_for_branching(one)]
        for state in contested:
            contest = Contest(state, standing.upper_bound)
            contest.walk(clock, jobs, max(_LEAST_SECONDS, seconds / share))
            if _is_open(state):
                contest.search_lattice(clock, jobs, max(_LEAST_SUBSETS, subsets // share), memory)
        divided = [one for one in waiting if _is_open(one) and one.may_be_split]
        if len(divided) >= _MANY:
            states = [one for one in states if one not in divided]
            states += divide(standing, divided, clock, jobs)
        else:
            turn = max(_LEAST_TURN, clock.seconds - started) / share
            states = [
                part
                for one in states
                for part in _parts(one, max(1, nodes // share), turn, clock, jobs)
            ]
        nodes *= _GROWTH
        if contested:
            seconds, subsets = seconds * _GROWTH, subsets * _GROWTH
    for state in states:
        state.reduce()
    return [state for state in states if not state.empty], None


def _is_open(state: State) -> bool:
    """Return whether the branch may hold a better network than the best one so far."""
    return not state.proven and state.lower_bound < state.standing.upper_bound


def _is_for_lattice(state: State) -> bool:
    """Return whether the lattice is the only method that can be expected to finish."""
    return state.gap > HOPELESS_GAP and _has_few_variables(state)


def _is_for_branching(state: State) -> bool:
    """Return whether branching is the only method that can be expected to finish."""
    hopeless = state.gap > HOPELESS_GAP and not _has_few_variables(state)
    return hopeless and state.may_be_split


def _has_few_variables(state: State) -> bool:
    return state.families.variable_count <= FEW


def _parts(state: State, nodes: int, seconds: float, clock: Clock, jobs: int) -> list[State]:
    """Branch for a while, and go on as long as that closes the gap quickly.

    Return the parts of a branch once they are bounded well enough.
    """
    parts: list[State] | None = None
    gets_on = True
    while parts is None and gets_on and _is_open(state) and not clock.time_is_up:
        before = state.standing.upper_bound - state.lower_bound
        parts = state.branch(nodes, clock, jobs, seconds)
        after = state.standing.upper_bound - state.lower_bound
        gets_on = after <= (1 - _MUCH) * before
    return [state] if parts is None else parts


def settle(state: State, clock: Clock, jobs: int, memory: int) -> None:
    """Find the best network of a branch, if one is credible; sets `proven` unless time is up."""
    seconds, subsets = _LEAST_SECONDS, _LEAST_SUBSETS
    state.proven = state.proven or state.lower_bound >= state.upper_bound == state.optimum
    while not (state.proven or state.empty or clock.time_is_up):
        contest = Contest(state, state.upper_bound)
        contest.search_lattice(clock, jobs, subsets, memory)
        if not state.proven:
            contest.walk(clock, jobs, seconds)
        seconds, subsets = seconds * _GROWTH, subsets * _GROWTH
    if state.proven and state.optimum is not None:
        state.raise_bound(state.optimum)


def improve(states: Sequence[State], clock: Clock, jobs: int) -> None:
    """Find better duals of branches whose best network is hard to find, several at once.

    The program of a branch was solved when there were fewer families, and not for long: its bound
    need not rise far beyond the best network of all. No network of the branch may be known.
    """
    wanting = [
        one for one in states if not one.proven and not one.empty and _is_worth_a_program(one)
    ]
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda state: _improve(state, clock), wanting):
            pass  # an exception is raised here


def _is_worth_a_program(state: State) -> bool:
    return _LEAST_GAP < state.gap <= HOPELESS_GAP


def _improve(state: State, clock: Clock) -> None:
    if clock.time_is_up:
        return
    try:
        tighten(state, clock)
    except NoNetworkError:  # its families always close a cycle
        state.raise_bound(state.standing.limit + 1)
    else:
        state.reduce()


def filter_families(
    state: State, clock: Clock, jobs: int, max_subsets: int, memory: int
) -> LatticeStop | None:
    """Find all paths within the slack, among `max_subsets`, and so the exact set of families."""
    with clock.limit() as cancellation:
        found = shortest_path(
            state.families,
            state.duals,
            state.upper_bound,
            state.slack,
            max_subsets=max_subsets,
            memory=memory,
            jobs=jobs,
            cancellation=cancellation,
        )
    state.standing.subsets += found.subsets
    if not isinstance(found, Lattice):
        state.raise_bound(min(found.lower_bound, state.upper_bound))
        return found.reason
    state.found(found.best)
    state.proven = True
    state.keep(found.credible)
    state.exact = True
    return None


def tighten(state: State, clock: Clock) -> None:
    """Find better duals, now that there are fewer families."""
    with clock.limit() as cancellation:
        bounds = find_bounds(
            state.families,
            state.tick,
            deadline=clock.deadline,
            cancellation=cancellation,
            start=state.proof.weighted if state.is_sharper_than_lattice else state.duals.cuts,
            order=state.order(),
        )
    state.take(bounds.proof)
    if bounds.duals.lower_bound > state.duals.lower_bound:
        state.use(bounds.duals)


class Contest:
    """Two ways of finding the best network of at most `most` ticks, if there is one.

    A family is left out if it exceeds `most` on its own, or if a family of the same child over a
    subset of its parents costs no more: some best network does without it. That holds within a
    branch as well, since all its families have the required parents.
    """

    def __init__(self, state: State, most: int) -> None:
        self._state = state
        self._most = most
        families = state.families
        close = state.at_least <= most
        marks = kernels.undominated(families.first, families.parents, families.ticks)
        kept = close & marks.astype(np.bool_)
        self._index = np.flatnonzero(kept)
        self._families = families.select(kept)

    def walk(self, clock: Clock, jobs: int, seconds: float) -> None:
        """Enumerate as branch and bound, for at most `seconds`."""
        state = self._state
        if self._is_void():
            return
        with clock.limit(seconds) as cancellation:
            proof = state.proof.weighted.prove(self._families)
            members = members_of(self._families, proof, self._most)
            found = members.best(1, jobs, cancellation)
        state.standing.nodes += found.nodes
        if len(found.ticks):
            state.found(self._index[found.choices[0]])
            state.proven = found.complete
        elif found.complete:
            self._nothing()

    def search_lattice(self, clock: Clock, jobs: int, max_subsets: int, memory: int) -> None:
        """Find a shortest path among at most `max_subsets` subsets."""
        state = self._state
        if self._is_void():
            return
        try:
            with clock.limit() as cancellation:
                found = shortest_path(
                    self._families,
                    duals_of(self._families, state.duals.cuts),
                    self._most,
                    0,
                    max_subsets=max_subsets,
                    memory=memory,
                    jobs=jobs,
                    cancellation=cancellation,
                )
        except NoPathError:
            self._nothing()
            return
        state.standing.subsets += found.subsets
        if isinstance(found, Lattice):
            state.found(self._index[found.best])
            state.proven = True
            state.lattice_size = found.subsets
        else:
            state.raise_bound(min(found.lower_bound, self._most))

    def _is_void(self) -> bool:
        """Return whether some child has no family left, so that there is no network.

        Nothing can be proven about the families of such a child. Another branch may have lowered
        `most` so far that it lost all of them.
        """
        void = not np.diff(self._families.first).all()
        if void:
            self._nothing()
        return void

    def _nothing(self) -> None:
        """Record that no network has at most `most` ticks."""
        state = self._state
        state.raise_bound(self._most + 1)
        state.proven = state.proven or self._most >= state.standing.limit
