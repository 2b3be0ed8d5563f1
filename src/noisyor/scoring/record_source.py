"""Families scored on demand: the records as a source for the search by price."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    Family,
    Relation,
    ScoreTable,
)
from noisyor.core.family_source import Offer, Price
from noisyor.core.variable_sets import to_words
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
from noisyor.scoring.rules import ALL_RULES, PruningRule
from noisyor.scoring.statistics import ScoringStatistics, combine
from noisyor.scoring.tables import KeepChild, Keeper, open_gaps, table_of

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class SourceStatistics:
    """The work of all passes so far, the first one for full tables included.

    `evaluated` families were counted or fitted, `bounds` bounded a subtree; of the fits of both
    kinds, `fits` were made and `remembered` spared by what earlier ones had shown.
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
    """Offers the families of a data set that keep to a price, searching for them each time.

    Full tables come first, all of them: they are quickly scored, and every noisy-OR is then judged
    against them. The other relations are priced. `finished` takes children whose full tables an
    earlier source of the same data and settings has given to `keep`, each once it was finished.
    """

    def __init__(  # noqa: PLR0913  (each option is one that the paper or a user names)
        self,
        data: BinaryDataset,
        bayes_factor: float | BayesFactor = 20,
        *,
        relations: Iterable[str | Relation] = (CPT, NOISY_OR),
        constraints: Constraints | None = None,
        rules: PruningRule = ALL_RULES,
        count_by: CountBy | None = None,
        jobs: int | None = None,
        memory: int = MEMORY_BYTES,
        finished: Mapping[int, ChildScores] | None = None,
        keep: KeepChild | None = None,
    ) -> None:
        self._data = data
        self._finished = dict(finished or {})
        self._keep = keep
        self._settings = settings_for(data, bayes_factor, relations, constraints, rules, count_by)
        self._priced = tuple(one for one in self._settings.relations if one is not CPT)
        self._jobs = thread_count(jobs)
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
        """The work so far; of passes that were stopped, the children that were finished."""
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

    def least_costs(self) -> npt.NDArray[np.float64]:
        """Return, for each child, a cost that none of its families goes below.

        Whatever the relation, the distributions of a child given P are among the full tables over
        P, and those among the full tables over all the parents that it may have. So none has a
        lower -ln L than the last of these. Penalties grow with the number of parents, of which a
        family has at least the required, and one if it is not a full table.
        """
        return np.array([self._least_cost(child) for child in range(len(self.names))])

    def _least_cost(self, child: int) -> float:
        constraints, records = self._settings.constraints, self._data.record_count
        required = constraints.required[child].bit_count()
        penalty = min(
            relation.penalty(max(required, 0 if relation is CPT else 1), records)
            for relation in self._settings.relations
        )
        least = _full_table_loss(self._data, child, constraints.allowed[child])
        return least + penalty - self._settings.tolerance

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return all full tables within the slack.

        For a child not scored before `stop` said so, the one over its required parents. Without
        parents but these there is no cycle, so the offer has an acyclic network.
        """
        only_tables = dataclasses.replace(self._settings, relations=(CPT,))
        wanted = SearchPass(self._settings.bayes_factor.slack, (CPT,))

        def start(child: int) -> ChildSearch:
            search = ChildSearch(self._data, child, only_tables)
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
        """Let families that an earlier source has offered count among the known ones."""
        for scores in scores_in(table).values():
            self._learn(scores)

    def _smallest(self, child: int) -> ChildScores:
        """Return the full table over the required parents alone."""
        parents = self._settings.constraints.required[child]
        cost = fit(self._data, Family(child, parents)).certificate.cost
        return ChildScores(
            child,
            to_words([parents], self._data.rows.shape[1]),
            np.array([CPT.code], dtype=np.uint8),
            np.array([cost]),
            np.zeros(1),
            np.zeros(2, dtype=np.int64),
            np.empty(0),
            statistics=None,
        )

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        hasty: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families other than full tables that keep to one of their child's prices.

        Families known from earlier offers count among those over fewer parents that may be
        cheaper. A child without a price has no family within one, and what a `hasty` search finds
        are never known to be all.
        """
        slack = 0.0 if undominated else self._settings.bayes_factor.slack
        wanted = {
            child: SearchPass(slack, self._priced, tuple(own), most, self._known.get(child), hasty)
            for child, own in enumerate(prices)
            if own and self._priced
        }
        done = self._run(
            {child: partial(self._again, child, wanted[child]) for child in wanted}, stop
        )
        finished = {child for child in range(len(self.names)) if child not in wanted}
        if hasty:
            return self._offer(done, finished, "haste")
        return self._offer(done, finished | done.keys())

    def _again(self, child: int, wanted: SearchPass) -> ChildSearch:
        """Return the child's search, with all that it remembers, and the pass begun."""
        search = self._searches.get(child)
        if search is None:
            priced = dataclasses.replace(
                self._settings,
                relations=self._priced,
                memory=self._memory // len(self.names),
            )
            search = self._searches[child] = ChildSearch(self._data, child, priced)
        search.begin(wanted)
        return search

    def _run(
        self,
        children: Mapping[int, Ready],
        stop: Callable[[], bool],
        keep: KeepChild | None = None,
    ) -> dict[int, ChildScores]:
        """Let threads search the children; return those that were finished."""
        self._passes += 1
        board = Board(children)
        keeper = Keeper(self._data, self._settings, board, keep)

        def look() -> bool:
            keeper.look()
            return stop()

        try:
            run(board, self._jobs, look, _POLL_SECONDS)
        finally:
            keeper.look()
        for scores in board.done.values():
            self._learn(scores)
            if scores.statistics is not None:
                self._work.append(scores.statistics)
        return board.done

    def _learn(self, scores: ChildScores) -> None:
        """Let families count among the known ones, the cheapest of each set of parents."""
        parents, costs = scores.parents, scores.costs
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
        cause: str = "stopping",
    ) -> Offer:
        done = set(finished)
        fits = combine(
            part.statistics for part in offered.values() if part.statistics is not None
        ).fits
        shortfalls = [*unfinished(self.names, done, cause), *open_gaps(fits)]
        table = table_of(self._data, self._settings, offered, shortfalls)
        return Offer(table, np.array([child in done for child in range(len(self.names))]))


def _full_table_loss(data: BinaryDataset, child: int, parents: int) -> float:
    """Return -ln L of the best full table over these parents."""
    cells = data.rows & to_words([parents], data.rows.shape[1])
    _, cell = np.unique(cells, axis=0, return_inverse=True)
    present = data.column(child).astype(np.bool_)
    counts = np.zeros((int(cell.max()) + 1, 2))
    np.add.at(counts, (cell.ravel(), present.astype(np.int64)), data.weights)
    total = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(total / counts), 0.0)
    return float(terms.sum())
