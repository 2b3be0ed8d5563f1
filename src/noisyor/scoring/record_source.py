"""Families scored on demand: the records as a source for the search by price."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Dataset, Family, ScoreTable
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.family_source import Offer, Price
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.request import Request
from noisyor.core.variable_sets import to_words, variables_in, word_count
from noisyor.fitting import fit
from noisyor.scoring.board import Board, Ready, run, thread_count, unfinished
from noisyor.scoring.child_search import (
    MEMORY_BYTES,
    ChildScores,
    ChildSearch,
    CountBy,
    KnownFamilies,
    SearchPass,
    scores_in,
    settings_for,
)
from noisyor.scoring.statistics import ScoringStatistics, combine
from noisyor.scoring.tables import KeepChild, keeping, open_gaps, table_of

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class SourceStatistics:
    """The work of all passes so far, including the first one for full tables.

    `evaluated` families were counted or fitted; `bounds` are evaluations that bounded a subtree.
    `fits` counts the fits made for both, `remembered` those that the cache of earlier fits saved.
    """

    passes: int = 0
    evaluated: int = 0
    bounds: int = 0
    fits: int = 0
    remembered: int = 0
    final_fits: int = 0
    unconverged: int = 0
    memory_bytes: int = 0


class RecordSource:
    """Offers the families of a request's records that are within their prices, by searching.

    The seed has all families of relations in closed form, which are quick to score and against
    which the others are compared. The other relations are priced. `keep` receives each child of the
    seed when it is finished; a later source of the same request takes these children as `finished`.
    """

    def __init__(  # noqa: PLR0913
        self,
        request: Request,
        *,
        rules: PruningRule = ALL_RULES,
        count_by: CountBy | None = None,
        memory: int = MEMORY_BYTES,
        finished: Mapping[int, ChildScores] | None = None,
        keep: KeepChild | None = None,
    ) -> None:
        self._request = request
        self._data = request.data
        self._finished = dict(finished or {})
        self._keep = keep
        self._settings = settings_for(request, rules, count_by)
        self._counted = tuple(one for one in request.relations if one.closed_form)
        self._priced = tuple(one for one in request.relations if not one.closed_form)
        self._jobs = thread_count(request.limits.jobs)
        self._memory = memory
        self._searches: dict[int, ChildSearch] = {}
        self._known: dict[int, KnownFamilies] = {}
        self._passes = 0
        self._work: list[ScoringStatistics] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self._data.names

    @property
    def statistics(self) -> SourceStatistics:
        """The work so far; of a stopped pass, only the finished children."""
        total = combine(self._work)
        relations = total.relations.values()
        return SourceStatistics(
            passes=self._passes,
            evaluated=sum(one.evaluated for one in relations),
            bounds=sum(one.bounds for one in relations),
            fits=total.fits.made,
            remembered=total.fits.remembered,
            final_fits=total.fits.final,
            unconverged=total.fits.unconverged,
            memory_bytes=sum(search.memory_bytes for search in self._searches.values()),
        )

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        """Return, for each child, a lower bound on the cost of its families.

        Whatever the relation, the distributions of a child given P are among the full tables over
        P, and these among the full tables over all allowed parents. So no family has a lower -ln L
        than the best full table over all allowed parents. `FamilyPenalty.least` bounds the rest of
        the cost. A child that is left when `stop` returns True is bounded by that rest alone: no
        -ln L is below 0, for no probability is above 1.
        """
        loss = None if stop() else FullTableLoss(self._data)
        by_states: dict[int, int] = {}
        for place, variable in enumerate(self._data.variables):
            by_states[variable.state_count] = by_states.get(variable.state_count, 0) | 1 << place
        alike = list(by_states.values())
        least = []
        for child in range(len(self.names)):
            loss = None if stop() else loss
            least.append(self._least_cost(child, loss, alike))
        return np.array(least)

    def _least_cost(self, child: int, loss: "FullTableLoss | None", alike: list[int]) -> float:
        request = self._request
        required, allowed = request.constraints.required[child], request.constraints.allowed[child]
        most = request.constraints.most_parents
        penalty = min(
            request.penalties(relation, child).least(required, allowed, most, alike)
            for relation in request.relations_of(child)
        )
        least_loss = 0.0 if loss is None else loss.of(child, allowed)
        return least_loss + penalty - self._settings.tolerance

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return all families in closed form within the slack.

        A child not finished when `stop` returns True gets only the family over its required
        parents. Required edges form no cycle, so the offer always contains an acyclic network.
        """
        counted = self._settings.for_relations(self._counted)
        wanted = SearchPass(self._request.factor.slack, self._counted)

        def start(child: int) -> ChildSearch:
            search = ChildSearch(counted, child)
            search.begin(wanted)
            return search

        for scores in self._finished.values():
            self._learn(scores)
            if scores.statistics is not None:
                self._work.append(scores.statistics)
        left = [child for child in range(len(self.names)) if child not in self._finished]
        done = self._finished | self._run(
            {child: partial(start, child) for child in left}, stop, self._keep
        )
        rest = [self._smallest(child) for child in range(len(self.names)) if child not in done]
        for scores in rest:
            self._learn(scores)
        return self._offer({**done, **{scores.child: scores for scores in rest}}, done)

    def remember(self, table: ScoreTable) -> None:
        """Add families that an earlier source has offered to the known ones."""
        for scores in scores_in(table).values():
            self._learn(scores)

    def _smallest(self, child: int) -> ChildScores:
        """Return the family in closed form over the required parents alone."""
        family = Family(child, self._request.constraints.required[child])
        request = self._request
        cost = fit(self._data, family, score=request.score, structure_prior=request.prior).cost
        parents = to_words([family.parents], word_count(len(self.names)))
        columns = FamilyColumns.without_parameters(
            child, parents, [family.relation.code], [cost], [0.0]
        )
        return ChildScores(child, columns, statistics=None)

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families of the priced relations that are within a price of their child.

        Families known from earlier offers count among those over fewer parents that may be cheaper.
        A child without prices has no family within them. A heuristic search never counts as
        finished for the others; where the families are few, an exact one takes its place. For the
        parameters see `FamilySource.within`.
        """
        heuristic = heuristic and not self._has_few_sets
        slack = 0.0 if undominated else self._request.factor.slack
        wanted = {
            child: SearchPass(
                slack, self._priced, tuple(own), most, self._known.get(child), heuristic
            )
            for child, own in enumerate(prices)
            if own and not set(self._priced).isdisjoint(self._request.relations_of(child))
        }
        done = self._run(
            {child: partial(self._again, child, wanted[child]) for child in wanted}, stop
        )
        finished = {child for child in range(len(self.names)) if child not in wanted}
        if heuristic:
            return self._offer(done, finished, "a heuristic search")
        return self._offer(done, finished | done.keys())

    @property
    def _has_few_sets(self) -> bool:
        """Whether each child has so few sets of parents that an exact search takes little time."""
        constraints = self._request.constraints
        return all(
            kernels.are_few_sets(
                (allowed & ~required).bit_count(),
                constraints.most_parents - required.bit_count(),
            )
            for allowed, required in zip(constraints.allowed, constraints.required, strict=True)
        )

    def _again(self, child: int, wanted: SearchPass) -> ChildSearch:
        """Return the child's search, with its cache of fits, and start the pass."""
        search = self._searches.get(child)
        if search is None:
            memory = self._memory // len(self.names)
            priced = self._settings.for_relations(self._priced, memory)
            search = self._searches[child] = ChildSearch(priced, child)
        search.begin(wanted)
        return search

    def _run(
        self,
        children: Mapping[int, Ready],
        stop: Callable[[], bool],
        keep: KeepChild | None = None,
    ) -> dict[int, ChildScores]:
        """Search the children with threads; return those that finished."""
        self._passes += 1
        board = Board(children, keeping(self._request, keep))
        run(board, self._jobs, stop, _POLL_SECONDS)
        for scores in board.done.values():
            self._learn(scores)
            if scores.statistics is not None:
                self._work.append(scores.statistics)
        return board.done

    def _learn(self, scores: ChildScores) -> None:
        """Add families to the known ones; the cheapest of each parent set is kept."""
        parents, costs = scores.columns.parents, scores.columns.costs
        if scores.child in self._known:
            known = self._known[scores.child]
            parents = np.concatenate([known.parents, parents])
            costs = np.concatenate([known.costs, costs])
        order = np.argsort(costs, kind="stable")
        _, first = np.unique(parents[order], axis=0, return_index=True)
        chosen = order[np.sort(first)]
        self._known[scores.child] = KnownFamilies(parents[chosen], costs[chosen])

    def _offer(
        self,
        offered: Mapping[int, ChildScores],
        finished: Iterable[int],
        cause: str | None = None,
    ) -> Offer:
        done = set(finished)
        limit = self._request.limits.seconds
        if cause is None:
            cause = "stopping" if limit is None else "the time limit"
        fits = combine(
            part.statistics for part in offered.values() if part.statistics is not None
        ).fits
        shortfalls = [*unfinished(self.names, done, cause), *open_gaps(fits)]
        table = table_of(self._request, offered, shortfalls)
        return Offer(table, np.array([child in done for child in range(len(self.names))]))


