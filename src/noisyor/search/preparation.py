"""Prepares a search: the families of a score table that credible networks may have, in ticks."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    BayesFactor,
    ConstraintError,
    Constraints,
    MismatchError,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.core.tolerance import least_tolerance, tolerance_at
from noisyor.core.variable_sets import to_words, variables_in
from noisyor.search.bounds.ascent import least_ticks
from noisyor.search.families import Families
from noisyor.search.no_network import NoNetworkError

_FINEST_ROUNDING = 2.0**-26  # nats, of all families together; the least tolerance is 7 times that
_FINEST_TICK = 2.0**-34  # nats, of up to 256 families
_MOST_TICKS = 2**52  # the most ticks of a network above the sum of the cheapest families
_BEYOND = _MOST_TICKS + 1  # ticks of any family that alone exceeds that: sums of 1,024 stay exact
_FOR_SUMS = 1 / 16  # of a tolerance, for rounding in sums of doubles: 512 are off by less
_FOR_LONG_SUMS = 1 / 8  # the same for sums of up to 1,024
_LONG = 512


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The conversion of costs to ticks: 0 ticks stand for the cost in `base` (n,) of each child.

    No credible network exceeds the sum of `base` by more than `room`, in nats.
    """

    base: npt.NDArray[np.float64]
    tick: float
    room: float

    @property
    def rounding(self) -> float:
        """The most by which rounding changes the difference of two credible networks, in nats.

        It is half a tick for each family of both, and less than half a tick for each network, as
        the difference of two doubles is off by 2**-53 of itself, and those of a network by no more
        than 2**-53 of the room.
        """
        return (len(self.base) + 1) * self.tick

    @property
    def for_sums(self) -> float:
        """The part of a tolerance that is left for rounding in sums of a network's costs."""
        return _FOR_SUMS if len(self.base) <= _LONG else _FOR_LONG_SUMS

    def families(self, table: ScoreTable, rows: npt.NDArray[np.int64]) -> Families:
        """Return the families at these positions of a table, in the table's order.

        A family of no credible network may get fewer ticks than it costs, but still too many to be
        credible.
        """
        children = table.children[rows]
        excess = table.costs[rows] - self.base[children]
        most = _BEYOND * self.tick  # in nats
        return Families(
            first=np.searchsorted(children, np.arange(len(self.base) + 1)).astype(np.int64),
            parents=np.ascontiguousarray(table.parents[rows]),
            ticks=np.rint(np.minimum(excess, most) / self.tick).astype(np.int64),
            rows=rows,
        )


def scale_from(base: npt.NDArray[np.float64], excess: float, factor: BayesFactor) -> Scale:
    """Return the finest scale for families that cost at least their base.

    Some network costs `excess` more than the sum of `base`.
    """
    room = excess + factor.slack + tolerance_at(math.fsum(base) + excess + factor.slack)
    finest = min(_FINEST_TICK, _FINEST_ROUNDING / 2 ** (len(base) - 1).bit_length())
    tick = max(finest, 2.0 ** math.ceil(math.log2(room / _MOST_TICKS)))
    return Scale(base, tick, room)


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Families in ticks, and the conversion of ticks to costs.

    A network's cost is `base` + ticks x `tick`. It is credible if its ticks are at most those of
    the best network + `slack`, which includes the tolerance.
    """

    families: Families
    base: float
    tick: float
    slack: int
    temperature: float = 1.0

    @property
    def decay(self) -> float:
        """By how much the logarithm of a network's weight falls with each tick."""
        return self.tick / self.temperature

    def cost(self, ticks: int) -> float:
        """Return the cost of a network with this number of ticks."""
        return self.base + ticks * self.tick


def bayes_factor_for(table: ScoreTable, asked: float | BayesFactor | None) -> BayesFactor:
    """Return the Bayes factor to search with; raise MismatchError if it is above the table's."""
    scored = table.scope.bayes_factor
    if asked is None:
        return scored or BayesFactor(20)
    factor = asked if isinstance(asked, BayesFactor) else BayesFactor(asked)
    if scored is not None and factor.exceeds(scored):
        raise MismatchError(
            f"the Bayes factor is {factor.untempered.value:g}, but the table was scored for "
            f"{scored.value:g} and lacks families that a larger one needs; score the data again, "
            f"or search with at most {scored.value:g}"
        )
    return factor


def prepare(
    table: ScoreTable,
    factor: BayesFactor,
    labels: Labels,
    constraints: Constraints | None,
    network: npt.NDArray[np.int64] | None = None,
) -> Problem:
    """Return the families that some credible network may have, with their costs in ticks.

    `network` has the rows of a network in the table, if one is known.

    Let some network exceed the sum of the children's cheapest families by e. A family that exceeds
    the cheapest one of its child by more than e plus the slack is in no credible network: the other
    children cannot make up for it.
    """
    rows = np.flatnonzero(_eligible(table, labels, constraints))
    if network is None:
        network = some_network(table, rows)  # refuses a child without families
    cheapest = least_costs(table, rows)
    excess = math.fsum(table.costs[network] - cheapest)
    scale = scale_from(cheapest, excess, factor)
    close = table.costs[rows] - cheapest[table.children[rows]] <= scale.room
    families = scale.families(table, rows[close])
    allowance = (1 - scale.for_sums) * _tolerance(scale, families) - scale.rounding
    slack = math.floor((factor.slack + allowance) / scale.tick)
    return Problem(families, math.fsum(cheapest), scale.tick, slack, factor.temperature)


