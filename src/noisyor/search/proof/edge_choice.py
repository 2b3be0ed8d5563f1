"""The choice of the edge to branch on: the one that raises the bounds of both sides most.

How much they rise is estimated by a few steps of the simplex method (strong branching). That is
slow, so only some edges are tried: those that promise most by what was seen of them in other
branches (pseudo-costs). An edge that was tried often enough is not tried again; what was seen of it
is the estimate (reliability branching; Achterberg, Koch and Martin, 2005).
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
_RELIABLE = 4  # trials of an edge, after which their average is relied on
_LEAST_GAIN = 1e-3  # nats, so that without gain on one side the other side decides
_MOST_GAIN = 1e3  # nats, so that an impossible side does not outweigh all else that is seen


@dataclass(frozen=True, slots=True)
class Tried:
    """By how many nats the bounds rose without an edge of this value, and with it."""

    edge: Edge
    value: float
    absent: float
    present: float

    def merit(self, room: float) -> float:
        """Return the product of both gains, each capped at the room that is left to the goal."""
        return max(_LEAST_GAIN, min(room, self.absent)) * max(_LEAST_GAIN, min(room, self.present))


@dataclass(frozen=True, slots=True)
class Choice:
    """The edge to branch on, and the edges that were tried."""

    edge: Edge
    trials: list[Tried]


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

    def expected(self, edge: Edge, value: float) -> Tried:
        """Return the average as the gains of an edge with this value."""
        absent, present = self.absent / self.count, self.present / self.count
        return Tried(edge, value, absent * value, present * (1 - value))


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
        return seen.expected(edge, value).merit(room)

    def relied_on(self, edge: Edge, value: float) -> Tried | None:
        """Return the gains to expect of an edge, if it was tried often enough."""
        seen = self._of.get(edge)
        return None if seen is None or seen.count < _RELIABLE else seen.expected(edge, value)


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


def choose_edge(
    work: Bounding, edges: Mapping[Edge, float], experience: Experience, room: float
) -> Choice:
    """Return the edge of most merit; of equals the first.

    Edges that nothing reliable is known of are tried in their order, until some in a row are no
    better than the best so far.
    """
    known = {edge: experience.relied_on(edge, value) for edge, value in edges.items()}
    gains = {edge: one for edge, one in known.items() if one is not None}
    waiting = [edge for edge in edges if edge not in gains]
    trials: list[Tried] = []
    best = max((one.merit(room) for one in gains.values()), default=-1.0)
    fruitless = 0
    while waiting and fruitless < _FRUITLESS:
        now, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        found = work.edge_gains(now, _ITERATIONS)
        tried = [Tried(edge, edges[edge], *own) for edge, own in zip(now, found, strict=True)]
        most = max(one.merit(room) for one in tried)
        fruitless = 0 if most > best else fruitless + len(now)
        best = max(best, most)
        trials += tried
    gains.update((one.edge, one) for one in trials)
    chosen = max(
        (edge for edge in edges if edge in gains), key=lambda edge: gains[edge].merit(room)
    )
    return Choice(chosen, trials)
