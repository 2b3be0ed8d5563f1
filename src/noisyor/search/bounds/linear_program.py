"""The linear program behind the weights: families as columns, children and cuts as rows.

Minimise the ticks of a fractional choice of families, one per child, subject to cuts. The solver
works in floating point, to its own tolerance. Its results only suggest weights and points to
separate; `duals` alone determines what the weights prove.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import highspy
import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import WORD_BITS, Words
from noisyor.search.bounds.cut_system import CutSystem, HalvedSums
from noisyor.search.bounds.duals import Clusters, Cuts, Ids
from noisyor.search.families import Families, Ticks

if TYPE_CHECKING:
    from noisyor._kernels import kernels

Floats = npt.NDArray[np.float64]

_ENDED_EARLY = (highspy.HighsModelStatus.kTimeLimit, highspy.HighsModelStatus.kInterrupt)
_DUAL_SIMPLEX, _PRIMAL_SIMPLEX = 1, 4


def quiet_solver() -> highspy.Highs:
    """Return a solver that prints nothing and uses one thread."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs


def contains(sets: Words, variable: int) -> npt.NDArray[np.bool_]:
    """Return which sets contain a variable."""
    word, bit = divmod(variable, WORD_BITS)
    inside: npt.NDArray[np.bool_] = (sets[:, word] >> np.uint64(bit) & np.uint64(1)) == 1
    return inside


