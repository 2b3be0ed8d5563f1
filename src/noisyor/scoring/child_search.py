"""The search for one child's families: those of credible networks, or those within a price."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from math import inf, log

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    DataError,
    Dataset,
    Family,
    InfeasibleFitError,
    Relation,
    ScoreTable,
    SettingsError,
)
from noisyor.core.arrays import hand_over
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.family_source import Price, RoundedCut
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.request import Request
from noisyor.core.tolerance import (
    COST_TOLERANCE,
    FIT_GAP,
    FIT_RELATIVE_GAP,
    tolerance_at,
)
from noisyor.core.variable_sets import Words, from_words, set_of, to_words, variables_in, word_count
from noisyor.fitting import fit
from noisyor.fitting.relations import fit_likelihood, kernel_search
from noisyor.scoring.set_ranges import SetRange
from noisyor.scoring.statistics import ScoringStatistics, SearchSpace, of_parts, statistics_of

# Measured on full tables of binary variables: bits are a fifth faster on flag (194 records) and
# spectf (267), distinct configurations are faster on horse (300), wdbc (569) and alarm (1,000), the
# last of which they score in a quarter of the time. That is due to large sets: with at most three
# parents, 1,000 records of 60 variables take four times as long as with bits.
_MOST_BINARY_RECORDS_AS_BITS = 280
_FEW_PARENTS = 3

# With more states, bits are three times faster while most records are distinct (1,000 to 20,000
# records of 15 to 20 variables), and slower once there are about three equal ones each. The memory
# of bits grows with the square of the records.
_MOST_RECORDS_AS_BITS = 1024
_MOST_DISTINCT_AS_BITS = 8192
_MOST_COPIES_AS_BITS = 2

_MOST_RECORD_BITS = 4096  # in the kernel
_MOST_LOG_CONFIGURATIONS = 690.0  # a little less than the logarithm of the largest double


class CountBy(Enum):
    """How the records of a full table are counted; the costs agree up to rounding."""

    BIT_COLUMNS = "bit-columns"
    CONFIGURATIONS = "configurations"


MEMORY_BYTES = 1 << 30
"""Memory for caching the fits of all children together."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """A request, and how its families are searched for, which does not affect the result."""

    request: Request
    tolerance: float = COST_TOLERANCE  # of a network's cost: families are compared no finer
    rules: PruningRule = ALL_RULES
    count_by: CountBy | None = None  # by default chosen by the number of records
    memory: int = 0  # bytes in which a child's search may cache its fits

    def for_relations(self, relations: tuple[Relation, ...], memory: int = 0) -> "SearchSettings":
        """Return settings for some of the relations."""
        return replace(self, request=replace(self.request, relations=relations), memory=memory)


def settings_for(
    request: Request, rules: PruningRule = ALL_RULES, count_by: CountBy | None = None
) -> SearchSettings:
    """Return the settings of a search, with the rules that hold for the request's score."""
    _check_record_bits(request)
    _check_configurations(request)
    return SearchSettings(
        request,
        tolerance=_tolerance(request),
        rules=rules & request.score.rules,
        count_by=count_by,
    )


def record_bits(data: Dataset) -> int:
    """Return the bits that a record takes in the kernel: for r states those of r - 1."""
    return sum((variable.state_count - 1).bit_length() for variable in data.variables)


def _check_record_bits(request: Request) -> None:
    """Refuse records that do not fit into the kernel's words; a cause takes one bit."""
    for relation in request.relations:
        bits = record_bits(request.data)
        if relation.causes is not None:
            acting = relation.causes.acting_states
            bits = sum(len(acting(variable.state_count)) for variable in request.data.variables)
        if bits > _MOST_RECORD_BITS:
            raise DataError(
                f"{relation} takes {bits} bits for a record of this table; at most "
                f"{_MOST_RECORD_BITS} are supported: leave out columns, or join states of columns "
                "with many of them"
            )


