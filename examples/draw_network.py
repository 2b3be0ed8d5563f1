"""Draw a bundled example's network as SVG: layers from causes to effects.

    python examples/draw_network.py clinic docs/images/clinic.svg

Full tables are blue boxes, noisy-ORs orange pills. The width and label of an edge from a cause to a
noisy-OR show its strength, 1 - q: the chance that the cause alone brings the child about. The
README shows this picture; a test compares it with the output of this script.
"""  # noqa: INP001  (a script, not a package)

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

from noisyor import Network, example_names, example_truth
from noisyor.core.relation_looks import Look, Shape, look_of
from noisyor.core.relations import cause_relation, root_relation
from noisyor.files.whole import write_whole

MARGIN = 28
GAP = 26  # between nodes of a layer
HEIGHT = 50  # of a node
LAYER_STEP = 230  # from the top of a layer to the top of the next
PORT = 40  # between two arrows into a node: as wide as a strength and a blank
LABEL_ABOVE = 27  # a strength's middle over its arrow's tip
LETTER = 9  # the width of a name's letter, on average, in a wide font
NARROWEST = 112  # the width of a node that holds the line below its name
LEGEND = 56  # its height
LEGEND_WIDTH = 720

TABLE, NOISY_OR = look_of(root_relation()), look_of(cause_relation(leak=False))

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stop:
    """A place in a layer: a variable, or (None) a bend of an edge that passes through."""

    variable: int | None
    number: int = 0


Edge = tuple[int, int]
"""A pair (parent, child) of variables."""


def layers_of(network: Network) -> list[int]:
    """Return each variable's layer: below its parents, and roots just above their children."""
    families = network.structure.families
    layer = [0] * len(families)
    order = network.structure.topological_order()
    for child in order:
        layer[child] = max((layer[p] + 1 for p in families[child].parent_indices()), default=0)
    for root in (v for v in order if not families[v].parents):
        below = [layer[f.child] for f in families if f.parents >> root & 1]
        layer[root] = max(min(below, default=1) - 1, 0)
    return layer


def paths_of(network: Network, layer: Sequence[int]) -> dict[Edge, list[Stop]]:
    """Return the stops of each edge, one in each layer from parent to child."""
    paths: dict[Edge, list[Stop]] = {}
    bends = 0
    for family in network.structure.families:
        for parent in family.parent_indices():
            between = layer[family.child] - layer[parent] - 1
            middle = [Stop(None, bends + bend) for bend in range(between)]
            bends += between
            paths[parent, family.child] = [Stop(parent), *middle, Stop(family.child)]
    return paths


def ordered(network: Network, paths: dict[Edge, list[Stop]]) -> list[list[Stop]]:
    """Return the layers, each from left to right, with few crossings.

    The best move of one stop within its layer is made until no move helps.
    """
    layer = layers_of(network)
    rows: list[list[Stop]] = [[] for _ in range(max(layer) + 1)]
    for variable, depth in enumerate(layer):
        rows[depth].append(Stop(variable))
    for (parent, _), stops in paths.items():
        for depth, stop in enumerate(stops[1:-1], start=layer[parent] + 1):
            rows[depth].append(stop)
    while True:
        best = min(moves(rows), key=lambda trial: crossings(trial, paths))
        if crossings(best, paths) >= crossings(rows, paths):
            return rows
        rows = best


def moves(rows: list[list[Stop]]) -> Iterator[list[list[Stop]]]:
    """Yield the layers with one stop moved within its layer, for every stop and place."""
    for depth, row in enumerate(rows):
        for stop in row:
            rest = [other for other in row if other != stop]
            for place in range(len(row)):
                moved = [*rest[:place], stop, *rest[place:]]
                yield [*rows[:depth], moved, *rows[depth + 1 :]]


