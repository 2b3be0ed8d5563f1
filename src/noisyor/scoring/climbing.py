"""A good network from the first second on, by local search; it proves nothing.

Climbers (`cpp/climbing`) on several threads change single edges, then the families of a few
variables at once. After each round all go on from the best network, so that a given number of
rounds finds the same network on any machine with as many threads. Full tables are counted and the
other relations fitted only where the search goes, so that a hundred columns are no harder than the
records make them.
"""

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from noisyor._kernels import kernels
from noisyor.core import Family, ScoreTable, Structure
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Request
from noisyor.core.variable_sets import set_of, to_words, variables_in, word_count
from noisyor.fitting import fit
from noisyor.scoring.board import thread_count
from noisyor.scoring.child_search import ChildScores, kernel_relation
from noisyor.scoring.tables import table_of

_POLL_SECONDS = 0.02
_TURNS = 8  # of each climber in a round


@dataclass(frozen=True, slots=True)
class ClimbingWork:
    """What climbing took: turns, single steps, and the families that were counted or fitted."""

    turns: int = 0
    steps: int = 0
    evaluated: int = 0


class Climbing:
    """Climbers that improve one network together.

    Parameters
    ----------
    request
        What is to be learned; its constraints hold for every network on the way.
    climbers
        The number of climbers; by default one for each thread. The network depends on it.
    seed
        The seed of the random choices.

    """

    def __init__(self, request: Request, *, climbers: int | None = None, seed: int = 0) -> None:
        self._request = request
        self._relations = tuple(
            request.relations_of(child) for child in range(request.data.variable_count)
        )
        self._threads = thread_count(request.limits.jobs)
        count = climbers or self._threads
        self._climbers = [self._climber(seed * count + number) for number in range(count)]
        self._rounds = 0
        self._cost = self._best.cost  # after the last round: climbers at work must not be asked

    def _climber(self, seed: int) -> "kernels.Climber":
        request, data = self._request, self._request.data
        constraints = request.constraints
        children = range(data.variable_count)
        allowed = (constraints.allowed[child] & ~constraints.required[child] for child in children)
        return kernels.Climber(
            np.ascontiguousarray(data.codes),
            data.weights,
            [variable.state_count for variable in data.variables],
            [
                [kernel_relation(request, child, one) for one in self._relations[child]]
                for child in children
            ],
            [list(variables_in(own)) for own in allowed],
            [list(variables_in(own)) for own in constraints.required],
            constraints.most_parents,
            seed,
        )

    @property
    def work(self) -> ClimbingWork:
        """The work so far."""
        return ClimbingWork(
            turns=sum(one.turns for one in self._climbers),
            steps=sum(one.steps for one in self._climbers),
            evaluated=sum(one.evaluated for one in self._climbers),
        )

    @property
    def rounds(self) -> int:
        """The rounds that are over; the first is a climb by single edges."""
        return self._rounds

    @property
    def cost(self) -> float:
        """The cost of the best network, within the gaps of quick fits."""
        return self._cost

    @property
    def _best(self) -> "kernels.Climber":
        return min(self._climbers, key=lambda one: one.cost)  # of equal ones, the first

    def structure(self) -> Structure:
        """Return the best network."""
        best = self._best
        return Structure(
            self._request.data.names,
            tuple(
                Family(child, set_of(parents), self._relations[child][place])
                for child, (parents, place) in enumerate(
                    zip(best.parents, best.relations, strict=True)
                )
            ),
        )

    def adopt(self, structure: Structure) -> None:
        """Go on from this network if it is better than the climbers' own."""
        for one in self._climbers:
            one.adopt([list(family.parent_indices()) for family in structure.families])
        self._cost = self._best.cost

    def run(
        self,
        stop: Callable[[], bool],
        *,
        rounds: int | None = None,
        improved: Callable[[], None] | None = None,
    ) -> None:
        """Improve the network until `stop` returns True, or for so many rounds.

        `stop` is polled by the calling thread; Ctrl-C leaves the best network so far in place.
        `improved` is called after each round that found a better network.
        """
        cancellation = kernels.Cancellation()
        done = threading.Event()

        def work(pool: ThreadPoolExecutor) -> None:
            left = rounds
            while not cancellation.cancelled and (left is None or left > 0):
                list(pool.map(lambda one: one.climb(self._turns(), cancellation), self._climbers))
                self._share()
                self._rounds += not cancellation.cancelled
                left = None if left is None else left - 1

        def watched(pool: ThreadPoolExecutor) -> None:
            try:
                work(pool)
            finally:
                done.set()

        # One more thread waits for the others.
        with ThreadPoolExecutor(min(self._threads, len(self._climbers)) + 1) as pool:
            cost = self.cost
            task = pool.submit(watched, pool)
            try:
                while not done.wait(_POLL_SECONDS):
                    if stop():
                        cancellation.cancel()
                    if improved is not None and self.cost < cost:
                        cost = self.cost
                        improved()
            finally:
                cancellation.cancel()
            task.result()

    def _turns(self) -> int:
        return _TURNS if self._rounds else 0  # first only a climb, so that there is a network soon

    def _share(self) -> None:
        best = self._best
        for one in self._climbers:
            if one.cost > best.cost:
                one.adopt(best.parents)
        self._cost = best.cost

    def families(
        self, *, within: float, most: int, around: Sequence[Sequence[int]] = ()
    ) -> ScoreTable:
        """Return the best network's families and others that were met, with certified costs.

        Parameters
        ----------
        within
            How much dearer than the best network's family of the same child, in nats.
        most
            The most families of each child.
        around
            Further sets of parents for each child, in order; the cheapest family over each is
            returned, whatever it costs. See `parents_around`.

        """
        best = self.structure()
        done = {}
        for child, own in enumerate(best.families):
            known = {
                family: cost for one in self._climbers for family, cost in self._met(one, child)
            }
            limit = known.get(own, math.inf) + within
            near = sorted((cost, family.parents, family) for family, cost in known.items())
            chosen = [family for cost, _, family in near[:most] if cost <= limit]
            if around:
                further = self._over(child, around[child])
                known |= further
                chosen += further
            done[child] = self._scores(child, dict.fromkeys([own, *chosen]), known)
        return table_of(self._request, done, ())

    def _over(self, child: int, sets: Sequence[int]) -> dict[Family, float]:
        """Return the cheapest family over each set of parents, with its cost."""
        listed = [list(variables_in(own)) for own in sets]
        relations, costs = self._best.families_over(child, listed)
        return {
            Family(child, own, self._relations[child][place]): cost
            for own, place, cost in zip(sets, relations, costs, strict=True)
            if place >= 0  # no relation may be for so few parents
        }

    def _met(self, climber: "kernels.Climber", child: int) -> Iterable[tuple[Family, float]]:
        parents, relations, costs = climber.families_of(child)
        relation = self._relations[child]
        for own, place, cost in zip(parents, relations, costs, strict=True):
            yield Family(child, set_of(own), relation[place]), cost

    def _scores(
        self, child: int, families: Iterable[Family], known: Mapping[Family, float]
    ) -> ChildScores:
        """Return the costs of some families: of full tables as counted, of others by a fit."""
        request = self._request
        rows = []
        for family in families:
            if family.relation.closed_form and family in known:
                rows.append((family, known[family], 0.0, np.empty(0)))
                continue
            fitted = fit(request.data, family, score=request.score)
            counted = family.relation.closed_form
            kept = np.empty(0) if counted else fitted.distribution.parameters()
            gap = fitted.certificate.cost - fitted.certificate.lower_bound
            rows.append((family, fitted.cost, gap, kept))
        chosen, costs, gaps, parameters = zip(*rows, strict=True)
        words = word_count(request.data.variable_count)
        columns = FamilyColumns(
            np.full(len(rows), child, dtype=np.int32),
            to_words([family.parents for family in chosen], words),
            np.array([family.relation.code for family in chosen], dtype=np.uint8),
            np.array(costs),
            np.array(gaps),
            np.cumsum([0, *map(len, parameters)]),
            np.concatenate(parameters),
        )
        return ChildScores(child, columns.ordered(), statistics=None)
