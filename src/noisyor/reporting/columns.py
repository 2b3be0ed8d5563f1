"""The horizontal places of the stops in a layered picture."""

from collections.abc import Sequence
from itertools import pairwise

from noisyor.reporting.layer_order import layer_order

_SWEEPS = 24  # down and up; by then the columns hardly move


def columns_of(
    layers: Sequence[int],
    edges: Sequence[tuple[int, int]],
    half_widths: Sequence[float],
    margins: Sequence[float],
) -> list[float]:
    """Return an x for each stop so that few edges cross; 0 is the left end of the leftmost.

    Each edge joins stops of neighbouring layers, the upper first. The order in a layer is that of
    `layer_order`. Then layer by layer, downward and upward in turn, each stop moves as close to
    the mean of its neighbours above or below as the order and width of the stops in its layer
    allow.
    """
    rows = layer_order(layers, edges)
    room = [half + margin for half, margin in zip(half_widths, margins, strict=True)]
    xs = _side_by_side(rows, room)
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


def _side_by_side(rows: Sequence[Sequence[int]], room: Sequence[float]) -> list[float]:
    """Return places without gaps in each row, all rows with the same middle."""
    xs = [0.0] * len(room)
    for row in rows:
        right = -sum(room[at] for at in row)
        for at in row:
            xs[at] = right + room[at]
            right += 2 * room[at]
    return xs


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
