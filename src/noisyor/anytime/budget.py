"""How the time of a run is divided between climbing, proofs, a sample and the result."""

import time
from math import inf

from noisyor.core.request import Request

LEAST_SECONDS = 1e-3
"""Of a step that has no time left: it ends at once, in good order."""

_FIRST = 60.0  # seconds of the first climb before layers, at most; and a share of the time limit
_FIRST_SHARE = 0.4
_PROVING_SHARE = 0.85  # of the time limit, for the climb and the layers; climbers get the rest
_CLIMBING_SHARE = 0.95  # of the time limit, for all but the sample
_MOMENT = 1.0  # second, at least for the first climb, for one on a sample, and for the sample
_HASTE = 0.1  # of the time limit, for a sample when the time is up already
_ENDING_SHARE = 0.03  # of the time limit, to put the result together; more with many variables:
_ENDING_EACH = 0.004  # seconds for each variable,
_ENDING_CELL = 1e-7  # and for each variable of each distinct record,
_MOST_ENDING = 0.35  # up to this share
_BOUND_SHARE = 0.5  # of the time that is left, for a bound on all networks
_SAMPLE_SHARE = 0.3  # of the first climb, for a climb on a sample of the records


class Budget:
    """The seconds of a run, which begins now; None if there is no limit."""

    def __init__(self, request: Request, seconds: float | None) -> None:
        self._began = time.monotonic()
        self._seconds = None if seconds is None else seconds - _ending(request, seconds)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return self._seconds is not None

    def left(self) -> float | None:
        """Return the seconds that are left; None if there is no limit."""
        return self._until(1.0)

    def is_over(self) -> bool:
        """Return whether no time is left."""
        left = self.left()
        return left is not None and left <= 0

    def for_first_climb(self) -> float:
        """Return the seconds of the climb that comes before all proofs, at most."""
        if self._seconds is None:
            return _FIRST
        first = max(_MOMENT, _FIRST_SHARE * self._seconds)
        return min(first, self._until(1.0) or 0.0)

    def for_climb_on_sample(self) -> float:
        """Return the seconds of a climb on a sample of the records."""
        first = self.for_first_climb()
        return min(first, max(_MOMENT, _SAMPLE_SHARE * first))

    def for_bound(self) -> float:
        """Return the seconds of a bound on all networks; it is of little use in a hurry."""
        left = self.left()
        return inf if left is None else _BOUND_SHARE * left

    def for_proofs(self) -> float | None:
        """Return the seconds that are left for layers."""
        return self._until(_PROVING_SHARE)

    def for_climbing(self) -> float | None:
        """Return the seconds that are left for climbers after the proofs."""
        return self._until(_CLIMBING_SHARE)

    def for_search(self) -> float | None:
        """Return the seconds that are left for a search: all but those of a sample."""
        left = self._until(_CLIMBING_SHARE)
        return None if left is None else max(LEAST_SECONDS, left)

    def for_sample(self, *, interrupted: bool) -> float | None:
        """Return the seconds of a sample; after Ctrl-C a moment."""
        if interrupted:
            return _MOMENT
        if self._seconds is None:
            return None
        return max(min(_MOMENT, _HASTE * self._seconds), self._until(1.0) or 0.0)

    def _until(self, share: float) -> float | None:
        """Return the seconds until a share of the time is over."""
        if self._seconds is None:
            return None
        return max(0.0, share * self._seconds - (time.monotonic() - self._began))


def _ending(request: Request, seconds: float) -> float:
    """Return the seconds of a time limit that are kept to put the result together."""
    variables, records = request.data.variable_count, len(request.data.weights)
    families = (_ENDING_EACH + _ENDING_CELL * records) * variables
    return min(max(_ENDING_SHARE * seconds, families), _MOST_ENDING * seconds)
