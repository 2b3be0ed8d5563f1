"""The places of the nodes and arcs of a picture: in layers, parents above their children.

One layout serves every network of a credible set, so that nothing jumps when another one is
shown. Its layers are those of an acyclic backbone: the best network's arcs, and then, the heaviest
first, the other arcs with at least half of the weight. The order within a layer, of nodes and of
arcs that pass it, is that of `layer_order`. Arcs outside the backbone go through the gaps that are
left, downward or, if they must, upward.

Where background knowledge has tiers, each has layers of its own. Above `MOST_ROUTED` nodes, the
places are those of `compact_rows`, and arcs go behind nodes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from noisyor.reporting.columns import columns_of
from noisyor.reporting.compact_rows import compact_rows
from noisyor.reporting.layers import (
    Arc,
    backbone_of,
    layers_of,
    parts_of,
    tiered_layers_of,
)

NODE_WIDTH, NODE_HEIGHT = 124.0, 40.0
ROW_STEP = 112.0
MARGIN = 16.0
MOST_ROUTED = 100
"""The most nodes of a picture in which arcs go around nodes."""

BOW_DEPTH = 34.0
"""How far an arc between two nodes of a layer hangs below them."""

_COLUMN_GAP = 24.0  # between two nodes of a layer
_LANE = 20.0  # between two arcs that pass a layer side by side
_CLEARANCE = 12.0  # between a node and an arc that passes it
_PORT_STEP, _PORT_SPREAD = 16.0, 0.64 * NODE_WIDTH
_WIDE = 1200.0  # parts of the graph are put side by side up to here

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Route:
    """How an arc is drawn: from a point to its tip, which points downward or upward.

    `passes` are the middles of the layers that it crosses on the way, between their nodes.
    """

    start: Point
    passes: tuple[Point, ...]
    tip: Point
    starts_downward: bool
    ends_downward: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The middles of the nodes, the routes of the arcs, and the size of the whole picture."""

    width: float
    height: float
    nodes: tuple[Point, ...]
    routes: Mapping[Arc, Route]


def lay_out(
    count: int,
    best: Iterable[Arc],
    weights: Mapping[Arc, float],
    tiers: Sequence[int] | None = None,
) -> Layout:
    """Return places for the nodes and routes for all arcs; the best network's lead downward.

    Nodes of a later tier are below those of an earlier one.
    """
    chosen = list(best)
    backbone = backbone_of(count, chosen, weights)
    every = dict.fromkeys((*chosen, *weights))
    if count <= MOST_ROUTED:
        placed = _placed(count, backbone, tiers)
    else:
        placed = _placed_compactly(count, backbone, every)
    lines = {arc: _line(arc, placed) for arc in every}
    in_backbone = set(backbone)
    own = {arc: line for arc, line in lines.items() if arc in in_backbone}
    ports = _ports(own, 0.0) | _ports(
        {arc: line for arc, line in lines.items() if arc not in own}, _PORT_STEP / 2
    )
    routes = {arc: line.route(ports[arc]) for arc, line in lines.items()}
    return _framed(placed, routes)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where the nodes are, by row, and where the backbone's arcs pass rows."""

    nodes: tuple[Point, ...]
    rows: tuple[int, ...]
    passes: Mapping[Arc, tuple[Point, ...]]

    def gap_near(self, row: int, x: float) -> float:
        """Return the free place nearest to x in a row."""
        reach = NODE_WIDTH / 2 + _CLEARANCE
        taken = sorted(at[0] for at, own in zip(self.nodes, self.rows, strict=True) if own == row)
        ends = [x, *(at - reach for at in taken), *(at + reach for at in taken)]
        free = [end for end in ends if all(abs(end - at) >= reach - 1e-9 for at in taken)]
        return min(free, key=lambda end: abs(end - x))


def _placed(count: int, backbone: Sequence[Arc], tiers: Sequence[int] | None) -> _Placed:
    """Lay out the connected parts one by one, and put them side by side, then below each other.

    With tiers there is one part, so that the layers of a tier are the same everywhere.
    """
    nodes: list[Point] = [(0.0, 0.0)] * count
    rows = [0] * count
    passes: dict[Arc, tuple[Point, ...]] = {}
    left, top, deepest = 0.0, 0, 0
    for part in parts_of(count, backbone) if tiers is None else [list(range(count))]:
        within = set(part)
        arcs = [arc for arc in backbone if arc[0] in within]
        layer = layers_of(part, arcs) if tiers is None else tiered_layers_of(part, arcs, tiers)
        columns, crossings = _part(part, arcs, layer)
        width = max(columns.values()) + NODE_WIDTH / 2
        if left and left + width > _WIDE:
            left, top = 0.0, deepest
        for node, x in columns.items():
            rows[node] = top + layer[node]
            nodes[node] = (left + x, rows[node] * ROW_STEP)
        for arc, xs in crossings.items():
            first = rows[arc[0]] + 1
            passes[arc] = tuple((left + x, (first + step) * ROW_STEP) for step, x in enumerate(xs))
        left += width + _COLUMN_GAP
        deepest = max(deepest, top + 1 + max(layer.values()))
    return _Placed(tuple(nodes), tuple(rows), passes)


