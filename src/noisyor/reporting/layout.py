"""The places of the nodes and arcs of a picture: in layers, parents before their children.

One layout serves every network of a credible set, so that nothing jumps when another one is
shown. Its layers are those of an acyclic backbone: the best network's arcs, and then, the heaviest
first, the other arcs with at least half of the weight. The order within a layer, of nodes and of
arcs that pass it, is that of `layer_order`. Arcs outside the backbone go through the gaps that are
left, forward or, if they must, back.

Layers are rows, the first at the top. Where background knowledge has tiers, layers are columns, and
each tier has columns of its own, the first on the left.

Above `MOST_ROUTED` nodes, the places are those of `compact_rows`, and arcs go behind nodes. Each
tier then is a column with rows of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt

from noisyor.reporting.columns import columns_of
from noisyor.reporting.compact_rows import compact_rows
from noisyor.reporting.layers import (
    Arc,
    backbone_of,
    layers_of,
    parts_of,
    tiered_layers_of,
)
from noisyor.reporting.routes import (
    BOW_DEPTH,
    CLOSE_ROWS,
    COLUMNS,
    ROWS,
    Grid,
    Placed,
    Point,
    Route,
    routes_of,
)

MARGIN = 16.0
MOST_ROUTED = 100
"""The most nodes of a picture in which arcs go around nodes."""

TITLE_HEIGHT = 28.0
"""The least height of the titles of tiers, above everything else."""

_TITLE_SHARE = 0.04  # the height of titles, of the width of a picture that is seen from far

_LANE = 20.0  # between two arcs that pass a layer side by side
_WIDE = 1200.0  # parts of the graph are put side by side up to here
_SHAPE = 0.6  # very many nodes: those in a full row per row, if all were full; many are not


@dataclass(frozen=True, slots=True)
class Layout:
    """The middles of the nodes, the routes of the arcs, and the size of the whole picture.

    `tiers` are the left and the right end of each tier, whose titles are `title_height` high.
    """

    grid: Grid
    width: float
    height: float
    nodes: tuple[Point, ...]
    routes: Mapping[Arc, Route]
    tiers: tuple[tuple[float, float], ...]
    title_height: float


def lay_out(
    count: int,
    best: Iterable[Arc],
    weights: Mapping[Arc, float],
    tiers: Sequence[int] | None = None,
) -> Layout:
    """Return places for the nodes and routes for all arcs; the best network's lead forward.

    With tiers, nodes of a later one are to the right of those of an earlier one. Else parents
    are above their children.
    """
    chosen = list(best)
    backbone = backbone_of(count, chosen, weights)
    every = list(dict.fromkeys((*chosen, *weights)))
    if count <= MOST_ROUTED:
        placed = _placed(count, backbone, tiers)
    else:
        placed = _placed_compactly(count, backbone, every, tiers)
    return _framed(placed, routes_of(placed, every, backbone))


def _placed(count: int, backbone: Sequence[Arc], tiers: Sequence[int] | None) -> Placed:
    """Lay out the connected parts one by one, and put them side by side, then below each other.

    With tiers there is one part, so that the layers of a tier are the same everywhere.
    """
    grid = ROWS if tiers is None else COLUMNS
    nodes: list[Point] = [(0.0, 0.0)] * count
    layers = [0] * count
    passes: dict[Arc, tuple[Point, ...]] = {}
    left, top, deepest = 0.0, 0, 0
    for part in parts_of(count, backbone) if tiers is None else [list(range(count))]:
        within = set(part)
        arcs = [arc for arc in backbone if arc[0] in within]
        layer = layers_of(part, arcs) if tiers is None else tiered_layers_of(part, arcs, tiers)
        places, crossings = _part(part, arcs, layer, grid)
        width = max(places.values()) + grid.breadth / 2
        if left and left + width > _WIDE:
            left, top = 0.0, deepest
        for node, x in places.items():
            layers[node] = top + layer[node]
            nodes[node] = (left + x, layers[node] * grid.step)
        for arc, xs in crossings.items():
            first = layers[arc[0]] + 1
            passes[arc] = tuple((left + x, (first + at) * grid.step) for at, x in enumerate(xs))
        left += width + grid.gap
        deepest = max(deepest, top + 1 + max(layer.values()))
    borders = None if tiers is None else _borders(layers, tiers, grid.step)
    return Placed(grid, tuple(nodes), tuple(layers), passes, borders)


def _borders(layers: Sequence[int], tiers: Sequence[int], step: float) -> tuple[float, ...]:
    """Return the middles between the last column of a tier and the first one of the next."""
    last = {tier: layer for layer, tier in sorted(zip(layers, tiers, strict=True))}
    return tuple((last[tier] + 0.5) * step for tier in sorted(last)[:-1])


def _placed_compactly(
    count: int, backbone: Sequence[Arc], arcs: Iterable[Arc], tiers: Sequence[int] | None
) -> Placed:
    """Lay out very many nodes, tier by tier; arcs get no lanes between them."""
    full = max(4, ceil(sqrt(_SHAPE * count)))
    pitch = CLOSE_ROWS.breadth + CLOSE_ROWS.gap
    nodes: list[Point] = [(0.0, 0.0)] * count
    rows = [0] * count
    borders: list[float] = []
    left = 0.0
    for own in [range(count)] if tiers is None else _by_tier(tiers):
        number = {node: at for at, node in enumerate(own)}
        within = [
            (number[parent], number[child])
            for parent, child in backbone
            if parent in number and child in number
        ]
        most = max(2, ceil(full * len(own) / count))
        xs, below = compact_rows(len(own), within, pitch, most)
        for node, x, row in zip(own, xs, below, strict=True):
            nodes[node], rows[node] = (left + x, row * CLOSE_ROWS.step), row
        borders.append(left + max(xs) + pitch)
        left = borders[-1] + pitch
    return Placed(
        CLOSE_ROWS,
        tuple(nodes),
        tuple(rows),
        dict.fromkeys(arcs, ()),
        None if tiers is None else tuple(borders[:-1]),
    )


def _by_tier(tiers: Sequence[int]) -> list[list[int]]:
    return [[node for node, tier in enumerate(tiers) if tier == one] for one in sorted(set(tiers))]


def _part(
    part: Sequence[int], arcs: Sequence[Arc], layer: Mapping[int, int], grid: Grid
) -> tuple[dict[int, float], dict[Arc, list[float]]]:
    """Return the places of nodes across their layers, and those where their arcs pass.

    A part's first node, or passing arc, touches 0.
    """
    number = {node: at for at, node in enumerate(part)}
    levels = [layer[node] for node in part]
    edges: list[Arc] = []
    passing: dict[Arc, list[int]] = {}
    for parent, child in arcs:
        between = range(layer[parent] + 1, layer[child])
        own = list(range(len(levels), len(levels) + len(between)))
        passing[parent, child] = own
        levels.extend(between)
        stops = [number[parent], *own, number[child]]
        edges.extend(pairwise(stops))
    half = [grid.breadth / 2] * len(part) + [0.0] * (len(levels) - len(part))
    apart = [grid.gap / 2] * len(part) + [_LANE / 2] * (len(levels) - len(part))
    xs = columns_of(levels, edges, half, apart)
    return (
        {node: xs[at] for node, at in number.items()},
        {arc: [xs[at] for at in own] for arc, own in passing.items()},
    )


def _framed(placed: Placed, routes: Mapping[Arc, Route]) -> Layout:
    """Turn the grid and shift everything: all coordinates are positive, with a margin around."""
    grid = placed.grid
    xs = [x for x, _ in placed.nodes]
    passing = [x for route in routes.values() for x, _ in route.passes]
    first = min([x - grid.breadth / 2 for x in xs] + passing) - MARGIN
    last = max([x + grid.breadth / 2 for x in xs] + passing) + MARGIN
    start = -grid.depth / 2 - MARGIN
    end = max(y for _, y in placed.nodes) + grid.depth / 2 + MARGIN
    # Room for an arc between two nodes of the last layer, which hangs out of it.
    if any(route.starts_forward and not route.ends_forward for route in routes.values()):
        end += BOW_DEPTH - MARGIN
    title = 0.0
    if placed.borders is not None and grid.is_turned:
        title = TITLE_HEIGHT
        first -= title
    elif placed.borders is not None:
        title = max(TITLE_HEIGHT, _TITLE_SHARE * (last - first))
        start -= title

    def moved(point: Point) -> Point:
        x, y = grid.turned((point[0] - first, point[1] - start))
        return (round(x), round(y))

    width, height = grid.turned((last - first, end - start))
    return Layout(
        grid,
        round(width),
        round(height),
        tuple(moved(point) for point in placed.nodes),
        {
            arc: Route(
                moved(route.start),
                tuple(moved(point) for point in route.passes),
                moved(route.tip),
                route.starts_forward,
                route.ends_forward,
            )
            for arc, route in routes.items()
        },
        _tiers(placed.borders, start if grid.is_turned else first, round(width)),
        title,
    )


def _tiers(
    borders: Sequence[float] | None, left: float, width: float
) -> tuple[tuple[float, float], ...]:
    """Return where each tier begins and ends in a picture of this width."""
    if borders is None:
        return ()
    return tuple(pairwise([0.0, *(round(border - left) for border in borders), width]))
