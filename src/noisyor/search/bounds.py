"""Bounds on the best network: a good network from above, weights on cuts from below.

From above, local search over orders, also from orders that fractional solutions suggest. From
below, the linear program of families and cuts, to which violated cuts and useful columns are added
in turns. Any weights are valid (see `duals`), so the work may stop at any time.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.errors import ConstraintError
from noisyor.core.variable_sets import Words
from noisyor.search.duals import Cuts, Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.linear_program import LinearProgram, Solution
from noisyor.search.separation import (
    BRIEF,
    DEEP,
    CutPool,
    FoundCuts,
    Point,
    exact_cut,
    rounded_order,
    violated_cuts,
)

_NEGLIGIBLE = 1e-6  # nats; a gap that the rounding of weights leaves, and the solver's tolerance
_POSITIVE = 1e-7  # what the solver takes for more than 0
_FEW_FAMILIES = 3000  # all of them become columns at once
_FIRST_COLUMNS = 30  # of each child, if there are more
_NEW_COLUMNS = 12  # of each child, each time
_AHEAD = 0.1  # of the gap: a program further ahead of its proof needs columns before cuts
_IDLE_ROUNDS = 3  # after which a cut leaves the program
_EXACT_SECONDS = 1.0
_EXACT_CUTS = 1  # as it takes long and gains little after the deep local search
_RANDOM_ORDERS = 12  # to search from at first
_MORE_RANDOM_ORDERS = 36  # if the cuts have not closed the gap
_PERTURBATIONS = 120  # of each random order
_FEW_PERTURBATIONS = 20  # of each order that the program suggests
_MOST_LOOKS = 100_000_000  # at families, from each order


class Ending(Enum):
    """Why the work on the bounds ended."""

    CLOSED = "the bounds meet"
    NO_CUT = "no violated cut was found"
    SLOW = "the bound rose too slowly"
    DEADLINE = "the time was up"
    CANCELLED = "it was cancelled"
    UNSOLVED = "the linear program's solver gave up"


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the work goes on: while `patience` rounds close at least a `share` of the gap.

    When local search finds no more cuts, `exact` has an integer program look for one more.
    """

    patience: int
    share: float
    exact: bool


QUICK = Effort(patience=10, share=0.05, exact=False)
THOROUGH = Effort(patience=25, share=0.01, exact=True)


@dataclass(frozen=True, slots=True)
class BoundsStatistics:
    """How the bounds came about."""

    ending: Ending
    rounds: int
    cuts_found: int
    cuts_weighted: int
    columns: int
    seconds: float


@dataclass(frozen=True, slots=True)
class BoundsProgress:
    """The bounds so far, in ticks."""

    rounds: int
    lower_bound: int
    upper_bound: int
    cuts: int
    columns: int


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Duals and a network: its family for each variable (n,), and its ticks, the upper bound."""

    duals: Duals
    incumbent: npt.NDArray[np.int64]
    upper_bound: int
    statistics: BoundsStatistics


class NoNetworkError(ConstraintError):
    """The families make no acyclic network; `variables` are those that cannot have a family."""

    def __init__(self, variables: list[int]) -> None:
        super().__init__(_no_network([f"number {variable}" for variable in variables]))
        self.variables = tuple(variables)

    def message(self, names: Sequence[str]) -> str:
        """Return what is wrong, with the variables' names."""
        return _no_network([repr(names[variable]) for variable in self.variables])


def _no_network(variables: list[str]) -> str:
    return (
        "no acyclic network can be made of the families that are left: each family of "
        f"{', '.join(variables)} has one of these variables as a parent"
    )


def find_bounds(  # noqa: PLR0913  (each option is one that a caller needs)
    families: Families,
    tick: float,
    *,
    seed: int = 0,
    deadline: float | None = None,
    cancellation: "kernels.Cancellation | None" = None,
    effort: Effort = THOROUGH,
    start: Cuts | None = None,
    order: npt.NDArray[np.int32] | None = None,
    progress: Callable[[BoundsProgress], None] | None = None,
) -> Bounds:
    """Return bounds on the ticks of the best acyclic network; NoNetworkError if there is none.

    The tick is in nats. The `deadline` is a value of `time.monotonic`. The work begins with the
    cuts of `start`, and with the `order` of a network known to be good instead of random ones; it
    ends for one of the reasons in `Ending`. The result depends on the seed, and on time only
    through the deadline and the time allowed to an integer program.
    """
    started = time.monotonic()
    work = _Work(families, tick, seed, deadline, cancellation or kernels.Cancellation())
    if order is None:
        work.search_random_orders(_RANDOM_ORDERS)
    else:
        work.improve_order(order)
    work.begin(start)
    ending = work.run(effort, progress)
    if order is None:
        work.search_random_orders(_MORE_RANDOM_ORDERS)
    duals = duals_of(families, work.best.cuts)
    statistics = BoundsStatistics(
        ending,
        work.rounds,
        work.cuts_found,
        len(duals.cuts),
        len(work.program.columns),
        time.monotonic() - started,
    )
    return Bounds(duals, work.incumbent, work.upper_bound, statistics)


