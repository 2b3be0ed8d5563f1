"""All families of one child that could be in a credible network, or that keep to a price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    Family,
    Relation,
    ScoreTable,
)
from noisyor.core.arrays import hand_over
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.family_source import Price
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import all_relations
from noisyor.core.request import Request
from noisyor.core.tolerance import (
    COST_TOLERANCE,
    FIT_GAP,
    FIT_RELATIVE_GAP,
    tolerance_at,
)
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import Words, from_words, members, to_words
from noisyor.fitting import fit
from noisyor.scoring.set_ranges import FoundFamilies, SetRange
from noisyor.scoring.statistics import ScoringStatistics, SearchSpace, of_parts, statistics_of

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
    """A request, and how its families are searched for, which changes no result."""

    request: Request
    tolerance: float = COST_TOLERANCE  # of a network's cost: families are compared no finer
    rules: PruningRule = ALL_RULES
    count_by: CountBy | None = None  # by the number of records
    memory: int = 0  # bytes that a child's search may take to remember its fits

    def for_relations(self, relations: tuple[Relation, ...], memory: int = 0) -> "SearchSettings":
        """Return settings for some of the relations."""
        return replace(self, request=replace(self.request, relations=relations), memory=memory)


def settings_for(
    request: Request, rules: PruningRule = ALL_RULES, count_by: CountBy | None = None
) -> SearchSettings:
    """Return the settings of a search, with the rules that hold for the request's score."""
    return SearchSettings(
        request,
        tolerance=_tolerance(request),
        rules=rules & request.score.rules,
        count_by=count_by,
    )