def _check_configurations(request: Request) -> None:
    """Refuse tables with more configurations than the kernel can count, if the score needs that."""
    if request.score.dirichlet is None:
        return
    logs = sorted(log(variable.state_count) for variable in request.data.variables)
    if sum(logs[-request.constraints.most_parents :]) > _MOST_LOG_CONFIGURATIONS:
        raise SettingsError(
            f"the parents of a node could have more configurations than the score {request.score} "
            "can count; allowed: fewer columns, or a limit of parents (max_parents)"
        )


def _tolerance(request: Request) -> float:
    """Return the tolerance of a network's cost: families may not be compared more finely.

    No credible network costs more than the one without edges, plus the slack.
    """
    total = sum(
        fit(request.data, Family(child, 0), score=request.score).cost
        for child in range(request.data.variable_count)
    )
    return tolerance_at(total)


@dataclass(frozen=True, slots=True, eq=False)
class KnownFamilies:
    """Families that are already known: parents (k, words) and costs (k,)."""

    parents: Words
    costs: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SearchPass:
    """What one pass over a child's families searches for.

    It finds the families of these relations that cost at most min(m(P) + slack, the highest price
    of P), where m(P) is the least cost over subsets of P, known families included. Without prices
    the limit is m(P) + slack. `most` limits the number of families: those furthest below their
    price are kept. A `heuristic` pass is a local search around known families, which finds some of
    the families.

    Without prices the work can be divided (see `set_ranges`). A pass over a range of `sets` without
    final `fits` only collects families. A last pass over an empty range is given all families
    `found`; it fits them and decides which to keep.
    """

    slack: float
    relations: tuple[Relation, ...]
    prices: tuple[Price, ...] = ()
    most: int | None = None
    known: KnownFamilies | None = None
    heuristic: bool = False
    sets: SetRange | None = None  # all sets by default
    found: FamilyColumns | None = None  # by other parts; they make the search of a range faster
    fits: bool = True


@dataclass(frozen=True, slots=True)
class ChildScores:
    """The families of one child, cheapest first.

    `statistics` is None for a child from a table, which has no statistics.
    """

    child: int
    columns: FamilyColumns
    statistics: ScoringStatistics | None = field(compare=False)


def scores_in(table: ScoreTable) -> dict[int, ChildScores]:
    """Return the families of each child in a table, from which scoring can resume."""
    found: dict[int, ChildScores] = {}
    for child in np.unique(table.children).tolist():
        rows = table.families_of(child)
        columns = table.columns.select(np.arange(rows.start, rows.stop))
        found[child] = ChildScores(child, columns, statistics=None)
    return found


