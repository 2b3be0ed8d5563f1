"""Converts what a search has found to a credible set, with costs and families of the table."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    BayesFactor,
    CredibleSet,
    Family,
    ScoreTable,
    Structure,
)
from noisyor.core.credible_set import FamilyUse, Labels, Members
from noisyor.core.relations import relation_of
from noisyor.core.tolerance import tolerance_at
from noisyor.core.variable_sets import from_words
from noisyor.search.families import Families
from noisyor.search.members.best_with import BestWith
from noisyor.search.members.branch_union import BranchUnion
from noisyor.search.members.component import Choice
from noisyor.search.members.enumeration import Tally
from noisyor.search.members.listed import ListedMembers, OneMember
from noisyor.search.preparation import Problem, prepare

ONLY_BEST = "only the best network found is counted"
"""The shortfall of a set whose members were neither counted nor sampled."""

_COARSEST = 0.1  # nats of tolerance: networks let in have a Bayes factor too large by 1.1


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best network, a bound, and the members if they were counted.

    `families` are those of the counted members and of the best network; `best` has the positions
    of the best network's families among them.
    """

    problem: Problem
    families: Families
    best: Choice
    lower_bound: int
    union: BranchUnion | None
    tally: Tally | None
    shortfalls: tuple[str, ...]

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network."""
        return int(self.families.ticks[self.best].sum())


def credible_set(
    table: ScoreTable, factor: BayesFactor, labels: Labels, found: Found
) -> CredibleSet:
    """Return the credible set that a run has found."""
    problem, families, tally = found.problem, found.families, found.tally
    uses, places = _uses(table, found)
    best = places[found.best]
    cost = _cost_of(table, families.rows[found.best])
    members: Members
    if tally is None or found.union is None:
        members = OneMember(best, cost)
    else:
        members = ListedMembers(problem, families, found.union, tally.count, places)
    bound = cost - (found.upper_bound - found.lower_bound) * problem.tick
    return CredibleSet(
        names=table.names,
        bayes_factor=factor,
        labels=labels,
        best=Structure(table.names, tuple(uses[place].family for place in best)),
        optimum=cost,
        lower_bound=bound,
        count=1 if tally is None else max(1, tally.count),
        families=uses,
        members=members,
        most=None if tally is None else tally.most,
        shortfalls=(
            *table.scope.shortfalls,
            *found.shortfalls,
            *((ONLY_BEST,) if tally is None else ()),
            *_too_coarse(cost),
        ),
        notes=_notes(table),
    )


def best_alone(  # noqa: PLR0913  (most by name)
    table: ScoreTable,
    rows: npt.NDArray[np.int64],
    factor: BayesFactor,
    labels: Labels,
    *,
    lower_bound: float,
    shortfall: str,
) -> CredibleSet:
    """Return a set of only one network, whose families are at these positions of a table."""
    own = table.select(np.sort(rows))
    problem = prepare(own, factor, labels, None)
    families = problem.families
    best = np.arange(families.variable_count)
    ticks = int(families.ticks.sum())
    found = Found(problem, families, best, ticks, None, None, (shortfall,))
    credible = credible_set(own, factor, labels, found)
    return replace(credible, lower_bound=min(credible.optimum, lower_bound))


def _too_coarse(cost: float) -> tuple[str, ...]:
    """Return a shortfall if rounding lets in networks that are clearly not credible."""
    tolerance = tolerance_at(cost)
    if tolerance <= _COARSEST:
        return ()
    shortfall = (
        f"costs of {cost:.3g} nats are known within {tolerance:.2g} nats only: networks that the "
        "Bayes factor leaves out by less than that are counted too"
    )
    return (shortfall,)


def _uses(table: ScoreTable, found: Found) -> tuple[tuple[FamilyUse, ...], npt.NDArray[np.int64]]:
    """Return the families of the members, and the position of each family of the search there.

    If not all members were counted, families without a known member are included.
    """
    problem, families, tally = found.problem, found.families, found.tally
    networks = [0] * len(families)
    weights = np.zeros(len(families))
    best_with = BestWith.none(len(families))
    if tally is not None:
        networks, weights, best_with = tally.networks, tally.weights, tally.best_with
    if tally is None or not tally.exact:  # the best network is known in any case
        for family in found.best.tolist():
            networks[family] = max(1, networks[family])
            weights[family] = weights[family] if tally is not None and tally.count else 1.0
        best_with.put(found.best, np.array(found.upper_bound))
    listed = [
        family
        for family in range(len(families))
        if networks[family] or (tally is not None and not tally.exact)
    ]
    rows = families.rows[listed]
    places = np.full(len(families), len(families), dtype=np.int64)
    places[listed] = np.arange(len(listed))
    return (
        tuple(
            FamilyUse(
                Family(child, parents, relation_of(code)),
                cost,
                networks[family],
                float(weights[family]),
                problem.cost(best_with.of(family)) if networks[family] else math.inf,
            )
            for family, child, parents, code, cost in zip(
                listed,
                table.children[rows].tolist(),
                from_words(table.parents[rows]),
                table.relations[rows].tolist(),
                table.costs[rows].tolist(),
                strict=True,
            )
        ),
        places,
    )


def _cost_of(table: ScoreTable, rows: npt.NDArray[np.int64]) -> float:
    return math.fsum(table.costs[rows])


def _notes(table: ScoreTable) -> tuple[str, ...]:
    if table.scope.bayes_factor is not None:
        return ()
    return (
        (
            "the table does not say which Bayes factor it was scored for: the result is complete "
            "relative to the families in it"
        ),
    )