def crossings(rows: Sequence[Sequence[Stop]], paths: dict[Edge, list[Stop]]) -> tuple[int, int]:
    """Return how many pairs of edges cross and, to break ties, how far edges lean."""
    at = {stop: (depth, place) for depth, row in enumerate(rows) for place, stop in enumerate(row)}
    steps = [(at[a], at[b]) for stops in paths.values() for a, b in pairwise(stops)]
    crossed = sum(
        (above[1] - other[1]) * (below[1] - under[1]) < 0
        for index, (above, below) in enumerate(steps)
        for other, under in steps[:index]
        if above[0] == other[0]
    )
    lean = sum(
        abs((2 * a[1] + 1) * len(rows[b[0]]) - (2 * b[1] + 1) * len(rows[a[0]])) for a, b in steps
    )
    return crossed, lean


def widths_of(network: Network) -> list[float]:
    """Return the width of each node, into which its name and its arrows must fit."""
    return [
        max(NARROWEST, LETTER * len(name) + 30, PORT * family.parent_count + 20)
        for name, family in zip(network.names, network.structure.families, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A network with a place for every stop."""

    network: Network
    paths: dict[Edge, list[Stop]]
    centres: dict[Stop, Point]
    widths: list[float]
    size: Point

    def svg(self) -> str:
        """Return the picture."""
        width, height = self.size
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
            f'width="{width:g}" height="{height:g}" font-family="Helvetica, Arial, sans-serif">'
        )
        lines = [
            head,
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
            *self._edges(),
            *self._nodes(),
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _ports(self, child: int) -> dict[int, Point]:
        """Return where the arrow of each parent ends, so that arrows keep their parents' order."""
        x, y = self.centres[Stop(child)]
        parents = sorted(
            self.network.structure.families[child].parent_indices(),
            key=lambda parent: self.centres[self.paths[parent, child][-2]],
        )
        first = x - PORT * (len(parents) - 1) / 2
        return {parent: (first + PORT * i, y - HEIGHT / 2) for i, parent in enumerate(parents)}

    def _edges(self) -> Iterator[str]:
        """Yield all lines before all labels, so that no line runs over a label."""
        labels = []
        for child, distribution in enumerate(self.network.distributions):
            parents = self.network.structure.families[child].parent_indices()
            ports = self._ports(child)
            line = look_of(distribution.relation).paper.line
            strengths = {cause.parent: cause.strength for cause in distribution.causes()}
            for place, parent in enumerate(parents):
                tip = ports[parent]
                if place in strengths:
                    strength = strengths[place]
                    yield from self._edge((parent, child), tip, line, 1 + 3 * strength)
                    labels.append(_strength(tip, strength))
                else:
                    yield from self._edge((parent, child), tip, line, 2)
        yield from labels

    def _edge(self, edge: Edge, tip: Point, colour: str, thickness: float) -> Iterator[str]:
        x, y = self.centres[Stop(edge[0])]
        stops = [self.centres[stop] for stop in self.paths[edge][1:-1]]
        # Arrows come in from straight above, through their label.
        points = [(x, y + HEIGHT / 2), *stops, (tip[0], tip[1] - LABEL_ABOVE)]
        curve = f"M {points[0][0]:.1f} {points[0][1]:.1f}"
        for (x1, y1), (x2, y2) in pairwise(points):
            bend = 0.5 * (y2 - y1)
            curve += f" C {x1:.1f} {y1 + bend:.1f} {x2:.1f} {y2 - bend:.1f} {x2:.1f} {y2:.1f}"
        yield (
            f'<path d="{curve} V {tip[1] - 8:.1f}" fill="none" stroke="{colour}" '
            f'stroke-width="{thickness:.2f}" stroke-opacity="0.75"/>'
        )
        yield (f'<path d="M {tip[0] - 5:.1f} {tip[1] - 10:.1f} h 10 l -5 9.5 z" fill="{colour}"/>')

    def _nodes(self) -> Iterator[str]:
        for variable, name in enumerate(self.network.names):
            distribution = self.network.distributions[variable]
            family = self.network.structure.families[variable]
            look = look_of(distribution.relation)
            if distribution.causes():
                below = look.label
            elif family.parents:
                below = f"table of {distribution.expand().present.size}"
            else:
                below = f"present: {float(distribution.expand().present[0]):.2f}"
            yield from _node(self.centres[Stop(variable)], self.widths[variable], name, below, look)

    def _legend(self) -> Iterator[str]:
        y = self.size[1] - LEGEND / 2
        relations = (
            (TABLE, f"{TABLE.label} ({TABLE.short_label})"),
            (NOISY_OR, f"{NOISY_OR.label}: causes act on their own"),
        )
        x = float(MARGIN)
        for look, text in relations:
            yield _shape((x + 17, y), 34, 20, look)
            yield f'<text x="{x + 42:g}" y="{y + 4.5:g}" font-size="13" fill="#333">{text}</text>'
            x += 70 + 7 * len(text)
        yield _strength((x + 17, y + LABEL_ABOVE), 0.9)
        yield (
            f'<text x="{x + 42:g}" y="{y + 4.5:g}" font-size="13" fill="#333">'
            "a cause's strength, 1 - q</text>"
        )


def _strength(tip: Point, strength: float) -> str:
    """Return the label on the arrow that ends there."""
    x, y = tip[0], tip[1] - LABEL_ABOVE
    return (
        f'<rect x="{x - 17:.1f}" y="{y - 9:.1f}" width="34" height="18" rx="4" fill="white"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" font-size="12.5" font-weight="bold" '
        f'text-anchor="middle" fill="{NOISY_OR.paper.text}">{strength:.2f}</text>'
    )


def _shape(centre: Point, width: float, height: float, look: Look) -> str:
    x, y = centre[0] - width / 2, centre[1] - height / 2
    radius = height / 2 if look.shape is Shape.ELLIPSE else 3
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:g}" rx="{radius:g}" '
        f'fill="{look.paper.fill}" stroke="{look.paper.line}" stroke-width="2"/>'
    )


