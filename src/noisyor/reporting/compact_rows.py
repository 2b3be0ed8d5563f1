"""Rows and columns of a picture of very many nodes, about as high as it is wide.

The layered layout gives each arc a lane in every layer that it passes, and a layer any number of
nodes. With hundreds of nodes, that picture is several times as wide as high, and mostly lanes.
Here a row has a limited number of nodes, parents are still above their children, and arcs run
behind whatever is on their way.
"""

from collections.abc import Iterable, Mapping, Sequence

from noisyor.reporting.columns import nearest_in_order
from noisyor.reporting.layers import Arc, downward, parts_of, relatives_of

_SWEEPS = 24


def compact_rows(
    count: int, arcs: Sequence[Arc], pitch: float, most: int
) -> tuple[list[float], list[int]]:
    """Return an x and a row for each node, with all parents above their children.

    Nodes of a row are at least `pitch` apart and at most `most`. The arcs must have no cycle.
    """
    rows = rows_of(count, arcs, most)
    near: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for one, other in arcs:
        pull = 1 / abs(rows[one] - rows[other])
        near[one].append((other, pull))
        near[other].append((one, pull))
    xs = [0.0] * count
    for place, node in enumerate(_walk(count, arcs)):
        xs[node] = place * pitch * (1 + max(rows)) / count
    by_row: list[list[int]] = [[] for _ in range(1 + max(rows))]
    for node, row in enumerate(rows):
        by_row[row].append(node)
    for sweep in range(_SWEEPS):
        for own in by_row if sweep % 2 == 0 else reversed(by_row):
            _settle(own, near, xs, pitch)
    _centre_single(by_row, near, xs, pitch)
    left = min(xs)
    return [x - left for x in xs], rows


def rows_of(count: int, arcs: Sequence[Arc], most: int) -> list[int]:
    """Return a row for each node, below its parents' rows, with at most `most` nodes in each.

    Each node is as high as there is room. Then nodes with more children than parents go down as far
    as there is room, to be close to their children. Nodes without arcs are at the end.
    """
    parents, children = relatives_of(range(count), arcs)
    order = downward(range(count), arcs)
    single = [node for node in order if not parents[node] and not children[node]]
    joined = [node for node in order if parents[node] or children[node]]
    row: dict[int, int] = {}
    taken: list[int] = []

    def put(node: int, allowed: Iterable[int]) -> None:
        row[node] = next(at for at in allowed if at >= len(taken) or taken[at] < most)
        if row[node] >= len(taken):
            taken.append(0)
        taken[row[node]] += 1

    for node in joined:
        first = 1 + max((row[parent] for parent in parents[node]), default=-1)
        put(node, range(first, len(taken) + 1))
    for node in reversed(joined):
        if len(children[node]) > len(parents[node]):
            taken[row[node]] -= 1
            put(node, range(min(row[child] for child in children[node]) - 1, -1, -1))
    start = len(taken)
    for place, node in enumerate(single):
        row[node] = start + place // most
    used = {at: place for place, at in enumerate(sorted(set(row.values())))}
    return [used[row[node]] for node in range(count)]


def _walk(count: int, arcs: Sequence[Arc]) -> list[int]:
    """Return the nodes in the order of a walk along arcs, so that relatives are close together."""
    parents, children = relatives_of(range(count), arcs)
    order: list[int] = []
    seen: set[int] = set()
    for part in parts_of(count, arcs):
        waiting = [part[0]]
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            order.append(node)
            waiting += (*reversed(children[node]), *reversed(parents[node]))
    return order


def _centre_single(
    by_row: Sequence[Sequence[int]],
    near: Sequence[Sequence[tuple[int, float]]],
    xs: list[float],
    pitch: float,
) -> None:
    """Put the rows of nodes without arcs below the middle of the others."""
    joined = [x for x, own in zip(xs, near, strict=True) if own]
    middle = (min(joined) + max(joined)) / 2 if joined else 0.0
    for row in by_row:
        if not near[row[0]]:
            for place, node in enumerate(row):
                xs[node] = middle + (place - (len(row) - 1) / 2) * pitch


def _settle(
    row: list[int],
    near: Sequence[Sequence[tuple[int, float]]],
    xs: list[float],
    pitch: float,
) -> None:
    """Order the nodes of a row by the mean places of their relatives, and move them there."""
    wanted: Mapping[int, float] = {
        node: sum(xs[to] * pull for to, pull in near[node]) / sum(pull for _, pull in near[node])
        if near[node]
        else xs[node]
        for node in row
    }
    row.sort(key=lambda node: (wanted[node], node))
    weights = [0.1 + sum(pull for _, pull in near[node]) for node in row]
    settled = nearest_in_order([wanted[node] for node in row], weights, [pitch / 2] * len(row))
    for node, x in zip(row, settled, strict=True):
        xs[node] = x