class FullTableLoss:
    """-ln L of the best full table over many parents.

    Records are sorted into the cells of a table by a sum of random numbers, one for each state of
    each parent. Sorting whole records would take as long for each child as reading the table. Equal
    sums are compared record by record, so that nothing rests on chance but the time.
    """

    def __init__(self, data: Dataset) -> None:
        self._data = data
        random = np.random.default_rng(0)
        factors = random.integers(0, 2**64, data.variable_count, dtype=np.uint64)
        self._factors = factors | np.uint64(1)
        self._total = self._sums(range(data.variable_count))

    def of(self, child: int, parents: int) -> float:
        """Return the loss of a child given a set of parents."""
        data = self._data
        cell = self._cells(parents)
        states = data.variables[child].state_count
        place = cell * states + data.column(child)
        rows = int(cell.max()) + 1
        counts = np.bincount(place, data.weights, rows * states).reshape(rows, states)
        total = counts.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(counts > 0, counts * np.log(total / counts), 0.0)
        return float(terms.sum()) / data.copies

    def _cells(self, parents: int) -> npt.NDArray[np.intp]:
        """Return the number of the cell that each distinct record is in."""
        chosen = list(variables_in(parents))
        others = list(variables_in(~parents & ((1 << self._data.variable_count) - 1)))
        fewer = len(others) < len(chosen)
        sums = self._total - self._sums(others) if fewer else self._sums(chosen)
        _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
        cell: npt.NDArray[np.intp] = inverse.ravel()
        repeated = np.flatnonzero(first[cell] != np.arange(len(cell)))
        codes = self._data.codes
        same = codes[repeated] == codes[first[cell[repeated]]]
        if same[:, chosen].all():
            return cell
        exact: npt.NDArray[np.intp] = np.unique(codes[:, chosen], axis=0, return_inverse=True)[1]
        return exact.ravel()

    def _sums(self, variables: Iterable[int]) -> npt.NDArray[np.uint64]:
        """Return, for each distinct record, the sum of the numbers of its states, modulo 2**64."""
        sums = np.zeros(len(self._data.weights), dtype=np.uint64)
        for variable in variables:
            sums += self._data.column(variable) * self._factors[variable]
        return sums
