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

from noisyor.core import BayesFactor, CredibleSet, ScoreTable, Structure
from noisyor.core.credible_set import Labels
from noisyor.core.layers import Layer
from noisyor.core.progress import Progress
from noisyor.core.request import Limits, Request
from noisyor.runs.checkpoint import Checkpoint, KeptLayer, KeptSource
from noisyor.runs.work import ClimbedWork
from noisyor.scoring import RecordSource
from noisyor.scoring.climbing import FEW_CLIMBERS, Climbing
from noisyor.scoring.parents_around import parents_around
from noisyor.search import SearchedByPrice, search_by_price
from noisyor.search.clock import Clock
from noisyor.search.pricing.loop import Known
from noisyor.search.result import ONLY_BEST
from noisyor.search.sampling import sample_credible
from noisyor.search.table_search import resources_for, sample_if_uncounted

if TYPE_CHECKING:
    from noisyor.core.family_source import FamilySource

_NEAR = 6.0  # nats: families this much dearer than the best network's are handed on
_MOST_NEAR = 60  # of these, for each child,
_NEAR_IN_ALL = 6000  # and in all
_MOST_AROUND = 60  # further families for each child, to reverse arcs with,
_AROUND_IN_ALL = 12000  # and in all: each may need a fit, after the climb
_LEAST_SECONDS = 1e-3
_NEAR_ONLY = (
    "the sample is made of families near the best network: those that the search has met, and "
    "those that reverse its arcs"
)

