"""Points of the linear program, and the cuts that they violate."""

import math
from dataclasses import dataclass

import highspy
import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.variable_sets import WORD_BITS, Words, from_words, set_of, to_words, variables_in
from noisyor.search.bounds.cut_system import CutSystem, HalvedSums
from noisyor.search.bounds.duals import Clusters, Ids
from noisyor.search.bounds.linear_program import Floats, contains, counts_in, quiet_solver

LEAST_VIOLATION = 1e-4
_MAX_NEED = 4
_MOST_CUTS = 40  # each time
_MOST_HALVES = 40  # each time
_MOST_PARTS = 200  # of a rounded cut
_LARGEST_SUM = 2**15  # of the coefficients of the parts of a rounded cut
_ORDERS = 10  # of elimination
LEAST_VIOLATION_OF_HALVES = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """The families with positive values in a fractional solution; they sum to 1 for each child."""

    variable_count: int
    children: npt.NDArray[np.int32]
    parents: Words
    values: Floats

    def left_sides(self, variables: Words, needs: npt.NDArray[np.int32]) -> Floats:
        """Return the left side of each cut at this point."""
        counts = counts_in(self.children, self.parents, variables, needs)
        return np.asarray(counts @ self.values, dtype=np.float64)

    def edge_values(self) -> Floats:
        """Return the total value of the families with each edge, shape (parents, children)."""
        n = self.variable_count
        edges = np.zeros((n, n))
        for parent in range(n):
            has = contains(self.parents, parent)
            edges[parent] = np.bincount(self.children[has], self.values[has], minlength=n)
        return edges


def rounded_order(point: Point) -> npt.NDArray[np.int32]:
    """Return an order, built greedily, in which the families that fit have much value.

    Each step places the variable whose families over the placed variables have most value.
    """
    placed = np.zeros(point.parents.shape[1], dtype=np.uint64)
    waiting = np.ones(point.variable_count, dtype=np.bool_)
    order = np.empty(point.variable_count, dtype=np.int32)
    for place in range(point.variable_count):
        fits = ~(point.parents & ~placed).any(axis=1)
        value = np.bincount(
            point.children[fits], weights=point.values[fits], minlength=point.variable_count
        )
        chosen = int(np.argmax(np.where(waiting, value, -math.inf)))
        order[place] = chosen
        waiting[chosen] = False
        placed[chosen // WORD_BITS] |= np.uint64(1 << (chosen % WORD_BITS))
    return order


def exact_cut(point: Point, need: int, seconds: float) -> Clusters:
    """Return a most violated cut of this need; no cut if there is none or time is up.

    An integer program: z_v is 1 if v is in the cut's set, w_f is 1 if family f counts. Since w_f is
    an integer and at least z_child - (sum of z over its parents) / need, it is 1 where f counts.
    """
    n, size = point.variable_count, len(point.values)
    highs = quiet_solver()
    highs.setOptionValue("time_limit", seconds)
    columns = np.arange(n + size, dtype=np.int32)
    one, zero, none = np.ones(n + size), np.zeros(n + size), np.empty(0, dtype=np.int32)
    costs = np.concatenate((np.zeros(n), point.values))
    highs.addCols(n + size, costs, zero, one, 0, 0 * columns, none, np.empty(0))
    whole = np.full(n + size, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
    highs.changeColsIntegrality(n + size, columns, whole)
    for family, parents in enumerate(from_words(point.parents)):
        weights = {n + family: 1.0, int(point.children[family]): -1.0}
        weights.update(dict.fromkeys(variables_in(parents), 1.0 / need))
        keys = np.array(list(weights), dtype=np.int32)
        highs.addRow(0.0, highspy.kHighsInf, len(keys), keys, np.array(list(weights.values())))
    highs.addRow(need + 1.0, highspy.kHighsInf, n, columns[:n], one[:n])
    highs.addRow(0.0, need - LEAST_VIOLATION, size, columns[n:], point.values)
    highs.run()
    words = point.parents.shape[1]
    if highs.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Clusters.none(words)
    cluster = np.rint(np.array(highs.getSolution().col_value)[:n])
    found = to_words([set_of(np.flatnonzero(cluster).tolist())], words)
    return Clusters.plain(found, np.array([need], dtype=np.int32))


@dataclass(frozen=True, slots=True)
class LocalSearch:
    """How hard to search for violated cuts: from how many sets (for each need), how far.

    Without `classes`, each variable is a class of its own.
    """

    tries: int
    wander: int  # steps without improvement
    classes: bool = False


BRIEF = LocalSearch(tries=100, wander=3)
CLASSED = LocalSearch(tries=300, wander=3, classes=True)
DEEP = LocalSearch(tries=2000, wander=12)  # for when a brief search finds nothing


def violated_cuts(
    point: Point,
    starts: Words,
    search: LocalSearch,
    seed: int,
    cancellation: "kernels.Cancellation",
) -> Clusters:
    """Return cuts that the point violates, found by local search from the starts and others."""
    variables, needs, first_class, classes, _ = kernels.separate(
        point.children,
        point.parents,
        point.values,
        point.variable_count,
        starts,
        _MAX_NEED,
        search.tries,
        search.wander,
        LEAST_VIOLATION,
        _MOST_CUTS,
        seed,
        search.classes,
        cancellation,
    )
    return Clusters(variables, needs, first_class, classes)


def violated_halves(
    point: Point,
    system: CutSystem,
    rows: Ids,
    seed: int,
    cancellation: "kernels.Cancellation",
) -> HalvedSums:
    """Return rounded cuts that the point violates; their parts are numbered by the given rows."""
    parts, down = kernels.halve(
        system.coefficients(rows, point.children, point.parents),
        system.needs[rows],
        point.children,
        point.values,
        point.variable_count,
        _ORDERS,
        _MOST_PARTS,
        LEAST_VIOLATION_OF_HALVES,
        _MOST_HALVES,
        seed,
        cancellation,
    )
    most = np.array(system.largest())[rows]
    small = [place for place, one in enumerate(parts) if most[one].sum() <= _LARGEST_SUM]
    return HalvedSums([parts[place] for place in small], [down[place] for place in small])
