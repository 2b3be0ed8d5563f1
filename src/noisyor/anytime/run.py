"""Learning that has a network from the first second on, and proves as much as time allows.

First climbers find a good network (`scoring.climbing`). Then exact searches begin from it: for all
families at once where that ends, else layer by layer, with at most 1, 2, 3, ... parents at each
node. Each layer proves its optimum, and starts the climbers again if it found a better network.
What is left of the time goes to the climbers. Ctrl-C ends the run as a time limit does.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.anytime.budget import LEAST_SECONDS, Budget
from noisyor.anytime.climb import Climb, rows_of
from noisyor.core import BayesFactor, CredibleSet, ScoreTable, Structure
from noisyor.core.credible_set import Labels
from noisyor.core.layers import Layer
from noisyor.core.progress import Progress
from noisyor.core.request import Limits, Request
from noisyor.runs.checkpoint import Checkpoint, KeptLayer, KeptSource
from noisyor.runs.work import ClimbedWork
from noisyor.scoring import RecordSource
from noisyor.scoring.climbing import FEW_CLIMBERS, Climbing
from noisyor.search import SearchedByPrice, search_by_price
from noisyor.search.clock import Clock
from noisyor.search.pricing.state import Known, RootCuts
from noisyor.search.result import ONLY_BEST
from noisyor.search.sampling import sample_credible
from noisyor.search.table_search import resources_for, sample_if_uncounted

if TYPE_CHECKING:
    from noisyor.core.family_source import FamilySource

_BRIEFLY = 2.0  # seconds of a climb before the search of a layer
_SAMPLED_PAIRS = 1 << 30  # of variables and records: the first step on a sample looks at them all
MOST_SAMPLED = 1 << 14
"""The most records of a sample on which a first network is found."""

NEAR_ONLY = (
    "the sample is made of families near the best network: those that the search has met, and "
    "those that reverse its arcs"
)
"""The note of a sample that is not of all families."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What was found: the credible set, the families known, and the work by step.

    `interrupted` is whether Ctrl-C ended the run.
    """

    credible: CredibleSet
    table: ScoreTable
    work: ClimbedWork
    seconds: dict[str, float]
    interrupted: bool


class Anytime:
    """One run: the climbers, and the layers proven so far.

    Parameters
    ----------
    request
        What is to be learned.
    labels
        Which networks count as different.
    seconds
        The time for all of it; None if there is no limit.
    show
        Called with the progress.
    checkpoint
        Where finished parts are kept.

    """

    def __init__(
        self,
        request: Request,
        labels: Labels,
        seconds: float | None,
        show: Callable[[Progress], None],
        checkpoint: Checkpoint | None,
    ) -> None:
        self._request = request
        self._labels = labels
        self._show = show
        self._checkpoint = checkpoint
        self._budget = Budget(request, seconds)
        self._spent: dict[str, float] = {}
        self._climb: Climb
        self._layers: list[Layer] = []
        self._source: RecordSource | None = None
        self._searched: SearchedByPrice | None = None  # of the last exact search
        self._table: ScoreTable | None = None  # of the sampled families
        self._deepest: Structure | None = None  # the best network of the last layer proven
        self._cuts: RootCuts | None = None  # of the last layer, which are good for the next
        self._least: Mapping[int, float] = {}  # known of some children's families
        self._interrupted = False

    def all_at_once(self) -> Outcome:
        """Climb briefly, then search all families.

        The climb depends neither on the clock nor on the number of threads, so that the search
        after it is always the same. A resumed run climbs again and asks the same questions.
        """
        self._climb = self._climb_of(self._request, climbers=FEW_CLIMBERS)
        self._guarded(partial(self._climb.in_rounds, self._budget.is_over))
        if not self._interrupted:
            self._guarded(self._prove_whole)
        return self._outcome(self._credible_set(self._searched))

    def by_layers(self) -> Outcome:
        """Climb, then prove layer by layer, then climb again."""
        self._climb = self._climb_of(self._request)
        self._guarded(self._climb_first)
        self._guarded(self._prove_layers)
        found = None
        if self._reached_all:
            self._searched = None  # that of the layer has another Bayes factor
            self._guarded(self._prove_whole)
            found = self._searched
        else:
            self._guarded(self._climb_on)
        self._keep_if_interrupted()
        credible = self._credible_set(found)
        if self._reached_all:
            bound = max(credible.lower_bound, self._layers[-1].lower_bound)
            credible = replace(credible, lower_bound=min(credible.optimum, bound))
        layers = tuple(self._layers)
        notes = (*credible.notes, *(layer.words() for layer in layers))
        return self._outcome(replace(credible, layers=layers, notes=notes))

    def by_climbing(self, least: Mapping[int, float]) -> Outcome:
        """Climb while it pays, and prove nothing: for a run that has no time for more.

        `least` has what the cheapest families of some children cost.
        """
        self._least = least
        self._climb = self._climb_of(self._request)
        self._guarded(self._climb_first)
        self._keep_if_interrupted()
        return self._outcome(self._credible_set(None))

    # Climbing.

    def _climb_of(self, request: Request, *, climbers: int | None = None) -> Climb:
        def spent(seconds: float) -> None:
            self._add_seconds({"climbing": seconds})

        return Climb(request, self._show, spent, climbers=climbers)

    def _climb_first(self) -> None:
        if self._checkpoint is not None:
            kept = self._checkpoint.climbed()
            if kept is not None:
                self._climbers.adopt(_network_of(*kept))
            self._take_up_layers(self._checkpoint.layers())
        self._climb_on_sample()
        self._climb.while_it_pays(self._budget.for_first_climb())
        self._keep()

    def _climb_on_sample(self) -> None:
        """Climb on a sample first, where a single step on all records may take seconds.

        Before its first step a climb looks at all pairs of variables.
        """
        data = self._request.data
        size = min(MOST_SAMPLED, _SAMPLED_PAIRS // data.variable_count**2)
        if not self._budget.is_limited or len(data.weights) <= size:
            return
        few = replace(self._request, data=data.even_sample(size))
        climb = self._climb_of(few)
        climb.while_it_pays(self._budget.for_climb_on_sample())
        self._climbers.adopt(climb.climbers.structure())

    def _climb_on(self) -> None:
        """Let the climbers have the rest of the time; without a limit, while they get on."""
        if not self._budget.is_limited:
            self._climb.while_it_pays(math.inf)
            return
        while (left := self._budget.for_climbing()) and self._climbers.lost is None:
            before = self._climbers.cost
            self._climb.patiently(left)
            if self._climbers.cost < before:
                self._keep()

    def _in_a_hurry(self) -> bool:
        """Return whether the result must be put together with what is known."""
        return self._interrupted or self._budget.is_over()

    def _keep(self) -> None:
        if self._checkpoint is not None:
            known = self._climb.known()
            self._checkpoint.keep_climbed(known.table, known.best)

    def _keep_if_interrupted(self) -> None:
        """Keep what the climbers have found since the last step, which Ctrl-C broke off.

        It may also have come before the network of an earlier run was taken up, which must stay.
        """
        if not self._interrupted or self._checkpoint is None:
            return
        kept = self._checkpoint.climbed()
        if kept is not None:
            self._climbers.adopt(_network_of(*kept))
        self._keep()

    @property
    def _climbers(self) -> Climbing:
        return self._climb.climbers

    # Proving.

    def _prove_layers(self) -> None:
        """Prove the optimum of one layer after the other, as long as there is time.

        Networks besides the best are of interest only in the end, so the factor is 1.
        """
        constraints = self._request.constraints
        first = max(1, *(own.bit_count() for own in constraints.required))
        if self._layers:
            first = self._layers[-1].max_parents + 1
        else:
            first = min(first, self._deepest_needed)
        for depth in range(first, self._deepest_needed + 1):
            left = self._budget.for_proofs()
            if left == 0:
                return
            layer = replace(
                self._request,
                factor=BayesFactor(1),
                constraints=replace(constraints, max_parents=depth),
            )
            known = self._start_of(layer, _BRIEFLY if left is None else min(_BRIEFLY, left))
            found = self._prove(layer, known, self._budget.for_proofs())
            if not self._note_layer(depth, found):
                return

    def _start_of(self, layer: Request, seconds: float) -> Known:
        """Return a good network of a layer; its climbers end here, with their memory."""
        climb = self._climb_of(layer)
        if self._deepest is not None:
            climb.climbers.adopt(self._deepest)
        climb.while_it_pays(seconds)
        return climb.known()

    def _prove_whole(self) -> None:
        """Search all families of the run."""
        self._prove(self._request, self._climb.known(), self._budget.for_search())

    def _note_layer(self, depth: int, searched: SearchedByPrice) -> bool:
        """Note what is known about a layer; return whether to go on with the next."""
        found = searched.credible
        layer = Layer(depth, found.optimum, found.lower_bound)
        self._layers.append(layer)
        before = self._climbers.cost
        self._climbers.adopt(found.best)
        if self._climbers.cost < before:
            self._keep()
        self._show(Progress("proving", layer.words()))
        if not layer.proven or self._interrupted:
            return False
        self._deepest = found.best
        if self._checkpoint is not None:
            rows = rows_of(found.best, searched.table)
            own = searched.table.select(rows)
            self._checkpoint.keep_layer(KeptLayer(layer, own, np.arange(len(rows))))
        return True

    def _take_up_layers(self, kept: Sequence[KeptLayer]) -> None:
        """Go on after the layers that an earlier run has proven."""
        for one in kept:
            self._layers.append(one.layer)
            self._deepest = _network_of(one.table, one.best)
            self._climbers.adopt(self._deepest)

    def _prove(self, request: Request, known: Known, seconds: float | None) -> SearchedByPrice:
        """Search all families of a request, starting from what is known."""
        self._searched = None
        limits = replace(
            request.limits, seconds=None if seconds is None else max(LEAST_SECONDS, seconds)
        )
        request = replace(request, limits=limits)
        self._source = records = self._records(request)
        kept = self._checkpoint if self._is_whole(request) else None
        source: FamilySource = records if kept is None else KeptSource(records, kept)
        found = search_by_price(
            source,
            request.factor,
            labels=self._labels,
            jobs=limits.jobs,
            time_limit=limits.seconds,
            memory_limit=limits.memory,
            start=replace(known, cuts=self._cuts),
            progress=self._show,
        )
        self._searched, self._interrupted = found, found.interrupted
        self._cuts = found.cuts
        self._add_seconds(found.pricing.seconds)
        if found.statistics is not None:
            self._add_seconds(found.statistics.seconds)
        return found

    @property
    def _reached_all(self) -> bool:
        """Whether the last layer has all networks."""
        return bool(self._layers) and self._layers[-1].max_parents == self._deepest_needed

    @property
    def _deepest_needed(self) -> int:
        """The layer that has all networks."""
        return min(self._request.constraints.most_parents, self._request.data.variable_count - 1)

    def _is_whole(self, request: Request) -> bool:
        """Return whether the families asked for are those of the run, not of a layer."""
        return (request.constraints, request.factor) == (
            self._request.constraints,
            self._request.factor,
        )

    def _records(self, request: Request) -> RecordSource:
        kept = self._checkpoint if self._is_whole(request) else None
        return RecordSource(
            request,
            finished=None if kept is None else kept.finished(),
            keep=None if kept is None else kept.keep_child,
        )

    # Results.

    def _credible_set(self, found: SearchedByPrice | None) -> CredibleSet:
        """Return the set that was found; the first Ctrl-C only leaves less time for a sample."""
        make = self._climbed_set if found is None else partial(self._searched_set, found)
        try:
            return make()
        except KeyboardInterrupt:
            if self._interrupted:
                raise
            self._interrupted = True
            return make()

    def _climbed_set(self) -> CredibleSet:
        """Return the climbers' network, and a sample of those near it."""
        known = self._climb.known(around=True, stop=self._in_a_hurry)
        table, best = known.table, known.best
        self._table = table
        return sample_credible(
            table,
            self._request.factor,
            best=best,
            labels=self._labels,
            lower_bound=self._least_cost(),
            shortfalls=[self._beyond(), *self._lost_climbers()],
            notes=[NEAR_ONLY],
            clock=Clock(self._budget.for_sample(interrupted=self._interrupted)),
            jobs=self._request.limits.jobs,
            progress=self._show,
        )

    def _searched_set(self, found: SearchedByPrice) -> CredibleSet:
        """Return the set of an exact search, sampled if only its best network is known."""
        credible = found.credible
        if ONLY_BEST not in credible.shortfalls:
            return credible
        if found.statistics is None:  # the families were not all priced
            credible = replace(credible, notes=(*credible.notes, NEAR_ONLY))
        self._climbers.adopt(credible.best)
        near = self._climb.known(around=True, stop=self._in_a_hurry)
        self._table = table = found.table.joined(near.table)
        seconds = self._budget.for_sample(interrupted=self._interrupted)
        limits = Limits(self._request.limits.jobs, seconds)
        return sample_if_uncounted(
            credible,
            table,
            rows_of(credible.best, table),
            None,
            resources_for(limits, self._show),
        )

    def _lost_climbers(self) -> list[str]:
        """Return a line if the climbers' cluster was lost."""
        lost = self._climbers.lost
        return [] if lost is None else [f"{lost} ended the local search early"]

    def _beyond(self) -> str:
        """Return what was left unproven, and why."""
        limit = "the time limit" if self._budget.is_limited else "a lack of scores"
        cause = "Ctrl-C" if self._interrupted else self._climbers.lost or limit
        proven = [layer.max_parents for layer in self._layers if layer.proven]
        if not proven:
            return f"{cause} left everything unproven: the network was found by local search"
        if proven[-1] == self._deepest_needed:
            return f"{cause} left no time to find all credible networks"
        parents = "1 parent" if proven[-1] == 1 else f"{proven[-1]} parents"
        return (
            f"{cause} left networks with more than {parents} at a node unproven: they were "
            "searched by local search only"
        )

    def _least_cost(self) -> float:
        """Return a lower bound on the cost of any network."""
        until = time.monotonic() + self._budget.for_bound()
        bounds = self._records(self._request).least_costs(
            lambda: self._interrupted or time.monotonic() > until
        )
        return math.fsum(max(own, self._least.get(child, own)) for child, own in enumerate(bounds))

    def _outcome(self, credible: CredibleSet) -> Outcome:
        found = self._searched
        table = self._table
        if table is None:
            table = self._climb.known().table if found is None else found.table
        work = ClimbedWork(
            climbing=self._climbers.work,
            source=None if self._source is None else self._source.statistics,
            pricing=None if found is None else found.pricing,
            search=None if found is None else found.statistics,
        )
        return Outcome(credible, table, work, dict(self._spent), self._interrupted)

    def _add_seconds(self, steps: Mapping[str, float]) -> None:
        for step, seconds in steps.items():
            self._spent[step] = self._spent.get(step, 0.0) + seconds

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do some work unless Ctrl-C has been pressed; pressed now, it ends the work."""
        if self._interrupted:
            return
        try:
            work()
        except KeyboardInterrupt:
            self._interrupted = True


def _network_of(table: ScoreTable, best: npt.NDArray[np.int64]) -> Structure:
    families = dict(enumerate(table.families()))
    return Structure(table.names, tuple(families[row][0] for row in best.tolist()))