def _node(centre: Point, width: float, name: str, below: str, look: Look) -> Iterator[str]:
    yield _shape(centre, width, HEIGHT, look)
    x, y = centre
    start = f'<text x="{x:.1f}" text-anchor="middle" fill="{look.paper.text}"'
    yield f'{start} y="{y - 2:.1f}" font-size="15" font-weight="bold">{escape(name)}</text>'
    yield f'{start} y="{y + 15:.1f}" font-size="11.5">{escape(below)}</text>'


def draw(network: Network) -> str:
    """Return a network as an SVG picture: layers, causes above effects."""
    paths = paths_of(network, layers_of(network))
    rows = ordered(network, paths)
    widths = widths_of(network)
    spans = [[PORT if s.variable is None else widths[s.variable] for s in row] for row in rows]
    total = max(LEGEND_WIDTH, *(sum(span) + GAP * (len(span) - 1) for span in spans))
    centres: dict[Stop, Point] = {}
    for depth, (row, span) in enumerate(zip(rows, spans, strict=True)):
        gap = (total - sum(span)) / len(row)  # the same around every node, half at either end
        x = MARGIN + gap / 2
        for stop, width in zip(row, span, strict=True):
            centres[stop] = (x + width / 2, MARGIN + depth * LAYER_STEP + HEIGHT / 2)
            x += width + gap
    height = 2 * MARGIN + (len(rows) - 1) * LAYER_STEP + HEIGHT + LEGEND
    return Drawing(network, paths, centres, widths, (total + 2 * MARGIN, height)).svg()


def main() -> None:
    """Draw the example named on the command line."""
    parser = argparse.ArgumentParser(description="Draw a bundled example's network as SVG.")
    parser.add_argument("example", choices=example_names())
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    write_whole({arguments.output: draw(example_truth(arguments.example)).encode()})


if __name__ == "__main__":
    main()
