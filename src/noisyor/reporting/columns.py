"""The horizontal places of the stops in a layered picture."""

from collections.abc import Sequence
from itertools import pairwise

_SWEEPS = 24  # down and up; by then the columns hardly move
_CROSSING_SWEEPS = 200  # of igraph's barycentres; it stops when nothing changes


def columns_of(
    layers: Sequence[int],
    edges: Sequence[tuple[int, int]],
    half_widths: Sequence[float],
    margins: Sequence[float],
) -> list[float]:
    """Return an x for each stop so that few edges cross; 0 is the left end of the leftmost.

    Each edge joins stops of neighbouring layers. The order in a layer is that of igraph's
    Sugiyama layout. Then layer by layer, downward and upward in turn, each stop moves as close to
    the mean of its neighbours above or below as the order and width of the stops in its layer
    allow.
    """
    import igraph  # type: ignore[import-untyped]  # noqa: PLC0415  (slow, and rarely needed)

    graph = igraph.Graph(n=len(layers), edges=list(edges), directed=True)
    drawn = graph.layout_sugiyama(layers=list(layers), hgap=1, vgap=1, maxiter=_CROSSING_SWEEPS)
    first = [float(x) for x, _ in drawn.coords[: len(layers)]]
    rows = [
        sorted((at for at, own in enumerate(layers) if own == layer), key=lambda at: first[at])
        for layer in range(max(layers) + 1)
    ]
    room = [half + margin for half, margin in zip(half_widths, margins, strict=True)]
    pitch = 2 * max(room)
    xs = [x * pitch for x in first]
    joined: list[list[int]] = [[] for _ in layers]
    for one, other in edges:
        joined[one].append(other)
        joined[other].append(one)
    for sweep in range(_SWEEPS):
        last = sweep >= _SWEEPS - 2  # at the end both sides count, or one would win
        for row in rows if sweep % 2 == 0 else reversed(rows):
            step = -1 if sweep % 2 == 0 else 1
            wanted, weights = [], []
            for at in row:
                near = [xs[to] for to in joined[at] if last or layers[to] == layers[at] + step]
                wanted.append(sum(near) / len(near) if near else xs[at])
                weights.append(float(len(near)) + 0.1)
            for at, x in zip(
                row, nearest_in_order(wanted, weights, [room[at] for at in row]), strict=True
            ):
                xs[at] = x
    left = min(x - half for x, half in zip(xs, half_widths, strict=True))
    return [x - left for x in xs]


def nearest_in_order(
    wanted: Sequence[float], weights: Sequence[float], room: Sequence[float]
) -> list[float]:
    """Return the places nearest to those wanted, in this order and without overlap.

    Nearest means the least weighted sum of squares. With the room between neighbours subtracted,
    the places only have to ascend. Then it is optimal to join neighbours that are in the wrong
    order at their mean (pool adjacent violators; Barlow et al., 1972).
    """
    offsets = [0.0]
    for before, after in pairwise(room):
        offsets.append(offsets[-1] + before + after)
    pools: list[tuple[float, float, int]] = []
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        mean, total, count = want - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other, more, many = pools.pop()
            mean = (mean * total + other * more) / (total + more)
            total, count = total + more, count + many
        pools.append((mean, total, count))
    flat = [mean for mean, _, count in pools for _ in range(count)]
    return [place + offset for place, offset in zip(flat, offsets, strict=True)]