def counts_in(
    children: npt.NDArray[np.int32], parents: Words, variables: Words, needs: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Return which families count in which cuts, shape (cuts, families)."""
    word, bit = np.divmod(children, WORD_BITS)
    inside = variables[:, word] >> bit.astype(np.uint64) & np.uint64(1)
    shared = np.zeros(inside.shape, dtype=np.int32)
    for column in range(variables.shape[1]):
        shared += np.bitwise_count(variables[:, column, None] & parents[None, :, column])
    counts: npt.NDArray[np.bool_] = (inside == 1) & (shared < needs[:, None])
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The columns and their values, and the dual of each cut."""

    objective: float  # in nats
    columns: npt.NDArray[np.int64]
    values: Floats
    duals: Floats
    optimal: bool


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The basis of a program's optimum: its basic families, and the cuts that hold with equality.

    Other families and cuts can be left out of the program without a change of its basis.
    """

    columns: npt.NDArray[np.int64]
    system: CutSystem
    rows: Ids

    def select(self, kept: npt.NDArray[np.bool_], place: npt.NDArray[np.int64]) -> "Start":
        """Return some of the columns, with the family at position f now at position place[f]."""
        return replace(self, columns=place[self.columns[kept]])


class LinearProgram:
    """A program over some of the families, to which columns and cuts are added as needed."""

    def __init__(
        self, families: Families, tick: float, cancellation: "kernels.Cancellation"
    ) -> None:
        self._families = families
        self._children = families.children()
        self._tick = tick
        words = families.parents.shape[1]
        self.columns = np.empty(0, dtype=np.int64)  # of the families
        self.system = CutSystem.none(words)  # all cuts so far
        self.rows: Ids = np.empty(0, dtype=np.int64)  # those that are in the program
        self.iterations = 0  # of the simplex method, in total
        self._strategy = _DUAL_SIMPLEX
        self._highs = quiet_solver()
        self._highs.setOptionValue("solver", "simplex")
        self._highs.cbSimplexInterrupt.subscribe(
            lambda event: event.interrupt(cancellation.cancelled)
        )
        one = np.ones(families.variable_count)
        none = np.empty(0, dtype=np.int32)
        starts = np.zeros(families.variable_count, dtype=np.int32)
        self._highs.addRows(len(one), one, one, 0, starts, none, np.empty(0))

    def begin_at(self, start: Start) -> None:
        """Take the columns, cuts and basis of another program; there must be none yet."""
        self.add_system(start.system, start.rows)
        self.add_columns(start.columns)
        basis = highspy.HighsBasis()  # an alien one: what is missing is completed
        status = highspy.HighsBasisStatus
        basis.col_status = [status.kBasic] * len(self.columns)
        basis.row_status = [status.kLower] * self._highs.getNumRow()
        self._highs.setBasis(basis)

    def extend(self, families: Families, moved: npt.NDArray[np.int64]) -> None:
        """Continue with more families: the family at position f is now at position moved[f].

        Ticks are on the same scale as before, so columns, cuts and the basis stay as they are.
        """
        self._families = families
        self._children = families.children()
        self.columns = moved[self.columns]

    @property
    def needs(self) -> npt.NDArray[np.int32]:
        """The needs of the cuts in the program."""
        return self.system.needs[self.rows]

    def add_columns(self, chosen: npt.NDArray[np.int64]) -> None:
        """Add families, none of which is a column yet."""
        children = self._children[chosen]
        values = self.system.coefficients(self.rows, children, self._families.parents[chosen])
        column, cut = np.nonzero(values.T)
        sizes = np.bincount(column, minlength=len(chosen)) + 1
        starts = np.cumsum(sizes) - sizes
        rows = np.empty(len(column) + len(chosen), dtype=np.int32)
        entries = np.ones(len(rows))
        is_child = np.zeros(len(rows), dtype=np.bool_)
        is_child[starts] = True
        rows[is_child] = children
        rows[~is_child] = cut + self._families.variable_count
        entries[~is_child] = values[cut, column]
        self._highs.addCols(
            len(chosen),
            (self._families.ticks[chosen] * self._tick).astype(np.float64),
            np.zeros(len(chosen)),
            np.full(len(chosen), highspy.kHighsInf),
            len(rows),
            starts.astype(np.int32),
            rows,
            entries,
        )
        self.columns = np.concatenate((self.columns, chosen))
        self._strategy = _PRIMAL_SIMPLEX

    def add_clusters(self, clusters: Clusters) -> None:
        """Add clusters to the system and to the program."""
        before = len(self.system)
        self.system = self.system.with_clusters(clusters)
        self.add_rows(np.arange(before, len(self.system)))

    def add_halves(self, sums: HalvedSums) -> None:
        """Add cuts that are rounded from cuts in the program, numbered in `sums` by row."""
        before = len(self.system)
        parts = [self.rows[list(one)].tolist() for one in sums.parts]
        self.system = self.system.with_halves(HalvedSums(parts, sums.down))
        self.add_rows(np.arange(before, len(self.system)))

    def add_system(self, system: CutSystem, rows: Ids) -> None:
        """Start with the cuts of a system, of which these become rows; there must be none yet."""
        self.system = system
        self.add_rows(rows)

    def add_rows(self, cuts: Ids) -> None:
        """Add cuts of the system as rows."""
        values = self.system.coefficients(
            cuts, self._children[self.columns], self._families.parents[self.columns]
        )
        cut, column = np.nonzero(values)
        sizes = np.bincount(cut, minlength=len(cuts))
        self._highs.addRows(
            len(cuts),
            self.system.needs[cuts].astype(np.float64),
            np.full(len(cuts), highspy.kHighsInf),
            len(column),
            (np.cumsum(sizes) - sizes).astype(np.int32),
            column.astype(np.int32),
            values[cut, column].astype(np.float64),
        )
        self.rows = np.concatenate((self.rows, cuts))
        self._strategy = _DUAL_SIMPLEX

    def remove_rows(self, removed: npt.NDArray[np.bool_]) -> None:
        """Remove the cuts of the rows marked in a mask from the program; the system keeps them."""
        rows = np.flatnonzero(removed).astype(np.int32) + self._families.variable_count
        self._highs.deleteRows(len(rows), rows)
        self.rows = self.rows[~removed]

    def forget(self, most: int) -> None:
        """Forget old cuts that are not in the program, if there are more than `most` of them."""
        outside = np.setdiff1d(np.arange(len(self.system)), self.rows)
        if len(outside) > most:
            kept = np.concatenate((self.rows, outside[-most // 2 :]))
            self.system, numbers = self.system.select(kept)
            self.rows = numbers[: len(self.rows)]

    def solve(self, seconds: float | None = None) -> Solution:
        """Solve the program from the last basis, for at most `seconds`.

        If the solver fails, it restarts without the basis. If it ends without an optimum, for lack
        of time, by cancellation or otherwise, `optimal` is False and the solution must not be used.
        """
        self._highs.setOptionValue("simplex_strategy", self._strategy)
        limit = highspy.kHighsInf if seconds is None else self._highs.getRunTime() + seconds
        self._highs.setOptionValue("time_limit", limit)
        self._run()
        optimal = highspy.HighsModelStatus.kOptimal
        if self._highs.getModelStatus() not in (optimal, *_ENDED_EARLY):
            self._highs.clearSolver()
            self._run()
        solution = self._highs.getSolution()
        rows = slice(self._families.variable_count, None)
        return Solution(
            self._highs.getObjectiveValue(),
            self.columns,
            np.array(solution.col_value),
            np.array(solution.row_dual)[rows],
            self._highs.getModelStatus() == optimal,
        )

    def gains(
        self,
        removals: Sequence[npt.NDArray[np.bool_]],
        most_iterations: int,
        seconds: float | None = None,
    ) -> list[float]:
        """Return by how much the objective rises without the columns of each mask.

        The gains are estimates after at most `most_iterations` iterations, each from the current
        basis, which is restored afterwards; infinity if no solution is left.
        """
        before = self.solve(seconds).objective
        basis = self._highs.getBasis()
        self._highs.setOptionValue("simplex_strategy", _DUAL_SIMPLEX)
        self._highs.setOptionValue("simplex_iteration_limit", most_iterations)
        gains = []
        for removed in removals:
            columns = np.flatnonzero(removed).astype(np.int32)
            zero, unbounded = np.zeros(len(columns)), np.full(len(columns), highspy.kHighsInf)
            self._highs.changeColsBounds(len(columns), columns, zero, zero)
            self._run()
            after = self._highs.getObjectiveValue()
            impossible = self._highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
            gains.append(math.inf if impossible else max(0.0, after - before))
            self._highs.changeColsBounds(len(columns), columns, zero, unbounded)
            self._highs.setBasis(basis)
        self._highs.setOptionValue("simplex_iteration_limit", highspy.kHighsIInf)
        return gains

    def start(self) -> Start:
        """Return the basis of the last solution, where another program may begin."""
        return self._start_at(self._highs.getBasis())

    def start_without(
        self, removed: npt.NDArray[np.bool_], seconds: float | None = None
    ) -> Start | None:
        """Return where a program without the columns of a mask may begin: at its optimum.

        None if it has no solution, or none in time. The basis of this program is restored.
        """
        basis = self._highs.getBasis()
        columns = np.flatnonzero(removed).astype(np.int32)
        zero, unbounded = np.zeros(len(columns)), np.full(len(columns), highspy.kHighsInf)
        self._strategy = _DUAL_SIMPLEX
        self._highs.changeColsBounds(len(columns), columns, zero, zero)
        optimal = self.solve(seconds).optimal
        found = self._highs.getBasis()
        self._highs.changeColsBounds(len(columns), columns, zero, unbounded)
        self._highs.setBasis(basis)
        if not optimal:
            return None
        start = self._start_at(found)
        gone = self.columns[removed]
        return replace(start, columns=start.columns[~np.isin(start.columns, gone)])

    def _start_at(self, basis: highspy.HighsBasis) -> Start:
        first = self._families.variable_count
        basic = highspy.HighsBasisStatus.kBasic
        is_basic = np.array([one == basic for one in basis.col_status], dtype=np.bool_)
        is_slack = np.array([one == basic for one in basis.row_status[first:]], dtype=np.bool_)
        return Start(self.columns[is_basic], self.system, self.rows[~is_slack])

    def _run(self) -> None:
        self._highs.run()
        self.iterations += max(0, self._highs.getInfo().simplex_iteration_count)

    def weights(self, duals: Floats) -> Ticks:
        """Return the duals as weights of the system's cuts, in whole ticks, rounded down."""
        weights = np.zeros(len(self.system), dtype=np.int64)
        weights[self.rows] = np.floor(np.maximum(duals, 0.0) / self._tick).astype(np.int64)
        return weights

    def clusters(self, weights: Ticks) -> Cuts | None:
        """Return the weighted cuts if they are all clusters."""
        used = weights > 0
        if self.system.are_rounded()[used].any():
            return None
        return Cuts(self.system.clusters.select(used), weights[used])