def _placed_compactly(count: int, backbone: Sequence[Arc], arcs: Iterable[Arc]) -> _Placed:
    """Lay out very many nodes; arcs get no lanes between them."""
    xs, rows = compact_rows(count, backbone, NODE_WIDTH + _COLUMN_GAP)
    nodes = tuple((x, row * ROW_STEP) for x, row in zip(xs, rows, strict=True))
    return _Placed(nodes, tuple(rows), dict.fromkeys(arcs, ()))


def _part(
    part: Sequence[int], arcs: Sequence[Arc], layer: Mapping[int, int]
) -> tuple[dict[int, float], dict[Arc, list[float]]]:
    """Return the columns of nodes in layers, and the columns where their arcs pass.

    A part's leftmost node, or passing arc, touches 0.
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
    half = [NODE_WIDTH / 2] * len(part) + [0.0] * (len(levels) - len(part))
    apart = [_COLUMN_GAP / 2] * len(part) + [_LANE / 2] * (len(levels) - len(part))
    xs = columns_of(levels, edges, half, apart)
    return (
        {node: xs[at] for node, at in number.items()},
        {arc: [xs[at] for at in own] for arc, own in passing.items()},
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """An arc without the exact places where it leaves and enters its nodes."""

    start: Point
    passes: tuple[Point, ...]
    tip: Point
    starts_downward: bool
    ends_downward: bool

    def route(self, ports: tuple[float, float]) -> Route:
        """Return the arc with its ends moved sideways by `ports`."""
        return Route(
            (self.start[0] + ports[0], self.start[1]),
            self.passes,
            (self.tip[0] + ports[1], self.tip[1]),
            self.starts_downward,
            self.ends_downward,
        )


def _line(arc: Arc, placed: _Placed) -> _Line:
    """Return an arc's line: down, up, or, within a layer, out at the bottom and in from below."""
    (x, y), (to_x, to_y) = (placed.nodes[end] for end in arc)
    row, to_row = (placed.rows[end] for end in arc)
    down_at_start, down_at_end = to_row >= row, to_row > row
    passes = placed.passes.get(arc)
    if passes is None:
        step = 1 if to_row > row else -1
        crossed = range(row + step, to_row, step) if row != to_row else range(0)
        passes = tuple(
            (placed.gap_near(at, x + (to_x - x) * (at - row) / (to_row - row)), at * ROW_STEP)
            for at in crossed
        )
    return _Line(
        (x, y + (NODE_HEIGHT / 2 if down_at_start else -NODE_HEIGHT / 2)),
        passes,
        (to_x, to_y + (-NODE_HEIGHT / 2 if down_at_end else NODE_HEIGHT / 2)),
        down_at_start,
        down_at_end,
    )


def _ports(lines: Mapping[Arc, _Line], shift: float) -> dict[Arc, tuple[float, float]]:
    """Return how far from the middle each arc leaves its parent and enters its child.

    Where several meet on one side of a node, they are spread out in the order of their origins.
    """
    sides: dict[Point, list[tuple[float, Arc, int]]] = {}
    for arc, line in lines.items():
        stops = (line.start, *line.passes, line.tip)
        sides.setdefault(line.start, []).append((stops[1][0], arc, 0))
        sides.setdefault(line.tip, []).append((stops[-2][0], arc, 1))
    found: dict[Arc, list[float]] = {arc: [0.0, 0.0] for arc in lines}
    for meeting in sides.values():
        step = min(_PORT_STEP, _PORT_SPREAD / len(meeting))
        for place, (_, arc, end) in enumerate(sorted(meeting)):
            found[arc][end] = (place - (len(meeting) - 1) / 2) * step + shift
    return {arc: (first, last) for arc, (first, last) in found.items()}


def _framed(placed: _Placed, routes: Mapping[Arc, Route]) -> Layout:
    """Shift everything so that all coordinates are positive, with a margin around it."""
    xs = [x for x, _ in placed.nodes]
    passing = [x for route in routes.values() for x, _ in route.passes]
    left = min([x - NODE_WIDTH / 2 for x in xs] + passing) - MARGIN
    right = max([x + NODE_WIDTH / 2 for x in xs] + passing) + MARGIN
    above = -NODE_HEIGHT / 2 - MARGIN
    below = max(y for _, y in placed.nodes) + NODE_HEIGHT / 2 + MARGIN
    # Room for an arc between two nodes of the last layer, which hangs below it.
    if any(r.starts_downward and not r.ends_downward for r in routes.values()):
        below += BOW_DEPTH - MARGIN

    def moved(point: Point) -> Point:
        return (round(point[0] - left), round(point[1] - above))

    return Layout(
        round(right - left),
        round(below - above),
        tuple(moved(point) for point in placed.nodes),
        {
            arc: Route(
                moved(route.start),
                tuple(moved(point) for point in route.passes),
                moved(route.tip),
                route.starts_downward,
                route.ends_downward,
            )
            for arc, route in routes.items()
        },
    )