def bounds_without_cuts(
    families: Families, tick: float, *, seed: int = 0, cancellation: "kernels.Cancellation"
) -> Bounds:
    """Return a network that is easy to find, and the bound that holds without any cut."""
    started = time.monotonic()
    work = _Work(families, tick, seed, None, cancellation)
    work.improve_order(np.arange(families.variable_count, dtype=np.int32))
    duals = duals_of(families, Cuts.none(families.parents.shape[1]))
    seconds = time.monotonic() - started
    statistics = BoundsStatistics(Ending.NO_CUT, 0, 0, 0, 0, seconds)
    return Bounds(duals, work.incumbent, work.upper_bound, statistics)


class _Work:
    """The linear program, the search over orders, and the best of what they found.

    They have only the families that no other dominates: best networks and pi need no others.
    """

    def __init__(
        self,
        families: Families,
        tick: float,
        seed: int,
        deadline: float | None,
        cancellation: "kernels.Cancellation",
    ) -> None:
        marks = kernels.undominated(families.first, families.parents, families.ticks)
        own = self._families = families.select(marks.astype(np.bool_))
        self._orders = kernels.OrderSearch(own.first, own.parents, own.ticks)
        if stuck := self._orders.stuck():
            raise NoNetworkError(stuck)
        self._index = np.flatnonzero(marks)
        self._children = self._families.children()
        self._tick = tick
        self._seed = seed
        self._deadline = deadline
        self._cancellation = cancellation
        words = families.parents.shape[1]
        self._pool = CutPool(words)
        self._idle = np.empty(0, dtype=np.int64)  # rounds, of each cut in the program
        self._gaps: list[int] = []  # after each round that added cuts
        self.best = duals_of(self._families, Cuts.none(words))
        self.program = LinearProgram(self._families, tick, cancellation)
        self._exact_cuts = 0
        self._searches = 0
        self.rounds = 0
        self.cuts_found = 0

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return self._found()[0]

    @property
    def incumbent(self) -> npt.NDArray[np.int64]:
        """The families of the best network so far."""
        return self._index[self._found()[1]]

    @property
    def gap(self) -> int:
        """The ticks between the bounds."""
        return self.upper_bound - self.best.lower_bound

    def search_random_orders(self, count: int) -> None:
        """Look for a better network from random orders, at least one if there is none yet."""
        rng = np.random.default_rng([self._seed, self.rounds])
        for _ in range(count):
            if self._orders.best() is not None and (self._closed() or self._time_is_up()):
                break
            order = rng.permutation(self._families.variable_count).astype(np.int32)
            self._search_from(order, _PERTURBATIONS)

    def improve_order(self, order: npt.NDArray[np.int32]) -> None:
        """Begin with an order that is known to be good."""
        self._orders.improve(order[None, :], 0, _MOST_LOOKS, self._seed, self._cancellation)

    def begin(self, start: Cuts | None) -> None:
        """Fill the program with its first columns and with cuts that are known to be good."""
        rank = np.arange(len(self._families)) - self._families.first[self._children]
        few = len(self._families) <= _FEW_FAMILIES
        is_column = rank < (len(self._families) if few else _FIRST_COLUMNS)
        is_column[self._found()[1]] = True
        self.program.add_columns(np.flatnonzero(is_column))
        if start is not None and len(start):
            self._add(FoundCuts(start.members, start.needs))
            self._keep(duals_of(self._families, start))

    def run(self, effort: Effort, progress: Callable[[BoundsProgress], None] | None) -> Ending:
        """Add cuts and columns until there is a reason to stop."""
        while True:
            ending = self._closed() or self._time_is_up() or self._too_slow(effort)
            if ending is not None:
                return ending
            solution = self.program.solve(self._seconds_left())
            if not solution.optimal:
                return self._time_is_up() or Ending.UNSOLVED
            self.rounds += 1
            duals = duals_of(self._families, self.program.cuts(solution.duals))
            self._keep(duals)
            if progress is not None:
                progress(self._progress())
            if self._closed():
                continue
            priced = self._add_columns(duals)
            ahead = solution.objective - duals.lower_bound * self._tick
            if priced and ahead > _AHEAD * self.gap * self._tick:
                continue
            if not self._add_cuts(solution, effort) and not priced:
                return self._time_is_up() or Ending.NO_CUT  # a search cut short proves nothing

    def _found(self) -> tuple[int, npt.NDArray[np.int64]]:
        found = self._orders.best()
        if found is None:
            raise RuntimeError("the bounds were asked for before the first search over orders")
        ticks, chosen, _ = found
        return ticks, chosen

    def _search_from(self, order: npt.NDArray[np.int32], perturbations: int) -> None:
        seed = self._seed + self._searches
        self._searches += 1
        self._orders.improve(order[None, :], perturbations, _MOST_LOOKS, seed, self._cancellation)

    def _keep(self, duals: Duals) -> None:
        if duals.lower_bound > self.best.lower_bound:
            self.best = duals

    def _closed(self) -> Ending | None:
        return Ending.CLOSED if self.gap * self._tick <= _NEGLIGIBLE else None

    def _time_is_up(self) -> Ending | None:
        if self._cancellation.cancelled:
            return Ending.CANCELLED
        left = self._seconds_left()
        return Ending.DEADLINE if left is not None and left <= 0 else None

    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else self._deadline - time.monotonic()

    def _too_slow(self, effort: Effort) -> Ending | None:
        if len(self._gaps) <= effort.patience:
            return None
        before = self._gaps[-1 - effort.patience]
        return Ending.SLOW if self._gaps[-1] > (1 - effort.share) * before else None

    def _progress(self) -> BoundsProgress:
        return BoundsProgress(
            self.rounds,
            self.best.lower_bound,
            self.upper_bound,
            len(self.program.needs),
            len(self.program.columns),
        )

    def _add_columns(self, duals: Duals) -> bool:
        """Add the families that are cheaper, after rewards, than any column of their child."""
        columns = self.program.columns
        cheapest = np.full(self._families.variable_count, np.iinfo(np.int64).max)
        np.minimum.at(cheapest, self._children[columns], duals.rc[columns])
        tolerance = int(_POSITIVE / self._tick) + 1
        lacking = np.flatnonzero(duals.rc + tolerance < cheapest[self._children])
        if not len(lacking):
            return False
        children = self._children[lacking]
        by_child = np.lexsort((duals.rc[lacking], children))
        lacking, children = lacking[by_child], children[by_child]
        rank = np.arange(len(lacking)) - np.searchsorted(children, children)
        self.program.add_columns(lacking[rank < _NEW_COLUMNS])
        return True

    def _add_cuts(self, solution: Solution, effort: Effort) -> bool:
        """Add cuts that the solution violates, and let idle ones go."""
        positive = solution.values > _POSITIVE
        support = solution.columns[positive]
        point = Point(
            self._families.variable_count,
            self._children[support],
            self._families.parents[support],
            solution.values[positive],
        )
        self._search_from(rounded_order(point), _FEW_PERTURBATIONS)
        starts = self.program.members[solution.duals > _POSITIVE]
        found = self._pool.take_violated(point).join(self._separate(point, starts, effort))
        self._remove_idle(solution)
        self._gaps.append(self.gap)
        if len(found):
            self._add(found)
        return len(found) > 0

    def _separate(self, point: Point, starts: Words, effort: Effort) -> FoundCuts:
        found = FoundCuts.none(starts.shape[1])
        for search in (BRIEF, DEEP):
            found = violated_cuts(
                point, starts, search, self._seed + self.rounds, self._cancellation
            )
            if len(found) or self._cancellation.cancelled:
                return found
        if effort.exact and self._exact_cuts < _EXACT_CUTS:
            self._exact_cuts += 1
            return exact_cut(point, 1, _EXACT_SECONDS)
        return found

    def _add(self, cuts: FoundCuts) -> None:
        self.program.add_cuts(cuts.members, cuts.needs)
        self._idle = np.concatenate((self._idle, np.zeros(len(cuts), dtype=np.int64)))
        self.cuts_found += len(cuts)

    def _remove_idle(self, solution: Solution) -> None:
        needs = self.program.needs
        busy = (solution.duals > _POSITIVE) | (solution.left_sides < needs + _POSITIVE)
        self._idle = np.where(busy, 0, self._idle + 1)
        removed = self._idle >= _IDLE_ROUNDS
        if removed.any():
            self._pool.put(FoundCuts(self.program.members[removed], needs[removed]))
            self.program.remove_cuts(removed)
            self._idle = self._idle[~removed]