class ChildSearch:
    """A search of one child that any number of threads may work on together.

    The kernel counts rows, so its costs are those of all copies of the records (see `Dataset`):
    whatever goes in is multiplied by the number of copies, and whatever comes out divided.

    Ranges of sets refer to its order of the candidates. All parts of a search must use the same
    order, so the first part's order must be passed to the others: on another machine, rounding may
    order two candidates differently.
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
            candidates.bit_count(),
            required.bit_count(),
            constraints.most_parents,
        )
        self._search = kernels.ChildSearch(
            codes=data.codes,
            weights=data.weights,
            states=[variable.state_count for variable in data.variables],
            child=child,
            settings=_kernel_settings(settings, child, order),
        )
        self._in_use = request.relations_of(child)
        self._copies = data.copies
        self._words = word_count(data.variable_count)

    def begin(self, wanted: SearchPass) -> None:
        """Start a pass while no thread is working; bounds from earlier passes remain cached."""
        sets = wanted.sets or self.all_sets
        self._relations = wanted.relations
        own = kernels.PassSettings()
        own.slack = wanted.slack * self._copies
        own.relations = [one.code for one in wanted.relations if one in self._in_use]
        own.prices = [_kernel_price(price, self._copies) for price in wanted.prices]
        own.most = wanted.most
        own.quick = wanted.heuristic
        if wanted.known is not None:
            own.known = _kernel_families(wanted.known, self._copies)
        own.first = to_words([sets.first], self._words)[0].tolist()
        own.end = to_words([sets.end], self._words)[0].tolist()
        if wanted.found is not None:
            own.found = _kernel_families(wanted.found, self._copies)
        own.fits = wanted.fits
        self._search.begin(own)

    @property
    def order(self) -> tuple[int, ...]:
        """The candidates from the least to the most useful; empty before any work is done."""
        return tuple(self._search.order)

    @property
    def reached(self) -> int:
        """The number of the first set that may not have been visited, while no thread works.

        It is the end of the range if all were visited. If only one thread has worked, the pass has
        found all families before that set, and after it only families with one candidate at most.
        """
        return from_words(np.array([self._search.reached], np.uint64))[0]

    @property
    def pieces_waiting(self) -> int:
        """The number of pieces of work that no thread has taken yet."""
        return self._search.waiting

    @property
    def share_done(self) -> float:
        """The share of the pieces that are done."""
        return self._search.share_done

    @property
    def memory_bytes(self) -> int:
        """The size of the cache of fits, in bytes."""
        return self._search.memory_bytes

    @property
    def decided(self) -> int:
        """The number of families counted or fitted so far."""
        return self._search.decided

    @property
    def finished(self) -> bool:
        """Whether the pass has finished."""
        return self._search.finished

    def work(self, cancellation: "kernels.Cancellation") -> None:
        """Work on pieces until none is available or the work is cancelled.

        More pieces may become available when other threads have finished theirs.
        """
        self._search.work(cancellation)

    def result(self, before: Iterable[ScoringStatistics] = ()) -> ChildScores:
        """Return the families, when the pass has finished; may be called once.

        `before` are the statistics of the parts that found the families passed in as `found`.
        """
        columns = self._columns(self._search.result())
        statistics = of_parts([*before, self._statistics(columns)])
        return ChildScores(self.child, columns, statistics)

    def found(self) -> tuple[FamilyColumns, ScoringStatistics]:
        """Return what a pass without final fits has found so far, while no thread works.

        The families that it was given are not included. `kept` of the statistics counts the found
        families.
        """
        found = self._columns(self._search.found())
        return found, self._statistics(found)

    def _columns(self, families: "kernels.FamilyColumns") -> FamilyColumns:
        costs, lowers = families.costs, families.lowers
        if self._copies > 1:
            costs, lowers = hand_over(costs / self._copies), lowers / self._copies
        columns = FamilyColumns(
            hand_over(np.full(len(costs), self.child, dtype=np.int32)),
            families.parents,
            families.relations,
            costs,
            hand_over(costs - lowers),
            families.offsets,
            families.parameters,
        )
        # Different costs may be equal once they are divided.
        return columns if self._copies == 1 else columns.ordered()

    def _statistics(self, kept: FamilyColumns) -> ScoringStatistics:
        counters = self._search.counters
        return statistics_of(self._space, self._in_use, self._relations, kept.relations, counters)


def _kernel_settings(
    settings: SearchSettings, child: int, order: Sequence[int]
) -> "kernels.SearchSettings":
    request = settings.request
    constraints = request.constraints
    required = constraints.required[child]
    count_by = settings.count_by or _faster_counts(request.data, constraints.most_parents)
    own = kernels.SearchSettings()
    own.tolerance = settings.tolerance * request.data.copies
    own.candidates = list(variables_in(constraints.allowed[child] & ~required))
    own.required = list(variables_in(required))
    own.order = list(order)
    own.max_parents = constraints.most_parents
    own.relations = [kernel_relation(request, child, one) for one in request.relations_of(child)]
    own.rules = int(settings.rules)
    own.gap = FIT_GAP
    own.relative_gap = FIT_RELATIVE_GAP
    own.counts = kernels.CountsBy[count_by.name]
    own.memory = settings.memory
    return own


def _faster_counts(data: Dataset, most_parents: int) -> CountBy:
    """Return the way of counting that is likely to be faster."""
    records, distinct = data.record_count * data.copies, len(data.weights)
    most = max(_MOST_RECORDS_AS_BITS, min(_MOST_DISTINCT_AS_BITS, _MOST_COPIES_AS_BITS * distinct))
    if data.is_binary:
        few = most_parents <= _FEW_PARENTS
        most = _MOST_RECORDS_AS_BITS if few else _MOST_BINARY_RECORDS_AS_BITS
    return CountBy.BIT_COLUMNS if records <= most else CountBy.CONFIGURATIONS


def kernel_relation(request: Request, child: int, relation: Relation) -> "kernels.RelationSpec":
    """Return how the kernel searches the families of a relation: by its own search or by a fit.

    A fit is called for each family that the rules valid for every relation do not prune.
    """
    data = request.data
    penalty = _kernel_penalty(request, child, relation)
    own_search = kernel_search(relation)
    if own_search is not None:
        alike = alike_of(request, child, relation)
        return own_search(kernels, relation, penalty, alike, request.score)

    def evaluate(parents: list[int]) -> tuple[float, float, list[float]]:
        variables = [data.variables[parent] for parent in parents]
        if not relation.supports(data.variables[child], variables):
            return inf, inf, []
        try:
            fitted = fit_likelihood(data, Family(child, set_of(parents), relation))
        except InfeasibleFitError:
            return inf, inf, []
        copies = data.copies
        parameters = fitted.distribution.parameters().tolist()
        return fitted.lower * copies, fitted.upper * copies, parameters

    return kernels.RelationSpec.evaluated(relation.code, penalty, evaluate)


def alike_of(request: Request, child: int, relation: Relation) -> list[Relation]:
    """Return the relations of a child that have the same weight in the prior.

    Only such a relation can share a search with a wider one (rule WIDER).
    """
    own = request.prior.relation_cost(relation)
    others = request.relations_of(child)
    return [one for one in others if request.prior.relation_cost(one) == own]


def _kernel_penalty(request: Request, child: int, relation: Relation) -> "kernels.Penalty":
    """Return what the families of a relation cost besides their fit, in the kernel's three parts.

    It is the cost of all copies of the records, as the kernel counts them.
    """
    copies = request.data.copies
    own = request.penalties(relation, child)
    form, by_parents, by_configurations = own.form, own.by_parents, own.by_configurations
    if by_configurations is not None:
        penalty = kernels.Penalty.by_configurations(
            lambda configurations: copies * by_configurations(configurations)
        )
    elif form is None:
        penalty = kernels.Penalty.by(lambda parents: copies * by_parents(parents))
    else:
        penalty = kernels.Penalty.of_parameters(
            copies * own.price, form.constant, form.per_state, form.per_configuration
        )
    by_size = [copies * size for size in own.by_size]
    return penalty.adding(by_size, [copies * weight for weight in own.weights])


def _kernel_families(
    families: KnownFamilies | FamilyColumns, copies: int
) -> "kernels.FamilyColumns":
    """Return families as the kernel takes them; of known families it uses only the costs."""
    costs = np.ascontiguousarray(families.costs * copies)
    relations, lowers = np.zeros(len(costs), np.uint8), costs
    if isinstance(families, FamilyColumns):
        relations, lowers = families.relations, costs - families.gaps * copies
    return kernels.FamilyColumns(
        parents=np.ascontiguousarray(families.parents),
        relations=relations,
        costs=costs,
        lowers=lowers,
        offsets=np.zeros(len(costs) + 1, np.int64),
        parameters=np.empty(0),
    )


def _kernel_price(price: Price, copies: int) -> "kernels.Price":
    cuts = [
        kernels.PriceCut.rounded(list(cut.parts), cut.up, cut.weight * copies)
        if isinstance(cut, RoundedCut)
        else kernels.PriceCut.cluster(
            list(variables_in(cut.variables)),
            cut.need,
            cut.weight * copies,
            list(variables_in(cut.own)),
            [list(variables_in(one)) for one in cut.classes],
        )
        for cut in price.cuts
    ]
    return kernels.Price(
        price.base * copies,
        list(variables_in(price.required)),
        list(variables_in(price.excluded)),
        cuts,
        price.least,
        price.most,
    )
