"""All families of one child that could be in a credible network, or that keep to a price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    BayesFactor,
    BinaryDataset,
    Constraints,
    Family,
    MismatchError,
    Relation,
    ScoreTable,
)
from noisyor.core.arrays import hand_over
from noisyor.core.family_source import Price
from noisyor.core.relation import CPT, RELATIONS, relations_from
from noisyor.core.tolerance import (
    COST_TOLERANCE,
    FIT_GAP,
    FIT_RELATIVE_GAP,
    tolerance_at,
)
from noisyor.core.variable_sets import MAX_VARIABLES, Words, members
from noisyor.fitting import fit
from noisyor.scoring.rules import ALL_RULES, CUTTING_RULES, PruningRule
from noisyor.scoring.statistics import (
    FitCounts,
    RelationStatistics,
    ScoringStatistics,
    count_sets,
    families_cut,
)

# Measured on full tables: bits are three times faster on flag (194 records) and wdbc (569),
# distinct configurations four times on nltcs (3,236). Where between they cross was not looked for.
_MOST_RECORDS_AS_BITS = 1024


class CountBy(Enum):
    """How the records of a full table are counted; the costs agree up to rounding."""

    BIT_COLUMNS = "bit-columns"
    CONFIGURATIONS = "configurations"


MEMORY_BYTES = 1 << 30
"""What the fits of all children together may take to be remembered."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """What may differ between two searches of the same data."""

    bayes_factor: BayesFactor
    relations: tuple[Relation, ...]
    constraints: Constraints
    tolerance: float = COST_TOLERANCE  # of a network's cost: families are compared no finer
    rules: PruningRule = ALL_RULES
    count_by: CountBy | None = None  # by the number of records
    memory: int = 0  # bytes that a child's search may take to remember its fits


def settings_for(  # noqa: PLR0913, PLR0917  (each option is one that the paper or a user names)
    data: BinaryDataset,
    bayes_factor: float | BayesFactor,
    relations: Iterable[str | Relation],
    constraints: Constraints | None,
    rules: PruningRule,
    count_by: CountBy | None,
) -> SearchSettings:
    """Return the settings for these data, checked against them."""
    if constraints is not None and constraints.names != data.names:
        raise MismatchError("the constraints are about other variables than the data")
    return SearchSettings(
        bayes_factor if isinstance(bayes_factor, BayesFactor) else BayesFactor(bayes_factor),
        relations_from(relations),
        constraints or Constraints.none(data.names),
        tolerance=_tolerance(data),
        rules=rules,
        count_by=count_by,
    )


def _tolerance(data: BinaryDataset) -> float:
    """Return the tolerance of a network's cost, which no family may be judged more finely than.

    No credible network costs more than the one without edges, plus the slack.
    """
    total = sum(
        fit(data, Family(child, 0)).certificate.cost for child in range(data.variable_count)
    )
    return tolerance_at(total)


@dataclass(frozen=True, slots=True, eq=False)
class KnownFamilies:
    """Families that are known already: parents (k, words) and costs (k,)."""

    parents: Words
    costs: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SearchPass:
    """What one pass over a child's families looks for.

    The families of these relations that cost at most min(m(P) + slack, the highest price that P
    has), where m(P) is the least cost over subsets of P, those of known families included. Without
    prices only the first counts. With `most`, only so many, those furthest below their price. A
    `hasty` pass takes a quick look around known families, and finds some of them.
    """

    slack: float
    relations: tuple[Relation, ...]
    prices: tuple[Price, ...] = ()
    most: int | None = None
    known: KnownFamilies | None = None
    hasty: bool = False


@dataclass(frozen=True, slots=True)
class ChildScores:
    """The families of one child, cheapest first; columns as in ScoreTable.

    `statistics` is None where the child comes from a table, which does not have them.
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

    def __init__(self, data: BinaryDataset, child: int, settings: SearchSettings) -> None:
        constraints = settings.constraints
        required = constraints.required[child]
        candidates = constraints.allowed[child] & ~required
        self.child = child
        self._variables = data.variable_count
        self._relations: tuple[Relation, ...] = ()  # of the pass
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
            tolerance=settings.tolerance,
            gap=FIT_GAP,
            relative_gap=FIT_RELATIVE_GAP,
            rules=int(settings.rules),
            bit_columns=count_by is CountBy.BIT_COLUMNS,
            memory=settings.memory,
        )
        self._words = data.rows.shape[1]

    def begin(self, wanted: SearchPass) -> None:
        """Start a pass, while no thread is at work; what earlier ones have shown is remembered."""
        known = wanted.known or KnownFamilies(np.empty((0, self._words), np.uint64), np.empty(0))
        self._relations = wanted.relations
        self._search.begin(
            slack=wanted.slack,
            relations=[relation.code for relation in wanted.relations],
            prices=[_price_for_kernel(price) for price in wanted.prices],
            most=wanted.most,
            hasty=wanted.hasty,
            known_parents=np.ascontiguousarray(known.parents),
            known_costs=np.ascontiguousarray(known.costs),
        )

    @property
    def pieces_waiting(self) -> int:
        """How many pieces of the work nobody has taken yet."""
        return self._search.waiting

    @property
    def share_done(self) -> float:
        """The share of the pieces that are done."""
        return self._search.share_done

    @property
    def memory_bytes(self) -> int:
        """What it takes to remember the fits."""
        return self._search.memory_bytes

    @property
    def decided(self) -> int:
        """How many families have been counted or fitted so far."""
        return self._search.decided

    @property
    def finished(self) -> bool:
        """Whether the pass is."""
        return self._search.finished

    def work(self, cancellation: "kernels.Cancellation") -> None:
        """Take pieces until none can be taken or the work is cancelled.

        There may be more to take later, when other threads have done theirs.
        """
        self._search.work(cancellation)

    def result(self) -> ChildScores:
        """Return the families; once, when the pass has finished."""
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


def _penalties(data: BinaryDataset, relations: Sequence[Relation]) -> list[list[float]]:
    """Return each relation's penalty by number of parents; nothing for a relation not in use."""
    sizes = range(data.variable_count)
    return [
        [relation.penalty(size, data.record_count) for size in sizes]
        if relation in relations
        else []
        for relation in RELATIONS
    ]


def _price_for_kernel(
    price: Price,
) -> tuple[float, list[int], list[int], list[tuple[list[int], int, float]]]:
    cuts = [(list(members(cut.variables)), cut.need, cut.weight) for cut in price.cuts]
    return price.base, list(members(price.required)), list(members(price.excluded)), cuts