def _tolerance(request: Request) -> float:
    """Return the tolerance of a network's cost, which no family may be judged more finely than.

    No credible network costs more than the one without edges, plus the slack.
    """
    total = sum(
        fit(request.data, Family(child, 0), score=request.score).cost
        for child in range(request.data.variable_count)
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

    Without prices the work can be divided (see `parts`): a pass over a `stretch` of the sets that
    does not go on to the final fits leaves what it has found to one, with an empty stretch, that is
    given all that was `found`, and fits and decides.
    """

    slack: float
    relations: tuple[Relation, ...]
    prices: tuple[Price, ...] = ()
    most: int | None = None
    known: KnownFamilies | None = None
    hasty: bool = False
    stretch: SetRange | None = None  # all sets by default
    found: FoundFamilies | None = None  # elsewhere: a search of the stretch is faster with them
    fits: bool = True


@dataclass(frozen=True, slots=True)
class ChildScores:
    """The families of one child, cheapest first.

    `statistics` is None where the child comes from a table, which does not have them.
    """

    child: int
    columns: FamilyColumns
    statistics: ScoringStatistics | None = field(compare=False)


def scores_in(table: ScoreTable) -> dict[int, ChildScores]:
    """Return the children that a table holds, to go on from there."""
    found: dict[int, ChildScores] = {}
    for child in np.unique(table.children).tolist():
        rows = table.families_of(child)
        columns = table.columns.select(np.arange(rows.start, rows.stop))
        found[child] = ChildScores(child, columns, statistics=None)
    return found


class ChildSearch:
    """A search that any number of threads may work on together.

    It has an order of the candidates, which a stretch of sets is a matter of. Parts of one search
    must have the same, so that of the first is to be given to the others: rounding, which is not
    the same on all machines, may decide between two candidates.
    """

    def __init__(
        self,
        settings: SearchSettings,
        child: int,
        order: Sequence[int] = (),
    ) -> None:
        request = settings.request
        data, constraints = request.data, request.constraints
        required = constraints.required[child]
        candidates = constraints.allowed[child] & ~required
        self.child = child
        self.all_sets = SetRange(0, 1 << candidates.bit_count())
        self._relations: tuple[Relation, ...] = ()  # of the pass
        self._space = SearchSpace(
            data.variable_count,
            candidates.bit_count(),
            required.bit_count(),
            constraints.most_parents,
        )
        count_by = settings.count_by or (
            CountBy.BIT_COLUMNS
            if data.record_count <= _MOST_RECORDS_AS_BITS
            else CountBy.CONFIGURATIONS
        )
        self._search = kernels.ChildSearch(
            rows=data.bits,
            weights=data.weights,
            variables=data.variable_count,
            child=child,
            candidates=list(members(candidates)),
            required=list(members(required)),
            order=order,
            max_parents=self._space.max_parents,
            penalties=_penalties(request),
            tolerance=settings.tolerance,
            gap=FIT_GAP,
            relative_gap=FIT_RELATIVE_GAP,
            rules=int(settings.rules),
            bit_columns=count_by is CountBy.BIT_COLUMNS,
            memory=settings.memory,
        )
        self._words = data.bits.shape[1]

    def begin(self, wanted: SearchPass) -> None:
        """Start a pass, while no thread is at work; what earlier ones have shown is remembered."""
        known = wanted.known or KnownFamilies(np.empty((0, self._words), np.uint64), np.empty(0))
        found = wanted.found or FoundFamilies.none(self._words)
        stretch = wanted.stretch or self.all_sets
        self._relations = wanted.relations
        self._search.begin(
            slack=wanted.slack,
            relations=[relation.code for relation in wanted.relations],
            prices=[_price_for_kernel(price) for price in wanted.prices],
            most=wanted.most,
            hasty=wanted.hasty,
            known_parents=np.ascontiguousarray(known.parents),
            known_costs=np.ascontiguousarray(known.costs),
            first=to_words([stretch.first], self._words)[0].tolist(),
            end=to_words([stretch.end], self._words)[0].tolist(),
            found=(found.parents, found.relations, found.costs, found.lowers),
            fits=wanted.fits,
        )

    @property
    def order(self) -> tuple[int, ...]:
        """The candidates from the least to the most useful; nothing before some work was done."""
        return tuple(self._search.order)

    @property
    def reached(self) -> int:
        """The number of the first set that may not have been looked at; no thread is at work.

        The end of the stretch if all have been. Where one thread has worked, it has found what
        there is before that set and, after it, sets of one candidate at most.
        """
        return from_words(np.array([self._search.reached], np.uint64))[0]

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
        """Whether the pass has finished."""
        return self._search.finished

    def work(self, cancellation: "kernels.Cancellation") -> None:
        """Take pieces until none can be taken or the work is cancelled.

        There may be more to take later, when other threads have done theirs.
        """
        self._search.work(cancellation)

    def result(self, before: Iterable[ScoringStatistics] = ()) -> ChildScores:
        """Return the families; once, when the pass has finished.

        `before` are the statistics of the parts that have found what it was given.
        """
        parents, relations, costs, gaps, offsets, q = self._search.result()
        columns = FamilyColumns(
            hand_over(np.full(len(costs), self.child, dtype=np.int32)),
            hand_over(parents),
            hand_over(relations),
            hand_over(costs),
            hand_over(gaps),
            hand_over(offsets),
            hand_over(q),
        )
        statistics = of_parts([*before, self._statistics(relations)])
        return ChildScores(self.child, columns, statistics)

    def found(self) -> tuple[FoundFamilies, ScoringStatistics]:
        """Return what a pass without final fits has found so far, and its work; no thread is at it.

        Without what it was given. `kept` of the statistics is what was found.
        """
        parents, relations, costs, lowers = self._search.found()
        found = FoundFamilies(
            hand_over(parents), hand_over(relations), hand_over(costs), hand_over(lowers)
        )
        return found, self._statistics(relations)

    def _statistics(self, kept: npt.NDArray[np.uint8]) -> ScoringStatistics:
        return statistics_of(self._space, self._relations, kept, self._search.counters())


def _penalties(request: Request) -> list[list[float]]:
    """Return each relation's penalty by number of parents; nothing for a relation not in use."""
    records = request.data.record_count
    return [
        [
            request.score.penalty(relation, BINARY, (BINARY,) * size, records)
            for size in range(request.data.variable_count)
        ]
        if relation in request.relations
        else []
        for relation in all_relations()
    ]


def _price_for_kernel(
    price: Price,
) -> tuple[float, list[int], list[int], list[tuple[list[int], int, float]]]:
    cuts = [(list(members(cut.variables)), cut.need, cut.weight) for cut in price.cuts]
    return price.base, list(members(price.required)), list(members(price.excluded)), cuts
