"""The choice of the edge to branch on: the one that raises the bounds of both sides most.

How much they rise is estimated by a few steps of the simplex method (strong branching). That is
slow, so only some edges are tried: those that promise most by what was seen of them in other
branches (pseudo-costs, as in reliability branching; Achterberg, Koch and Martin, 2005).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.linear_program import Floats

Edge = tuple[int, int]
"""A parent and its child."""

_IN_DOUBT = 1e-3  # distance of an undecided edge's value from 0 and 1; less is tolerance
_CANDIDATES = 16  # edges to try, at most
_AT_ONCE = 4  # edges to try before the next look at the best so far
_FRUITLESS = 8  # edges in a row without a better one, after which no more are tried
_ITERATIONS = 60  # for each side of each edge
_LEAST_GAIN = 1e-3  # nats, so that without gain on one side the other side decides
_MOST_GAIN = 1e3  # nats, so that an impossible side does not outweigh all else that is seen


@dataclass(frozen=True, slots=True)
class Tried:
    """By how many nats the bounds rose without an edge of this value, and with it."""

    edge: Edge
    value: float
    absent: float
    present: float


@dataclass(slots=True)
class _Sum:
    """Gains per unit by which the value of an edge changed, added up over `count` trials."""

    absent: float = 0.0
    present: float = 0.0
    count: int = 0

    def add(self, tried: Tried) -> None:
        self.absent += min(tried.absent, _MOST_GAIN) / tried.value
        self.present += min(tried.present, _MOST_GAIN) / (1 - tried.value)
        self.count += 1


@dataclass(slots=True)
class Experience:
    """What the trials of edges have shown so far: of each, and on average."""

    _of: dict[Edge, _Sum] = field(default_factory=dict)
    _all: _Sum = field(default_factory=_Sum)

    def learn(self, trials: Sequence[Tried]) -> None:
        """Take in what was seen in a branch."""
        for tried in trials:
            self._of.setdefault(tried.edge, _Sum()).add(tried)
            self._all.add(tried)

    def promise(self, edge: Edge, value: float, room: float) -> float:
        """Return the merit to expect of an edge; that of an average one if it is unknown."""
        seen = self._of.get(edge, self._all)
        if not seen.count:
            return value * (1 - value)  # no gains to cap: those nearest to one half come first
        scale = 1 / seen.count
        return merit(seen.absent * scale * value, seen.present * scale * (1 - value), room)


def merit(absent: float, present: float, room: float) -> float:
    """Return the product of both sides' gains, each capped at the room that is left to the goal."""
    return max(_LEAST_GAIN, min(room, absent)) * max(_LEAST_GAIN, min(room, present))


def undecided(
    values: Floats, experience: Experience, room: float, may_split: Callable[[Edge], bool]
) -> dict[Edge, float]:
    """Return the values of the edges to try, the most promising first."""
    doubt = np.minimum(values, 1 - values)
    rows, columns = np.nonzero(doubt > _IN_DOUBT)
    edges = dict(
        zip(
            zip(rows.tolist(), columns.tolist(), strict=True),
            values[rows, columns].tolist(),
            strict=True,
        )
    )
    chosen: dict[Edge, float] = {}
    for edge in sorted(edges, key=lambda one: -experience.promise(one, edges[one], room)):
        if len(chosen) == _CANDIDATES:
            break
        if may_split(edge):
            chosen[edge] = edges[edge]
    return chosen


def try_edges(work: Bounding, edges: Mapping[Edge, float], room: float) -> list[Tried]:
    """Try edges in their order, until some in a row are no better than the best so far."""
    trials: list[Tried] = []
    best, fruitless, waiting = -1.0, 0, list(edges)
    while waiting and fruitless < _FRUITLESS:
        now, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        gains = work.edge_gains(now, _ITERATIONS)
        trials += [Tried(edge, edges[edge], *own) for edge, own in zip(now, gains, strict=True)]
        most = max(merit(*own, room) for own in gains)
        fruitless = 0 if most > best else fruitless + len(now)
        best = max(best, most)
    return trials


def best_of(trials: Sequence[Tried], room: float) -> Edge:
    """Return the edge of most merit; of equals the one that was tried first."""
    return max(trials, key=lambda one: merit(one.absent, one.present, room)).edge
