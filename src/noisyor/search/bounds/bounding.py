"""Computing bounds: a linear program of families and cuts, and a search over orders.

Upper bounds come from local search over orders, started also from orders that fractional solutions
suggest. Lower bounds come from the linear program, to which violated cuts and useful columns are
added in turn. Any weights are valid (see `duals`), so the work may stop at any time and be resumed
later, also with more families.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import Words, from_words
from noisyor.search.bounds.cut_system import HalvedSums, Proof, WeightedSystem, prove
from noisyor.search.bounds.duals import Clusters, Cuts, Duals, Ids, duals_of
from noisyor.search.bounds.effort import (
    NEGLIGIBLE,
    BoundsProgress,
    Effort,
    Ending,
)
from noisyor.search.bounds.linear_program import (
    LinearProgram,
    Solution,
    Start,
)
from noisyor.search.bounds.order_search import OrderSearch
from noisyor.search.bounds.separation import (
    BRIEF,
    CLASSED,
    DEEP,
    LEAST_VIOLATION,
    LocalSearch,
    Point,
    exact_cut,
    rounded_order,
    violated_cuts,
    violated_halves,
)
from noisyor.search.families import Families, Ticks

Places = npt.NDArray[np.int64]
"""Positions of families in a list."""

_POSITIVE = 1e-7  # the solver's tolerance: smaller values count as 0
_FEW_FAMILIES = 3000  # up to this number, all families become columns at once
_FIRST_COLUMNS = 30  # of each child, if there are more
_NEW_COLUMNS = 12  # of each child, each time
_AHEAD = 0.1  # of the gap: a program further ahead of its proof needs columns before cuts
_FEW_CUTS = 80  # clusters in a round; if there are fewer, cuts are rounded
_POOL_SIZE = 3000  # cuts that left the program
_IDLE_ROUNDS = 3  # after which a cut leaves the program
_EXACT_SECONDS = 1.0
_EXACT_CUTS = 1  # at most: slow, and of little gain after the deep local search
_PERTURBATIONS = 120  # of each random order
_FEW_PERTURBATIONS = 20  # of each order that the program suggests


class Sides(Protocol):
    """A split of the networks into two sides, on which different families do not fit."""

    def without(self, children: npt.NDArray[np.int32], parents: Words) -> npt.NDArray[np.bool_]:
        """Return which families do not fit on the first side."""

    def having(self, children: npt.NDArray[np.int32], parents: Words) -> npt.NDArray[np.bool_]:
        """Return which families do not fit on the second side."""


class Bounding:
    """The linear program, the search over orders, and their best results.

    They use only undominated families, since optimal networks and pi need no others, and families
    that became columns before a dominating family was added.
    """

    def __init__(
        self,
        families: Families,
        tick: float,
        *,
        seed: int = 0,
        deadline: float | None = None,
        cancellation: "kernels.Cancellation | None" = None,
    ) -> None:
        """Take the families; raise NoNetworkError if they make no acyclic network."""
        self._tick = tick
        self._seed = seed
        self.deadline = deadline
        self._cancellation = cancellation or kernels.Cancellation()
        self._choose(families, np.empty(0, dtype=np.int64))
        self._orders = OrderSearch(self._own, seed, self._cancellation)
        words = families.parents.shape[1]
        self._idle = np.empty(0, dtype=np.int64)  # rounds, of each cut in the program
        self._gaps: list[int] = []  # after each round that added cuts
        self._has_new_families = False  # since the last such round
        self._solution: Solution | None = None
        self.best = duals_of(self._own, Cuts.none(words))  # of clusters
        self.proof: Proof | None = None  # of rounded cuts, if it is better
        self._further = False  # whether other cuts than plain clusters are wanted yet
        self.program = LinearProgram(self._own, tick, self._cancellation)
        self._exact_cuts = 0
        self.rounds = 0
        self.cuts_found = 0

    def _choose(self, families: Families, kept: Places) -> None:
        """Choose the families to work with: the undominated ones, and those in `kept`."""
        marks = kernels.undominated(families.first, families.parents, families.ticks)
        chosen = marks.astype(np.bool_)
        chosen[kept] = True
        self._given = families
        self._own = families.select(chosen)
        self._index = np.flatnonzero(chosen)  # of each own family among those given
        self._children = self._own.children()

    def extend(self, families: Families, moved: Places) -> None:
        """Continue with more families: the family at position f is now at position moved[f].

        Ticks are on the same scale as before. The program keeps its columns, cuts and basis; the
        search over orders starts from the best order so far.
        """
        columns = moved[self._index[self.program.columns]]
        before = self._index
        self._choose(families, columns)
        place = np.full(len(families), -1, dtype=np.int64)
        place[self._index] = np.arange(len(self._index))
        self.program.extend(self._own, place[moved[before]])
        self._orders.take(self._own)
        self.best = duals_of(self._own, self.best.cuts)
        if self.proof is not None:
            self.proof = self.proof.weighted.prove(self._own)
        self._solution = None
        self._has_new_families = True
        if not self._further:  # else families that such cuts call for would go on for long
            self._gaps = []
        self._exact_cuts = 0

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return self._orders.ticks

    @property
    def incumbent(self) -> Places:
        """The families of the best network so far."""
        return self._index[self._orders.network]

    @property
    def order(self) -> npt.NDArray[np.int32]:
        """The order in which the best network so far was found."""
        return self._orders.order

    @property
    def gap(self) -> int:
        """The difference of the bounds, in ticks."""
        return self.upper_bound - self.lower_bound

    @property
    def lower_bound(self) -> int:
        """The best lower bound so far, in ticks."""
        return max(self.best.lower_bound, self.proof.lower_bound if self.proof else 0)

    @property
    def closed(self) -> bool:
        """Whether the bounds meet."""
        return self.gap * self._tick <= NEGLIGIBLE

    @property
    def weighted_cuts(self) -> int:
        """The number of cuts that the best lower bound needs."""
        rounded = self.rounded()
        return int(np.count_nonzero((self.best.cuts if rounded is None else rounded).weights))

    def strongest(self) -> Proof:
        """Return the proof of the best lower bound over all families."""
        if self.proof is None or self.proof.lower_bound <= self.best.lower_bound:
            return Proof.of_cuts(self._given, self.best.cuts)
        return self.proof.weighted.prove(self._given)

    def rounded(self) -> WeightedSystem | None:
        """Return the best weights so far, unless they are those of clusters."""
        if self.proof is None or self.proof.lower_bound <= self.best.lower_bound:
            return None
        return self.proof.weighted

    def duals(self) -> Duals:
        """Return the duals of the best weights of clusters so far over all families."""
        return duals_of(self._given, self.best.cuts)

    def point(self) -> Point:
        """Return the last fractional solution.

        If the program was not solved since the families changed, it is the best network.
        """
        if self._solution is not None:
            return self._point(self._solution)
        n, chosen = self._own.variable_count, self._orders.network
        return Point(n, self._children[chosen], self._own.parents[chosen], np.ones(n))

    def gains(self, splits: "Sequence[Sides]", most_iterations: int) -> list[tuple[float, float]]:
        """Estimate by how much the bound rises on each side of some splits, in nats.

        The estimate uses the current columns and cuts and at most `most_iterations` iterations.
        """
        removals = [mask for split in splits for mask in self._removals(split)]
        gains = self.program.gains(removals, most_iterations, self._seconds_left())
        return list(zip(gains[::2], gains[1::2], strict=True))

    def starts_at(self, split: "Sides") -> "tuple[Start | None, Start | None]":
        """Return where the programs of both sides of a split may begin: near their optima.

        Their columns are positions among the families given. None if that is not known.
        """
        starts = (
            self.program.start_without(mask, self._seconds_left()) for mask in self._removals(split)
        )
        without, having = (None if one is None else self._among_given(one) for one in starts)
        return without, having

    def start(self) -> Start:
        """Return where another program over these families may begin; see `starts_at`."""
        return self._among_given(self.program.start())

    def _among_given(self, start: Start) -> Start:
        return replace(start, columns=self._index[start.columns])

    def _removals(self, split: "Sides") -> list[npt.NDArray[np.bool_]]:
        """Return which columns do not fit on the first side of a split, and on the second."""
        columns = self.program.columns
        families = self._children[columns], self._own.parents[columns]
        return [split.without(*families), split.having(*families)]

    def search_random_orders(self, count: int) -> None:
        """Search for a better network from random orders, at least one if none is known yet."""
        rng = np.random.default_rng([self._seed, self.rounds])
        for _ in range(count):
            if self._orders.has_found and (self._closed() or self._time_is_up()):
                break
            order = rng.permutation(self._own.variable_count).astype(np.int32)
            self._orders.search_from(order, _PERTURBATIONS)

    def improve_order(self, order: npt.NDArray[np.int32]) -> None:
        """Search from an order that is known to be good."""
        self._orders.improve(order)

    def begin(self, start: Cuts | WeightedSystem | None = None) -> None:
        """Fill the program with cuts that are known to be good, and with initial columns."""
        merit = self._own.ticks
        if isinstance(start, WeightedSystem):
            rows = np.flatnonzero(start.weights > 0)
            self.program.add_system(start.system, rows)
            self._idle = np.zeros(len(rows), dtype=np.int64)
            self._further = not start.system.are_plain().all()
        elif start is not None and len(start):
            self._add(start.clusters)
            self._further = bool(len(start.clusters.classes))
        if start is not None and len(start):
            merit = self._learn_weights(start)
        self.program.add_columns(np.flatnonzero(self._first_columns(merit)))

    def _learn_weights(self, weights: Cuts | WeightedSystem) -> Ticks:
        """Keep weights if they are the best so far; return the reduced costs that they give."""
        if isinstance(weights, Cuts):
            duals = duals_of(self._own, weights)
            self._keep(duals)
            return duals.rc
        proof = weights.prove(self._own)
        self._keep_proof(proof)
        return proof.rc

    def _first_columns(self, merit: Ticks) -> npt.NDArray[np.bool_]:
        """Return a mask of families to begin with: all if they are few, else those of least merit.

        They make at least one network.
        """
        is_column = np.ones(len(self._own), dtype=np.bool_)
        if len(self._own) > _FEW_FAMILIES:
            everything = np.arange(len(self._own))
            is_column[:] = False
            is_column[_least(everything, self._children, merit, _FIRST_COLUMNS)] = True
            is_column[self._orders.network] = True
        return is_column

    def begin_at(self, start: Start, weights: Cuts | WeightedSystem) -> None:
        """Fill the program with the columns and cuts of a basis, and with useful columns.

        These have the least reduced costs under weights that are known to be good. A column of the
        basis may be missing: it was undominated before there were more families.
        """
        place = np.full(len(self._given), -1, dtype=np.int64)
        place[self._index] = np.arange(len(self._index))
        columns = place[start.columns]
        columns = columns[columns >= 0]
        self.program.begin_at(replace(start, columns=columns))
        self._idle = np.zeros(len(start.rows), dtype=np.int64)
        self._further = not start.system.are_plain()[start.rows].all()
        further = self._first_columns(self._learn_weights(weights))
        further[columns] = False
        self.program.add_columns(np.flatnonzero(further))

    def consider(self, weights: Cuts | WeightedSystem) -> None:
        """Take these weights if they prove more than those so far."""
        self._learn_weights(weights)

    def run(
        self,
        effort: Effort,
        progress: Callable[[BoundsProgress], None] | None = None,
        *,
        enough: int | None = None,
    ) -> Ending:
        """Add cuts and columns until there is a reason to stop, such as a bound of `enough`."""
        while True:
            ending = self._met(enough) or self._time_is_up() or self._too_slow(effort)
            if ending is not None:
                return ending
            solution = self.program.solve(self._seconds_left())
            if not solution.optimal:
                return self._time_is_up() or Ending.UNSOLVED
            self._solution = solution
            self.rounds += 1
            duals = self._learn(solution)
            if progress is not None:
                progress(self._progress())
            if self._met(enough):
                continue
            priced = self._add_columns(duals.rc)
            ahead = solution.objective - duals.lower_bound * self._tick
            if priced and ahead > _AHEAD * self.gap * self._tick:
                continue
            if not self._add_cuts(solution, effort) and not priced:
                # A separation that was cut short does not show that there is no cut.
                return self._time_is_up() or Ending.NO_CUT

    def _learn(self, solution: Solution) -> Duals | Proof:
        """Return what a solution's weights prove, and keep it if it is the best."""
        weights = self.program.weights(solution.duals)
        clusters = self.program.clusters(weights)
        if clusters is not None:
            duals = duals_of(self._own, clusters)
            self._keep(duals)
            return duals
        proof = prove(self._own, self.program.system, weights)
        self._keep_proof(proof)
        return proof

    def _keep(self, duals: Duals) -> None:
        if duals.lower_bound > self.best.lower_bound:
            self.best = duals

    def _keep_proof(self, proof: Proof) -> None:
        if self.proof is None or proof.lower_bound > self.proof.lower_bound:
            self.proof = proof

    def _closed(self) -> Ending | None:
        return Ending.CLOSED if self.closed else None

    def _met(self, enough: int | None) -> Ending | None:
        if enough is not None and self.lower_bound >= enough:
            return Ending.ENOUGH
        return self._closed()

    def _time_is_up(self) -> Ending | None:
        if self._cancellation.cancelled:
            return Ending.CANCELLED
        left = self._seconds_left()
        return Ending.DEADLINE if left is not None and left <= 0 else None

    def _seconds_left(self) -> float | None:
        return None if self.deadline is None else self.deadline - time.monotonic()

    def _too_slow(self, effort: Effort) -> Ending | None:
        """Return whether to stop, since the gap closes slowly even with all kinds of cuts.

        New families lower the bound until the program has been solved with them.
        """
        if self._has_new_families:
            return None
        now = effort.further if self._further and effort.further is not None else effort
        if len(self._gaps) <= now.patience:
            return None
        before = self._gaps[-1 - now.patience]
        if self._gaps[-1] <= (1 - now.share) * before:
            return None
        return None if self._go_further(effort) else Ending.SLOW

    def _go_further(self, effort: Effort) -> bool:
        """Look for all kinds of cuts from now on, if that is wanted and new."""
        begins = effort.further is not None and not self._further
        if begins:
            self._further = True
            self._gaps = []
        return begins

    def _progress(self) -> BoundsProgress:
        return BoundsProgress(
            self.rounds,
            self.lower_bound,
            self.upper_bound,
            len(self.program.rows),
            len(self.program.columns),
        )

    def _add_columns(self, rc: Ticks) -> bool:
        """Add families whose reduced cost is below that of any column of their child."""
        columns = self.program.columns
        cheapest = np.full(self._own.variable_count, np.iinfo(np.int64).max)
        np.minimum.at(cheapest, self._children[columns], rc[columns])
        tolerance = int(_POSITIVE / self._tick) + 1
        lacking = np.flatnonzero(rc + tolerance < cheapest[self._children])
        if not len(lacking):
            return False
        self.program.add_columns(_least(lacking, self._children, rc, _NEW_COLUMNS))
        return True

    def _point(self, solution: Solution) -> Point:
        positive = solution.values > _POSITIVE
        support = solution.columns[positive]
        return Point(
            self._own.variable_count,
            self._children[support],
            self._own.parents[support],
            solution.values[positive],
        )

    def _add_cuts(self, solution: Solution, effort: Effort) -> bool:
        """Add cuts that the solution violates, and remove idle ones."""
        point = self._point(solution)
        self._orders.search_from(rounded_order(point), _FEW_PERTURBATIONS)
        tight = self.program.rows[solution.duals > _POSITIVE]
        starts = self.program.system.sets[tight[~self.program.system.are_rounded()[tight]]]
        self._remove_idle(solution)
        again = self._violated_again(point)
        found = self._separate(point, starts, effort)
        self._gaps.append(self.gap)
        self._has_new_families = False
        if not len(again) + len(found) and self._go_further(effort):
            found = self._local_search(point, starts, CLASSED)
        halves = HalvedSums([], [])
        if self._further and len(again) + len(found) < _FEW_CUTS:
            halves = violated_halves(
                point,
                self.program.system,
                self.program.rows,
                self._seed + self.rounds,
                self._cancellation,
            )
        if halves.parts:
            self.program.add_halves(halves)
            self._count_new(len(halves.parts))
        if len(again):
            self.program.add_rows(again)
            self._count_new(len(again))
        if len(found):
            self._add(found)
        return len(again) + len(found) + len(halves.parts) > 0

    def _violated_again(self, point: Point) -> Ids:
        """Return the cuts that are no longer in the program and that a point violates."""
        system = self.program.system
        outside = np.setdiff1d(np.arange(len(system)), self.program.rows)
        values = system.coefficients(outside, point.children, point.parents)
        return outside[values @ point.values < system.needs[outside] - LEAST_VIOLATION]

    def _separate(self, point: Point, starts: Words, effort: Effort) -> Clusters:
        """Return clusters that a point violates; with classes, too, if these are wanted."""
        found = self._local_search(point, starts, BRIEF)
        if self._further:
            found = found.and_also(self._local_search(point, starts, CLASSED))
        if not len(found):
            found = self._local_search(point, starts, DEEP)
        if len(found) or self._cancellation.cancelled:
            return found
        if effort.exact and self._exact_cuts < _EXACT_CUTS:
            self._exact_cuts += 1
            return exact_cut(point, 1, _EXACT_SECONDS)
        return found

    def _local_search(self, point: Point, starts: Words, search: LocalSearch) -> Clusters:
        seed = self._seed + self.rounds
        return violated_cuts(point, starts, search, seed, self._cancellation)

    def _add(self, clusters: Clusters) -> None:
        self.program.add_clusters(clusters)
        self._count_new(len(clusters))

    def _count_new(self, cuts: int) -> None:
        self._idle = np.concatenate((self._idle, np.zeros(cuts, dtype=np.int64)))
        self.cuts_found += cuts

    def _remove_idle(self, solution: Solution) -> None:
        """Remove cuts that had no weight for some rounds, tight or not: fewer rows are faster."""
        self._idle = np.where(solution.duals > _POSITIVE, 0, self._idle + 1)
        removed = self._idle >= _IDLE_ROUNDS
        if removed.any():
            self.program.remove_rows(removed)
            self.program.forget(_POOL_SIZE)
            self._idle = self._idle[~removed]


def topological_order(families: Families, network: Places) -> npt.NDArray[np.int32]:
    """Return an order of the variables in which every parent comes before its children."""
    left = dict(enumerate(from_words(families.parents[network])))
    order: list[int] = []
    placed = 0
    while left:
        ready = next(v for v, parents in left.items() if not parents & ~placed)
        order.append(ready)
        placed |= 1 << ready
        del left[ready]
    return np.array(order, dtype=np.int32)


def _least(
    candidates: Places, children: npt.NDArray[np.int32], merit: npt.NDArray[np.int64], most: int
) -> Places:
    """Return, for each child, at most `most` candidates: those of least merit."""
    by_child = np.lexsort((merit[candidates], children[candidates]))
    candidates = candidates[by_child]
    own = children[candidates]
    rank = np.arange(len(candidates)) - np.searchsorted(own, own)
    return candidates[rank < most]
