"""A good network from the first second on, by local search; it proves nothing.

Climbers (`cpp/climbing`), on several threads or on a cluster, change single edges, then the
families of a few variables at once. After each round all go on from the best network, so that a
given number of rounds finds the same network on any machine with as many climbers. Full tables are
counted and the other relations fitted only where the search goes, so that a hundred columns are no
harder than the records make them.
"""

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from noisyor._kernels import kernels
from noisyor.cluster import chosen_cluster, room_for_others
from noisyor.core import Family, ScoreTable, Structure
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Request
from noisyor.core.threads import wait_until
from noisyor.core.tolerance import tolerance_at
from noisyor.core.variable_sets import set_of, to_words, variables_in, word_count
from noisyor.fitting import fit
from noisyor.fitting.relations import narrower_of
from noisyor.scoring.board import thread_count
from noisyor.scoring.child_search import ChildScores, alike_of
from noisyor.scoring.climbers import Climbers, ClimbingWork, LocalClimbers
from noisyor.scoring.climbing_tasks import ClusterClimbers
from noisyor.scoring.tables import table_of

FEW_CLIMBERS = 2
"""The climbers before an exact search, whatever the number of threads."""

_POLL_SECONDS = 0.02


class Climbing:
    """A climb: rounds of climbers that improve one network together.

    They are on the cluster that joblib has chosen in this thread, if there is one and neither their
    number nor that of threads is given; else on threads of this machine.

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
        self._copies = request.data.copies
        self._relations = tuple(
            request.relations_of(child) for child in range(request.data.variable_count)
        )
        jobs = request.limits.jobs
        self._cluster = chosen_cluster() if jobs is None and climbers is None else None
        self._climbers: Climbers = (
            LocalClimbers(request, thread_count(jobs), climbers, seed)
            if self._cluster is None
            else ClusterClimbers(request, self._cluster, seed)
        )
        self._rounds = 0
        self._cost = self._best_cost()  # of the last round: none at work must be asked

    @property
    def work(self) -> ClimbingWork:
        """The work so far."""
        return self._climbers.work

    @property
    def lost(self) -> str | None:
        """Why the climbers cannot go on, if their cluster was lost; else None."""
        return self._climbers.lost

    @property
    def rounds(self) -> int:
        """The rounds that are over; the first is a climb by single edges."""
        return self._rounds

    @property
    def cost(self) -> float:
        """The cost of the best network, within the gaps of quick fits."""
        return self._cost

    def _best_cost(self) -> float:
        """Return the cost of the climbers' best network; theirs is that of all copies."""
        return self._climbers.best.cost / self._copies

    def structure(self) -> Structure:
        """Return the best network."""
        best = self._climbers.best
        return Structure(
            self._request.data.names,
            tuple(
                self._twin_of(Family(child, set_of(parents), self._relations[child][place]))
                for child, (parents, place) in enumerate(
                    zip(best.parents, best.relations, strict=True)
                )
            ),
        )

    def adopt(self, structure: Structure) -> None:
        """Go on from this network if it is better than the climbers' own."""
        self._climbers.adopt([list(family.parent_indices()) for family in structure.families])
        self._cost = self._best_cost()

    def run(
        self,
        stop: Callable[[], bool],
        *,
        pause: Callable[[], bool] | None = None,
        rounds: int | None = None,
        improved: Callable[[], None] | None = None,
    ) -> None:
        """Improve the network until `stop` returns True, or for so many rounds.

        `stop` is polled by the calling thread; Ctrl-C leaves the best network so far in place.
        `pause` is asked between rounds, so that none is broken off. `improved` is called after each
        round that found a better network. The run also ends if the cluster is `lost`.
        """
        cancellation = kernels.Cancellation()
        done = threading.Event()

        def work() -> None:
            left = math.inf if rounds is None else rounds
            while left > 0 and not (cancellation.cancelled or self.lost):
                self._climbers.climb(self._rounds, cancellation)
                self._cost = self._best_cost()
                self._rounds += not cancellation.cancelled
                left = 0 if pause is not None and pause() else left - 1

        def watched() -> None:
            try:
                work()
            finally:
                done.set()

        with room_for_others(self._cluster), ThreadPoolExecutor(1) as pool:
            cost = self.cost
            task = None
            try:
                task = pool.submit(watched)
                while not done.wait(_POLL_SECONDS):
                    if stop():
                        cancellation.cancel()
                    if improved is not None and self.cost < cost:
                        cost = self.cost
                        improved()
            finally:
                cancellation.cancel()
                if task is not None:  # climbers at work must not be asked for their network
                    wait_until(done.is_set)
            task.result()

    def families(
        self,
        *,
        within: float,
        most: int,
        around: Sequence[Sequence[int]] = (),
        stop: Callable[[], bool] = lambda: False,
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
        stop
            When it returns True, only the best network's families are fitted from then on, and
            others are returned as far as their costs are certain already.

        """
        best = self.structure()
        done = {}
        for child, own in enumerate(best.families):
            relations = self._relations[child]
            known = {
                Family(child, parents, relations[place]): cost / self._copies
                for parents, place, cost in self._climbers.met(child)
            }
            (cost,) = self._over(child, [own.parents]).values()  # its twin may not have been met
            limit = cost + within
            near = sorted(known, key=lambda family: (known[family], family.parents))
            chosen = [family for family in near[:most] if known[family] <= limit]
            if around and not stop():
                further = self._over(child, around[child])
                known |= further
                chosen += further
            chosen = [
                self._twin_of(family)
                for family in chosen
                if family.relation.closed_form or not stop()
            ]
            done[child] = self._scores(own, dict.fromkeys([own, *chosen]), known, stop)
        return table_of(self._request, done, ())

    def _twin_of(self, family: Family) -> Family:
        """Return the family of a narrower relation over the same parents if it costs no more.

        Quick fits do not tell the two apart, and a search of all families leaves the other one out.
        """
        request = self._request
        alike = alike_of(request, family.child, family.relation)
        narrower = narrower_of(family.relation, alike)
        if narrower is None:
            return family
        twin = Family(family.child, family.parents, narrower)
        own, other = (
            fit(request.data, one, score=request.score, structure_prior=request.prior).cost
            for one in (family, twin)
        )
        return twin if other <= own + tolerance_at(own) else family

    def _over(self, child: int, sets: Sequence[int]) -> dict[Family, float]:
        """Return the cheapest family over each set of parents, with its cost."""
        listed = [list(variables_in(own)) for own in sets]
        relations, costs = self._climbers.best.families_over(child, listed)
        return {
            Family(child, own, self._relations[child][place]): cost / self._copies
            for own, place, cost in zip(sets, relations, costs, strict=True)
        }

    def _scores(
        self,
        own: Family,
        families: Iterable[Family],
        known: Mapping[Family, float],
        stop: Callable[[], bool],
    ) -> ChildScores:
        """Return the costs of a family and others: of full tables as counted, else by a fit."""
        request, child = self._request, own.child
        rows = []
        for family in families:
            if family.relation.closed_form and family in known:
                rows.append((family, known[family], 0.0, np.empty(0)))
                continue
            if family != own and stop():
                continue
            fitted = fit(request.data, family, score=request.score, structure_prior=request.prior)
            if not fitted.converged and family != own:
                continue  # an exact search shall fit it, and say that its gap is open
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
