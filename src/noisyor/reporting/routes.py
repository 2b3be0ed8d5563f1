"""The lines of arcs between nodes that have places, and the sizes of a picture's layers.

Places are found as if layers were rows: `x` is across a layer and `y` from layer to layer. A grid
whose layers are columns exchanges the two at the end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noisyor.reporting.layers import Arc

NODE_WIDTH, NODE_HEIGHT = 124.0, 40.0
BOW_DEPTH = 34.0
"""How far an arc between two nodes of a layer hangs out of it."""

_CLEARANCE = 12.0  # between a node and an arc that passes it

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Grid:
    """Sizes across a layer and from layer to layer.

    Parameters
    ----------
    breadth
        The size of a node across its layer.
    depth
        Its size from layer to layer.
    step
        From the middle of a layer to that of the next one.
    gap
        Between two nodes of a layer.
    port_step
        Between two arcs that meet at a node, if there is room.
    is_turned
        Whether layers are columns.
    """

    breadth: float
    depth: float
    step: float
    gap: float
    port_step: float
    is_turned: bool

    def turned(self, point: Point) -> Point:
        """Return the point of the picture at a place of the grid, or the other way round."""
        return (point[1], point[0]) if self.is_turned else point


ROWS = Grid(NODE_WIDTH, NODE_HEIGHT, step=112.0, gap=24.0, port_step=16.0, is_turned=False)
"""Layers below each other, the first at the top."""

CLOSE_ROWS = Grid(NODE_WIDTH, NODE_HEIGHT, step=72.0, gap=24.0, port_step=16.0, is_turned=False)
"""The same, for arcs that need no lanes between nodes."""

COLUMNS = Grid(NODE_HEIGHT, NODE_WIDTH, step=196.0, gap=20.0, port_step=8.0, is_turned=True)
"""Layers beside each other, the first on the left."""

_PORT_SPREAD = 0.64  # of the breadth of a node: where arcs meet it


@dataclass(frozen=True, slots=True)
class Route:
    """How an arc is drawn: from a point to its tip, which points to later layers or to earlier.

    `passes` are the middles of the layers that it crosses on the way, between their nodes.
    """

    start: Point
    passes: tuple[Point, ...]
    tip: Point
    starts_forward: bool
    ends_forward: bool

    def with_ports(self, ports: tuple[float, float]) -> "Route":
        """Return the arc with its ends moved along the sides of its nodes by `ports`."""
        return Route(
            (self.start[0] + ports[0], self.start[1]),
            self.passes,
            (self.tip[0] + ports[1], self.tip[1]),
            self.starts_forward,
            self.ends_forward,
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the nodes are, by layer, and where the backbone's arcs pass layers."""

    grid: Grid
    nodes: tuple[Point, ...]
    layers: tuple[int, ...]
    passes: Mapping[Arc, tuple[Point, ...]]
    borders: tuple[float, ...] | None
    """Where, from left to right, one tier ends and the next begins; None without tiers."""

    def gap_near(self, layer: int, x: float) -> float:
        """Return the free place nearest to x in a layer."""
        reach = self.grid.breadth / 2 + _CLEARANCE
        taken = sorted(
            at[0] for at, own in zip(self.nodes, self.layers, strict=True) if own == layer
        )
        ends = [x, *(at - reach for at in taken), *(at + reach for at in taken)]
        free = [end for end in ends if all(abs(end - at) >= reach - 1e-9 for at in taken)]
        return min(free, key=lambda end: abs(end - x))


def routes_of(placed: Placed, arcs: Sequence[Arc], backbone: Sequence[Arc]) -> dict[Arc, Route]:
    """Return the route of each arc; those outside the backbone meet nodes between its arcs."""
    lines = {arc: _line(arc, placed) for arc in arcs}
    in_backbone = set(backbone)
    own = {arc: line for arc, line in lines.items() if arc in in_backbone}
    others = {arc: line for arc, line in lines.items() if arc not in in_backbone}
    grid = placed.grid
    ports = _ports(own, grid, 0.0) | _ports(others, grid, grid.port_step / 2)
    return {arc: line.with_ports(ports[arc]) for arc, line in lines.items()}


def _line(arc: Arc, placed: Placed) -> Route:
    """Return an arc's line from the middle of one side to that of another.

    It leads forward, back, or, within a layer, out at its far side and in again.
    """
    (x, y), (to_x, to_y) = (placed.nodes[end] for end in arc)
    layer, to_layer = (placed.layers[end] for end in arc)
    half, step = placed.grid.depth / 2, placed.grid.step
    starts_forward, ends_forward = to_layer >= layer, to_layer > layer
    passes = placed.passes.get(arc)
    if passes is None:
        towards = 1 if to_layer > layer else -1
        crossed = range(layer + towards, to_layer, towards) if layer != to_layer else range(0)
        passes = tuple(
            (placed.gap_near(at, x + (to_x - x) * (at - layer) / (to_layer - layer)), at * step)
            for at in crossed
        )
    return Route(
        (x, y + (half if starts_forward else -half)),
        passes,
        (to_x, to_y + (-half if ends_forward else half)),
        starts_forward,
        ends_forward,
    )


def _ports(lines: Mapping[Arc, Route], grid: Grid, shift: float) -> dict[Arc, tuple[float, float]]:
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
        step = min(grid.port_step, _PORT_SPREAD * grid.breadth / len(meeting))
        for place, (_, arc, end) in enumerate(sorted(meeting)):
            found[arc][end] = (place - (len(meeting) - 1) / 2) * step + shift
    return {arc: (first, last) for arc, (first, last) in found.items()}