# How long climbers go on without a better network: some seconds and a share of their time so far,
# and some rounds.
_PATIENCE = 0.25
_PATIENT_SHARE = 0.5
_PATIENT_ROUNDS = 4
_MOST_ROUNDS = 40  # of climbers before an exact search of all families
_BRIEFLY = 2.0  # seconds of a climb before the search of a layer
_FIRST = 60.0  # seconds of the first climb before layers, at most; and a share of the time limit
_FIRST_SHARE = 0.4
_PROVING_SHARE = 0.85  # of the time limit, for the climb and the layers; climbers get the rest
_CLIMBING_SHARE = 0.95  # of the time limit, for all but the sample
_MOMENT = 1.0  # second, at least for the sample
_SLICE = 20.0  # seconds after which the climbers' network is kept
_ENDING_SHARE = 0.03  # of the time limit, to put the result together; more with many variables:
_ENDING_EACH = 0.004  # seconds for each variable,
_MOST_ENDING = 0.2  # up to this share


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What was found: the credible set, the families known, and the work by step."""

    credible: CredibleSet
    table: ScoreTable
    work: ClimbedWork
    seconds: dict[str, float]


class _Patience:
    """Says when climbers have gone on for too long without a better network."""

    def __init__(self, climbing: Climbing, seconds: float) -> None:
        self._climbing = climbing
        self._began = self._improved_at = time.monotonic()
        self._until = self._began + seconds
        self._round = climbing.rounds

    def improved(self) -> None:
        """Start waiting anew."""
        self._improved_at, self._round = time.monotonic(), self._climbing.rounds

    def is_over(self) -> bool:
        """Return whether time is up, or nothing was gained in some rounds and for a while."""
        now = time.monotonic()
        patience = _PATIENCE + _PATIENT_SHARE * (self._improved_at - self._began)
        waited = self._climbing.rounds - self._round >= _PATIENT_ROUNDS
        return now >= self._until or (waited and now - self._improved_at > patience)


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
        self._began = time.monotonic()
        self._seconds = None if seconds is None else seconds - _ending(request, seconds)
        self._spent: dict[str, float] = {}
        self._climbing: Climbing
        self._layers: list[Layer] = []
        self._source: RecordSource | None = None
        self._searched: SearchedByPrice | None = None  # of the last exact search
        self._table: ScoreTable | None = None  # of the sampled families
        self._deepest: Structure | None = None  # the best network of the last layer proven
        self._interrupted = False

    def all_at_once(self) -> Outcome:
        """Climb briefly, then search all families.

        The climb depends neither on the clock nor on the number of threads, so that the search
        after it is always the same. A resumed run climbs again and asks the same questions.
        """
        self._climbing = Climbing(self._request, climbers=FEW_CLIMBERS)
        self._guarded(self._climb_rounds)
        if not self._interrupted:
            self._guarded(self._prove_whole)
        return self._outcome(self._credible_set(self._searched))

    def by_layers(self) -> Outcome:
        """Climb, then prove layer by layer, then climb again."""
        self._climbing = Climbing(self._request)
        first = _FIRST if self._seconds is None else max(1.0, _FIRST_SHARE * self._seconds)
        self._guarded(self._climb_first, first)
        self._guarded(self._prove_layers)
        found = None
        if self._reached_all:
            self._searched = None  # that of the layer has another Bayes factor
            self._guarded(self._prove_whole)
            found = self._searched
        else:
            self._guarded(self._climb_on)
        credible = self._credible_set(found)
        if self._reached_all:
            bound = max(credible.lower_bound, self._layers[-1].lower_bound)
            credible = replace(credible, lower_bound=min(credible.optimum, bound))
        layers = tuple(self._layers)
        notes = (*credible.notes, *(layer.words() for layer in layers))
        return self._outcome(replace(credible, layers=layers, notes=notes))

    # Climbing.

    def _climb_first(self, seconds: float) -> None:
        if self._checkpoint is not None:
            kept = self._checkpoint.climbed()
            if kept is not None:
                self._climbing.adopt(_network_of(*kept))
            self._take_up_layers(self._checkpoint.layers())
        left = self._left()
        self._climb(self._climbing, seconds if left is None else min(seconds, left))
        self._keep()

    def _climb_rounds(self) -> None:
        """Climb until a few rounds in a row have found nothing better."""
        climbing, began = self._climbing, time.monotonic()

        def over() -> bool:
            left = self._left()
            return left is not None and left <= 0

        try:
            idle = 0
            while idle < _PATIENT_ROUNDS and climbing.rounds < _MOST_ROUNDS and not over():
                before = climbing.cost
                climbing.run(over, rounds=1)
                idle = 0 if climbing.cost < before else idle + 1
                self._show(Progress("climbing", f"a network that costs {climbing.cost:.3f}"))
        finally:
            self._add_seconds({"climbing": time.monotonic() - began})

    def _climb(self, climbing: Climbing, seconds: float, *, patient: bool = False) -> None:
        """Climb for some seconds, or until nothing is gained any more.

        With patience, it pauses instead, after a while and at the end of a round.
        """
        patience = _Patience(climbing, seconds)
        began = time.monotonic()

        def improved() -> None:
            patience.improved()
            self._show(Progress("climbing", f"a network that costs {climbing.cost:.3f}"))

        def over() -> bool:
            return time.monotonic() >= began + seconds if patient else patience.is_over()

        def pause() -> bool:
            return patient and time.monotonic() >= began + _SLICE

        try:
            climbing.run(over, pause=pause, improved=improved)
        finally:
            self._add_seconds({"climbing": time.monotonic() - began})

    def _climb_on(self) -> None:
        """Let the climbers have the rest of the time; without a limit, while they get on."""
        if self._seconds is None:
            self._climb(self._climbing, math.inf)
            return
        until = self._began + _CLIMBING_SHARE * self._seconds
        while (left := until - time.monotonic()) > 0 and self._climbing.lost is None:
            before = self._climbing.cost
            self._climb(self._climbing, left, patient=True)
            if self._climbing.cost < before:
                self._keep()

    def _keep(self) -> None:
        if self._checkpoint is not None:
            known = self._known(self._climbing)
            self._checkpoint.keep_climbed(known.table, known.best)

    def _known(self, climbing: Climbing, *, around: bool = False) -> Known:
        """Return the climbers' families near the best network, and the positions of its own.

        `around` adds the families that it takes to reverse arcs.
        """
        near = self._for_each(_MOST_NEAR, _NEAR_IN_ALL)
        best, constraints = climbing.structure(), self._request.constraints
        further = self._for_each(_MOST_AROUND, _AROUND_IN_ALL)
        sets = parents_around(best, constraints, further) if around else ()
        table = climbing.families(within=_NEAR, most=near, around=sets)
        return Known(table, _rows_of(best, table))

    def _for_each(self, most: int, in_all: int) -> int:
        """Return how many families of each child there may be, if there is a limit in all."""
        return max(1, min(most, in_all // self._request.data.variable_count))

    # Proving.

    def _prove_layers(self) -> None:
        """Prove the optimum of one layer after the other, as long as there is time.

        Networks besides the best are of interest only in the end, so the factor is 1.
        """
        until = None if self._seconds is None else self._began + _PROVING_SHARE * self._seconds
        constraints = self._request.constraints
        first = max(1, *(own.bit_count() for own in constraints.required))
        if self._layers:
            first = self._layers[-1].max_parents + 1
        else:
            first = min(first, self._deepest_needed)
        for depth in range(first, self._deepest_needed + 1):
            left = math.inf if until is None else until - time.monotonic()
            if left <= 0:
                return
            layer = replace(
                self._request,
                factor=BayesFactor(1),
                constraints=replace(constraints, max_parents=depth),
            )
            known = self._start_of(layer, min(_BRIEFLY, left))
            found = self._prove(layer, known, None if until is None else until - time.monotonic())
            if not self._note_layer(depth, found):
                return

    def _start_of(self, layer: Request, seconds: float) -> Known:
        """Return a good network of a layer; its climbers end here, with their memory."""
        climbing = Climbing(layer)
        if self._deepest is not None:
            climbing.adopt(self._deepest)
        self._climb(climbing, seconds)
        return self._known(climbing)

    def _prove_whole(self) -> None:
        """Search all families of the run."""
        self._prove(self._request, self._known(self._climbing), self._left_but_sample())

    def _note_layer(self, depth: int, searched: SearchedByPrice) -> bool:
        """Note what is known about a layer; return whether to go on with the next."""
        found = searched.credible
        layer = Layer(depth, found.optimum, found.lower_bound)
        self._layers.append(layer)
        before = self._climbing.cost
        self._climbing.adopt(found.best)
        if self._climbing.cost < before:
            self._keep()
        self._show(Progress("proving", layer.words()))
        if not layer.proven or self._interrupted:
            return False
        self._deepest = found.best
        if self._checkpoint is not None:
            rows = _rows_of(found.best, searched.table)
            own = searched.table.select(rows)
            self._checkpoint.keep_layer(KeptLayer(layer, own, np.arange(len(rows))))
        return True

    def _take_up_layers(self, kept: Sequence[KeptLayer]) -> None:
        """Go on after the layers that an earlier run has proven."""
        for one in kept:
            self._layers.append(one.layer)
            self._deepest = _network_of(one.table, one.best)
            self._climbing.adopt(self._deepest)

    def _prove(self, request: Request, known: Known, seconds: float | None) -> SearchedByPrice:
        """Search all families of a request, starting from what is known."""
        self._searched = None
        limits = replace(
            request.limits, seconds=None if seconds is None else max(_LEAST_SECONDS, seconds)
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
            start=known,
            progress=self._show,
        )
        self._searched, self._interrupted = found, found.interrupted
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
        known = self._known(self._climbing, around=True)
        table, best = known.table, known.best
        self._table = table
        return sample_credible(
            table,
            self._request.factor,
            best=best,
            labels=self._labels,
            lower_bound=self._least_cost(),
            shortfalls=[self._beyond(), *self._lost_climbers()],
            notes=[_NEAR_ONLY],
            clock=Clock(self._sampling_seconds()),
            jobs=self._request.limits.jobs,
            progress=self._show,
        )

    def _searched_set(self, found: SearchedByPrice) -> CredibleSet:
        """Return the set of an exact search, sampled if only its best network is known."""
        credible = found.credible
        if ONLY_BEST not in credible.shortfalls:
            return credible
        if found.statistics is None:  # the families were not all priced
            credible = replace(credible, notes=(*credible.notes, _NEAR_ONLY))
        self._climbing.adopt(credible.best)
        near = self._known(self._climbing, around=True)
        self._table = table = found.table.joined(near.table)
        limits = Limits(self._request.limits.jobs, self._sampling_seconds())
        return sample_if_uncounted(
            credible,
            table,
            _rows_of(credible.best, table),
            None,
            resources_for(limits, self._show),
        )

    def _left_but_sample(self) -> float | None:
        """Return the time that is left, but for what is set aside for a sample."""
        left = self._left()
        if left is None or self._seconds is None:
            return None
        return max(_LEAST_SECONDS, left - (1 - _CLIMBING_SHARE) * self._seconds)

    def _lost_climbers(self) -> list[str]:
        """Return a line if the climbers' cluster was lost."""
        lost = self._climbing.lost
        return [] if lost is None else [f"{lost} ended the local search early"]

    def _sampling_seconds(self) -> float | None:
        """Return the time for a sample: what was set aside for it, or a moment after Ctrl-C."""
        if self._interrupted:
            return _MOMENT
        return None if self._seconds is None else max(_MOMENT, self._left() or 0.0)

    def _beyond(self) -> str:
        """Return what was left unproven, and why."""
        cause = "Ctrl-C" if self._interrupted else self._climbing.lost or "the time limit"
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
        return math.fsum(self._records(self._request).least_costs())

    def _outcome(self, credible: CredibleSet) -> Outcome:
        found = self._searched
        table = self._table
        if table is None:
            table = self._known(self._climbing).table if found is None else found.table
        work = ClimbedWork(
            climbing=self._climbing.work,
            source=None if self._source is None else self._source.statistics,
            pricing=None if found is None else found.pricing,
            search=None if found is None else found.statistics,
        )
        return Outcome(credible, table, work, dict(self._spent))

    # Time.

    def _left(self) -> float | None:
        """Return the seconds that are left; None if there is no limit."""
        if self._seconds is None:
            return None
        return max(0.0, self._seconds - (time.monotonic() - self._began))

    def _add_seconds(self, steps: Mapping[str, float]) -> None:
        for step, seconds in steps.items():
            self._spent[step] = self._spent.get(step, 0.0) + seconds

    def _guarded(self, work: Callable[..., None], *arguments: object) -> None:
        """Do some work unless Ctrl-C has been pressed; pressed now, it ends the work."""
        if self._interrupted:
            return
        try:
            work(*arguments)
        except KeyboardInterrupt:
            self._interrupted = True


def _ending(request: Request, seconds: float) -> float:
    """Return the seconds of a time limit that are kept to put the result together."""
    needed = max(_ENDING_SHARE * seconds, _ENDING_EACH * request.data.variable_count)
    return min(needed, _MOST_ENDING * seconds)


def _rows_of(network: Structure, table: ScoreTable) -> npt.NDArray[np.int64]:
    """Return the positions of a network's families in a table that has them."""
    own = set(network.families)
    return np.array([row for row, (family, _) in enumerate(table.families()) if family in own])


def _network_of(table: ScoreTable, best: npt.NDArray[np.int64]) -> Structure:
    families = dict(enumerate(table.families()))
    return Structure(table.names, tuple(families[row][0] for row in best.tolist()))
