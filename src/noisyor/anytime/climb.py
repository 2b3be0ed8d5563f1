"""Climbs of a run: how long they go on, and the families that they hand on."""

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from noisyor.core import ScoreTable, Structure
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.parents_around import parents_around
from noisyor.search.pricing.state import Known

_NEAR = 6.0  # nats: families this much dearer than the best network's are handed on
_MOST_NEAR = 60  # of these, for each child,
_NEAR_IN_ALL = 6000  # and in all
_MOST_AROUND = 60  # further families for each child, to reverse arcs with,
_AROUND_IN_ALL = 12000  # and in all: each may need a fit, after the climb

# How long climbers go on without a better network: some seconds and a share of their time so far,
# and some rounds.
_PATIENCE = 0.25
_PATIENT_SHARE = 0.5
_PATIENT_ROUNDS = 4
_MOST_ROUNDS = 40  # of climbers before an exact search of all families
_SLICE = 20.0  # seconds after which a patient climb pauses, so that its network can be kept


class Climb:
    """Climbers of a request, who show their progress and add up their time.

    Parameters
    ----------
    request
        What is to be learned.
    show
        Called with the progress.
    spent
        Called with the seconds of each climb.
    climbers
        The number of climbers, if the network must not depend on the number of threads.

    """

    def __init__(
        self,
        request: Request,
        show: Callable[[Progress], None],
        spent: Callable[[float], None],
        *,
        climbers: int | None = None,
    ) -> None:
        self._request = request
        self._show = show
        self._spent = spent
        self.climbers = Climbing(request, climbers=climbers)

    def in_rounds(self, is_over: Callable[[], bool]) -> None:
        """Climb until a few rounds in a row have found nothing better, whatever the clock says."""
        climbers, began = self.climbers, time.monotonic()
        try:
            idle = 0
            while idle < _PATIENT_ROUNDS and climbers.rounds < _MOST_ROUNDS and not is_over():
                before = climbers.cost
                climbers.run(is_over, rounds=1)
                idle = 0 if climbers.cost < before else idle + 1
                self._tell()
        finally:
            self._spent(time.monotonic() - began)

    def while_it_pays(self, seconds: float) -> None:
        """Climb for some seconds, or until nothing is gained any more."""
        patience = _Patience(self.climbers, seconds)

        def improved() -> None:
            patience.improved()
            self._tell()

        began = time.monotonic()
        try:
            self.climbers.run(patience.is_over, improved=improved)
        finally:
            self._spent(time.monotonic() - began)

    def patiently(self, seconds: float) -> None:
        """Climb for some seconds, or pause at the end of a round, after a while."""
        began = time.monotonic()

        def after(limit: float) -> bool:
            return time.monotonic() >= began + limit

        try:
            self.climbers.run(
                lambda: after(seconds), pause=lambda: after(_SLICE), improved=self._tell
            )
        finally:
            self._spent(time.monotonic() - began)

    def known(self, *, around: bool = False, stop: Callable[[], bool] = lambda: False) -> Known:
        """Return the families near the best network, and the positions of its own.

        `around` adds the families that it takes to reverse arcs. When `stop` returns True, what
        would take time is left out.
        """
        best, constraints = self.climbers.structure(), self._request.constraints
        further = self._for_each(_MOST_AROUND, _AROUND_IN_ALL)
        sets = parents_around(best, constraints, further) if around else ()
        near = self._for_each(_MOST_NEAR, _NEAR_IN_ALL)
        table = self.climbers.families(within=_NEAR, most=near, around=sets, stop=stop)
        return Known(table, rows_of(best, table))

    def _tell(self) -> None:
        self._show(Progress("climbing", f"a network that costs {self.climbers.cost:.3f}"))

    def _for_each(self, most: int, in_all: int) -> int:
        """Return how many families of each child there may be, if there is a limit in all."""
        return max(1, min(most, in_all // self._request.data.variable_count))


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


def rows_of(network: Structure, table: ScoreTable) -> npt.NDArray[np.int64]:
    """Return the positions of a network's families in a table that has them."""
    own = set(network.families)
    return np.array([row for row, (family, _) in enumerate(table.families()) if family in own])
