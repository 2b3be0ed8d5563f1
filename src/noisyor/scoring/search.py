"""All families of one child that could be in a credible network."""

from dataclasses import dataclass, field
from enum import Enum
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import BayesFactor, BinaryDataset, Constraints, Relation, ScoreTable
from noisyor.core.arrays import hand_over
from noisyor.core.family_source import Price
from noisyor.core.relation import CPT, RELATIONS
from noisyor.core.tolerance import (
    COST_TOLERANCE,
    FIT_GAP,
    FIT_RELATIVE_GAP,
)
from noisyor.core.variable_sets import MAX_VARIABLES, Words, members
from noisyor.scoring.rules import ALL_RULES, CUTTING_RULES, PruningRule
from noisyor.scoring.statistics import (
    FitCounts,
    RelationStatistics,
    ScoringStatistics,
    count_sets,
    families_cut,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# Measured on full tables: bits are three times faster on flag (194 records) and wdbc (569),
# distinct configurations four times on nltcs (3,236). Where between they cross was not looked for.
_MOST_RECORDS_AS_BITS = 1024


class CountBy(Enum):
    """How the records of a full table are counted; the costs agree up to rounding."""

    BIT_COLUMNS = "bit-columns"
    CONFIGURATIONS = "configurations"


NO_PRICE = Price(inf)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What may differ between two searches of the same data."""

    bayes_factor: BayesFactor
    relations: tuple[Relation, ...]
    constraints: Constraints
    tolerance: float = COST_TOLERANCE  # of a network's cost: families are compared no finer
    rules: PruningRule = ALL_RULES
    count_by: CountBy | None = None  # by the number of records


@dataclass(frozen=True, slots=True)
class ChildScores:
    """The families of one child, cheapest first; columns as in ScoreTable.

    `statistics` is None where an earlier run scored the child.
    """

    child: int
    parents: Words
    relations: npt.NDArray[np.uint8]
    costs: npt.NDArray[np.float64]
    gaps: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]
    statistics: ScoringStatistics | None = field(compare=False)


def scores_in(table: ScoreTable) -> dict[int, ChildScores]:
    """Return the children that a table holds, to go on from there."""
    found: dict[int, ChildScores] = {}
    for child in np.unique(table.children).tolist():
        rows = table.families_of(child)
        offsets = table.offsets[rows.start : rows.stop + 1]
        found[child] = ChildScores(
            child,
            table.parents[rows],
            table.relations[rows],
            table.costs[rows],
            table.gaps[rows],
            offsets - offsets[0],
            table.parameters[offsets[0] : offsets[-1]],
            statistics=None,
        )
    return found


class ChildSearch:
    """A search that any number of threads may work on together."""

    def __init__(
        self,
        data: BinaryDataset,
        child: int,
        settings: SearchSettings,
        price: Price = NO_PRICE,
    ) -> None:
        constraints = settings.constraints
        required = constraints.required[child]
        candidates = constraints.allowed[child] & ~required
        self.child = child
        self._variables = data.variable_count
        self._relations = settings.relations
        self._required_count = required.bit_count()
        self._candidate_count = candidates.bit_count()
        most = constraints.max_parents
        self._max_parents = MAX_VARIABLES if most is None else most
        count_by = settings.count_by or (
            CountBy.BIT_COLUMNS
            if data.record_count <= _MOST_RECORDS_AS_BITS
            else CountBy.CONFIGURATIONS
        )
        self._search = kernels.ChildSearch(
            rows=data.rows,
            weights=data.weights,
            variables=data.variable_count,
            child=child,
            candidates=list(members(candidates)),
            required=list(members(required)),
            max_parents=self._max_parents,
            penalties=_penalties(data, settings.relations),
            slack=settings.bayes_factor.slack,
            tolerance=settings.tolerance,
            gap=FIT_GAP,
            relative_gap=FIT_RELATIVE_GAP,
            rules=int(settings.rules),
            bit_columns=count_by is CountBy.BIT_COLUMNS,
            price_base=price.base,
            cuts=[(list(members(cut.variables)), cut.need, cut.weight) for cut in price.cuts],
        )

    @property
    def subtrees(self) -> int:
        """The number of pieces the work is divided into."""
        return self._search.tasks

    @property
    def subtrees_done(self) -> int:
        """How many of them are done."""
        return self._search.tasks_done

    @property
    def decided(self) -> int:
        """How many families have been counted or fitted so far."""
        return self._search.decided

    @property
    def finished(self) -> bool:
        """Whether all pieces are done."""
        return self.subtrees_done == self.subtrees

    def work(self, cancellation: "kernels.Cancellation") -> None:
        """Take pieces until none is left or the work is cancelled."""
        self._search.work(cancellation)

    def result(self) -> ChildScores:
        """Return the families; once, when the search has finished."""
        (parents, relations, costs, gaps, offsets, q, cuts, evaluated, bounds, *fits) = (
            self._search.result()
        )
        return ChildScores(
            self.child,
            hand_over(parents),
            hand_over(relations),
            hand_over(costs),
            hand_over(gaps),
            hand_over(offsets),
            hand_over(q),
            statistics=self._statistics(relations, cuts, evaluated, bounds, FitCounts(*fits)),
        )

    def _statistics(
        self,
        relations: npt.NDArray[np.uint8],
        cuts: npt.NDArray[np.int64],
        evaluated: npt.NDArray[np.int64],
        bounds: npt.NDArray[np.int64],
        fits: FitCounts,
    ) -> ScoringStatistics:
        shape = (len(RELATIONS), len(CUTTING_RULES), self._variables + 1, self._variables + 1)
        cut = families_cut(cuts.reshape(shape), self._max_parents)
        kept = np.bincount(relations, minlength=len(RELATIONS))
        sets = count_sets(self._candidate_count, self._max_parents - self._required_count)
        by_relation: dict[Relation, RelationStatistics] = {}
        for relation in self._relations:
            without_empty = relation is not CPT and self._required_count == 0
            by_relation[relation] = RelationStatistics(
                considered=sets - without_empty,
                cut=cut[relation],
                evaluated=int(evaluated[relation.code]),
                bounds=int(bounds[relation.code]),
                kept=int(kept[relation.code]),
            )
        return ScoringStatistics(by_relation, fits)


def _penalties(data: BinaryDataset, relations: "Sequence[Relation]") -> list[list[float]]:
    """Return each relation's penalty by number of parents; nothing for a relation not in use."""
    sizes = range(data.variable_count)
    return [
        [relation.penalty(size, data.record_count) for size in sizes]
        if relation in relations
        else []
        for relation in RELATIONS
    ]
