"""The order of the stops in each layer of a picture, so that few edges cross.

Minimising crossings is NP-hard even for two layers (Garey and Johnson, 1983). The usual heuristic
(Sugiyama, Tagawa and Toda, 1981) puts each stop near the mean of its neighbours, layer by layer,
downward and upward in turn. After each sweep neighbours in a layer are exchanged while that removes
crossings (Gansner, Koutsofios, North and Vo, 1993), and the best order of all is kept.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

_SWEEPS = 16
_EXCHANGES = 4  # passes after a sweep; later ones hardly remove anything
_PATIENCE = 4  # sweeps without fewer crossings before giving up

Neighbours = Sequence[Sequence[int]]


def layer_order(layers: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the stops of each layer from left to right.

    `layers` has the layer of each stop; each edge joins stops of neighbouring layers, the upper
    first.
    """
    above: list[list[int]] = [[] for _ in layers]
    below: list[list[int]] = [[] for _ in layers]
    for upper, lower in edges:
        above[lower].append(upper)
        below[upper].append(lower)
    starts = (
        _walk(above, below, range(len(layers))),
        _walk(below, above, range(len(layers))[::-1]),
    )
    found = [_settled(_rows(layers, start), above, below) for start in starts]
    return min(found, key=lambda rows: crossings(rows, below))


def _rows(layers: Sequence[int], order: Sequence[int]) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(max(layers) + 1)]
    for stop in order:
        rows[layers[stop]].append(stop)
    return rows


def _settled(rows: list[list[int]], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """Return the order with the fewest crossings of all that sweeps from this one lead to."""
    place = [0.0] * len(above)
    for row in rows:
        _set_places(row, place)
    best, fewest = [list(row) for row in rows], crossings(rows, below)
    waiting = 0
    for sweep in range(_SWEEPS):
        if not fewest or waiting == _PATIENCE:
            break
        near = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            _sort(row, near, place, flipped=sweep % 4 > 1)
        for _ in range(_EXCHANGES):
            if not sum([_exchange(row, above, below, place) for row in rows]):
                break
        count = crossings(rows, below)
        waiting = waiting + 1 if count >= fewest else 0
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    return best


def crossings(rows: Sequence[Sequence[int]], below: Neighbours) -> int:
    """Return how many pairs of edges between neighbouring layers cross."""
    place = {stop: at for row in rows for at, stop in enumerate(row)}
    total = 0
    for row in rows:
        passed: list[int] = []  # the lower ends of the edges further left, ascending
        for stop in row:
            ends = [place[to] for to in below[stop]]
            total += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return total


def _walk(first: Neighbours, then: Neighbours, starts: Iterable[int]) -> list[int]:
    """Return all stops in the order of a walk along edges, so that relatives are close together."""
    order: list[int] = []
    seen = [False] * len(first)
    for start in starts:
        waiting = [start]
        while waiting:
            stop = waiting.pop()
            if not seen[stop]:
                seen[stop] = True
                order.append(stop)
                waiting += (*reversed(first[stop]), *reversed(then[stop]))
    return order


def _set_places(row: Sequence[int], place: list[float]) -> None:
    """Count places from the middle of a row, so that means over rows of other lengths compare."""
    for at, stop in enumerate(row):
        place[stop] = at - (len(row) - 1) / 2


def _sort(row: list[int], near: Neighbours, place: list[float], *, flipped: bool) -> None:
    """Sort a row by the mean places of neighbours; a stop without any stays where it is.

    Stops with equal means are exchanged if `flipped`, which leads to orders that no exchange of
    two neighbours reaches.
    """
    means = {
        stop: sum([place[to] for to in near[stop]]) / len(near[stop]) for stop in row if near[stop]
    }
    sign = -1 if flipped else 1
    moving = iter(sorted(means, key=lambda stop: (means[stop], sign * place[stop])))
    row[:] = [next(moving) if stop in means else stop for stop in row]
    _set_places(row, place)


def _exchange(row: list[int], above: Neighbours, below: Neighbours, place: list[float]) -> bool:
    """Exchange neighbours of a row where that removes crossings; return whether it did."""
    changed = False
    ends = {
        stop: [sorted([place[to] for to in near[stop]]) for near in (above, below)] for stop in row
    }
    for at in range(len(row) - 1):
        left, right = ends[row[at]], ends[row[at + 1]]
        saved = sum(_crossing(a, b) - _crossing(b, a) for a, b in zip(left, right, strict=True))
        if saved > 0:
            row[at], row[at + 1] = row[at + 1], row[at]
            changed = True
    if changed:
        _set_places(row, place)
    return changed


def _crossing(left: Sequence[float], right: Sequence[float]) -> int:
    """Return how many edges of a left stop cross those of a right one, by their sorted ends."""
    return sum(bisect_left(right, end) for end in left)