def _tolerance(scale: Scale, families: Families) -> float:
    """Return a lower bound on the tolerance of credible networks; refuse ticks too coarse for it.

    The sum of the cheapest families is a lower bound on the cost of a network. If it is too weak,
    as with columns that cost nothing given others, cuts give a better one.
    """
    base = math.fsum(scale.base)
    tolerance = least_tolerance(base, base + scale.room)
    if _is_fine_enough(scale, tolerance):
        return tolerance
    lowest = base + least_ticks(families) * scale.tick - scale.rounding
    tolerance = least_tolerance(lowest, base + scale.room)
    if _is_fine_enough(scale, tolerance):
        return tolerance
    if _has_fine_ticks(scale, tolerance):
        raise SettingsError(
            f"costs of {_largest(scale):.3g} nats, signs aside, cancel to networks that may cost "
            f"{lowest:.3g} in all: too little to tell these apart within the tolerance of "
            f"{tolerance:.2g}"
        )
    raise SettingsError(
        f"the costs of the families differ by up to {scale.room:.3g} nats, which is too much "
        f"beside networks that may cost {lowest:.3g} in all to tell these apart within the "
        f"tolerance of {tolerance:.2g}"
    )


def _is_fine_enough(scale: Scale, tolerance: float) -> bool:
    """Return whether a network exactly at the slack is credible, however ticks are rounded."""
    return _has_fine_ticks(scale, tolerance) and _adds_up(scale, tolerance)


def _has_fine_ticks(scale: Scale, tolerance: float) -> bool:
    return scale.rounding <= (1 - scale.for_sums) * tolerance - scale.rounding


def _adds_up(scale: Scale, tolerance: float) -> bool:
    """Return whether sums of costs are accurate; they may cancel if some costs are negative."""
    off = len(scale.base) * 2.0**-53 * _largest(scale)
    return bool(scale.base.min() >= 0) or off <= scale.for_sums * tolerance


def _largest(scale: Scale) -> float:
    """Return an upper bound on the sum of the absolute costs of a network's families."""
    return math.fsum(np.abs(scale.base)) + scale.room


def _eligible(
    table: ScoreTable, labels: Labels, constraints: Constraints | None
) -> npt.NDArray[np.bool_]:
    """Return which families of the table may be used."""
    if labels is Labels.ALL and table.scope.relations is None:
        raise SettingsError(
            "labels is 'all', but the table does not say which relations it holds: it may have "
            "only the better one of each parent set; labels='best' can be searched"
        )
    chosen = (
        table.has_best_relation() if labels is Labels.BEST else np.ones(len(table), dtype=np.bool_)
    )
    if constraints is None:
        return chosen
    _check_constraints(table, constraints)
    words = table.parents.shape[1]
    outside = table.parents & ~to_words(constraints.allowed, words)[table.children]
    chosen &= ~outside.any(axis=1)
    if constraints.max_parents is not None:
        chosen &= table.parent_counts() <= constraints.max_parents
    return chosen


def _check_constraints(table: ScoreTable, constraints: Constraints) -> None:
    if constraints.names != table.names:
        raise MismatchError("the constraints are about other variables than the table")
    scored = table.scope.constraints
    for child, (wanted, known) in enumerate(
        zip(constraints.required, scored.required, strict=True)
    ):
        for parent in variables_in(wanted & ~known):
            raise ConstraintError(
                f"the edge {table.names[parent]!r} -> {table.names[child]!r} is required, but the "
                "table was scored without it and lacks families that only look poor beside "
                "smaller ones without the edge; score the data again with the edge required"
            )
        for parent in variables_in(known & ~constraints.allowed[child]):
            raise ConstraintError(
                f"the edge {table.names[parent]!r} -> {table.names[child]!r} is excluded, but the "
                "table was scored with it required"
            )


def least_costs(table: ScoreTable, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the cost of each child's cheapest family among those at some positions."""
    first = np.searchsorted(table.children[rows], np.arange(len(table.names)))
    return table.costs[rows[first]]


def some_network(table: ScoreTable, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the positions of families, among those at some positions, that make a network.

    Each step places the variable whose best family over the placed variables has the least excess.
    If none can be placed, each of the rest needs another one first, and there is no network.
    """
    first = np.searchsorted(table.children[rows], np.arange(len(table.names) + 1))
    _check_children(table, first)
    chosen, stuck = kernels.greedy_network(
        first.astype(np.int64), np.ascontiguousarray(table.parents[rows]), table.costs[rows]
    )
    if stuck:
        raise NoNetworkError(stuck)
    return rows[chosen]


def places_of(
    rows: npt.NDArray[np.int64], table: ScoreTable, families: Families
) -> npt.NDArray[np.int64]:
    """Return the positions of a network's families, given by their rows in the table.

    If a family was dropped in favour of a relation that ties with it, that one is used.
    """
    places = np.zeros(len(rows), dtype=np.int64)
    for child, row in enumerate(rows.tolist()):
        first, last = families.first[child], families.first[child + 1]
        same = (families.parents[first:last] == table.parents[row]).all(axis=1)
        candidates = first + np.flatnonzero(same)
        exact = candidates[families.rows[candidates] == row]
        places[child] = (exact if len(exact) else candidates)[0]
    return places


def _check_children(table: ScoreTable, first: npt.NDArray[np.int64]) -> None:
    """Refuse a table in which a variable has no family."""
    without = [table.names[v] for v in np.flatnonzero(np.diff(first) == 0)]
    if not without:
        return
    shortfalls = "".join(f"; {line}" for line in table.scope.shortfalls)
    raise ConstraintError(
        f"no family is left for {', '.join(map(repr, without))}: the table lacks them, or the "
        f"constraints exclude them all{shortfalls}"
    )
