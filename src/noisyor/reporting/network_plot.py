"""The picture of one network for a paper: layers from causes to effects."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING

from noisyor.core import Family, Network, Relation, SettingsError, Structure
from noisyor.core.relation_looks import Look, Outline, Shape, look_of
from noisyor.core.variable import BINARY
from noisyor.networks.arcs import ArcStrength
from noisyor.reporting.layers import Arc
from noisyor.reporting.network_places import places_of
from noisyor.reporting.plot_style import (
    COLUMN_WIDTH,
    FONT_SIZE,
    PLAIN,
    load_matplotlib,
    new_figure,
    short_names,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SMALLEST_FONT = 5.0
"""In points; smaller text is illegible in print."""

_THINNEST, _THICKEST, _PLAIN_LINE = 0.4, 2.4, 0.8  # points
_THICK_OUTLINE = 2.2  # points
_SLANT = 0.3  # of a hexagon's height, how far its corners are in from its sides
_MARKERS = {Shape.BOX: "s", Shape.ELLIPSE: "o", Shape.HEXAGON: "h"}
_LINE_LENGTH = 12  # letters, where a name can be broken

# In inches, whatever the font:
_MARGIN = 0.05
_LEGEND = 0.26

# In the font's size:
_PADDING = 0.6
_GAP = 0.8  # between neighbours
_LANE = 0.6  # the room of an arc that passes through a layer
_RISE = 3.2  # between layers
_PORT = 0.9  # between arrows into a node
_LABEL_PORT = 2.1  # the same with a number on each
_LABEL_RISE = 1.5  # a number's middle above the tip of its arrow
_SMALL = 0.8  # numbers and the legend

Point = tuple[float, float]


def plot_network(
    network: Network | Structure,
    *,
    arcs: Iterable[ArcStrength] | None = None,
    label_arcs: bool = False,
    width: float | None = None,
    font_size: float = FONT_SIZE,
) -> "Figure":
    """Return a drawing of a network as a matplotlib Figure.

    Full tables are blue boxes, noisy-ORs orange ellipses and noisy-ANDs green hexagons, dashed if
    they have a leak, with a thick outline if they are signed.

    Parameters
    ----------
    network
        The network, or its structure.
    arcs
        The weight of each arc as the thickness of its arrow (see `Learned.arc_strength`). By
        default the arrows into a noisy-OR of a `Network` show the strength of the cause, 1 - q, and
        into any relation with causes that of the parent's strongest state.
    label_arcs
        Whether to write these numbers next to the arrows.
    width
        The width in inches, kept by a smaller font if necessary. By default the figure is one
        column wide (3.5 inches), or as wide as the names need.
    font_size
        The font size in points.

    Raises
    ------
    SettingsError
        The network does not fit into the width in a font of at least 5 points.

    """
    load_matplotlib()
    structure = network if isinstance(network, Structure) else network.structure
    values = _arc_values(network, arcs)
    if label_arcs and not values:
        raise SettingsError(
            "there is nothing to label the arcs with: give `arcs`, or a network with parameters "
            "and a noisy-OR"
        )
    if not font_size >= SMALLEST_FONT:
        raise SettingsError(f"the font size is {font_size}; it must be at least {SMALLEST_FONT:g}")
    shape = _shape_of(structure, labelled=label_arcs)
    font = font_size / 72
    if width is None:
        width = max(COLUMN_WIDTH, shape.width * font + 2 * _MARGIN)
    elif shape.width * font > width - 2 * _MARGIN:
        font = (width - 2 * _MARGIN) / shape.width
        if font * 72 < SMALLEST_FONT:
            needed = shape.width * SMALLEST_FONT / 72 + 2 * _MARGIN
            raise SettingsError(
                f"the network does not fit into a width of {width:g} inches; in the smallest "
                f"legible font ({SMALLEST_FONT:g} points) it needs {needed:.1f}"
            )
    height = shape.height * font + _LEGEND + 2 * _MARGIN
    figure = new_figure(width, height, layout=None)
    axes = figure.add_axes((0, 0, 1, 1))
    # The unit of the axes is the font's size, so the shape needs no scaling.
    left = (width / font - shape.width) / 2
    axes.set_xlim(-left, shape.width + left)
    axes.set_ylim(-(_LEGEND + _MARGIN) / font, shape.height + _MARGIN / font)
    axes.set_axis_off()
    _draw_arcs(axes, shape, values, font * 72, labelled=label_arcs)
    _draw_nodes(axes, shape, font * 72)
    _draw_legend(axes, _labels(network), font * 72)
    return figure


def _arc_values(
    network: Network | Structure, arcs: Iterable[ArcStrength] | None
) -> dict[Arc, float]:
    """Return the values that the thickness of arrows shows, for the arcs that have one."""
    if arcs is not None:
        structure = network if isinstance(network, Structure) else network.structure
        weights = {(arc.parent, arc.child): arc.weight for arc in arcs}
        number = {name: place for place, name in enumerate(structure.names)}
        lacking = next((edge for edge in structure.edges() if edge not in weights), None)
        if lacking is not None:
            raise SettingsError(
                f"`arcs` does not have {lacking[0]!r} -> {lacking[1]!r}, which is to be drawn"
            )
        return {(number[p], number[c]): weights[p, c] for p, c in structure.edges()}
    if isinstance(network, Structure):
        return {}
    strongest: dict[Arc, float] = {}
    for family, given in zip(network.structure.families, network.distributions, strict=True):
        parents = family.parent_indices()
        for cause in given.causes():
            if cause.parent is not None and not all(cause.unseen or (False,)):
                arc = (parents[cause.parent], family.child)
                strongest[arc] = max(strongest.get(arc, 0.0), cause.strength)
    return strongest


@dataclass(frozen=True, slots=True)
class _Node:
    """A node's look and place: its lines of text, its middle, its width and height."""

    look: Look
    text: str
    middle: Point
    width: float
    height: float

    def top(self, x: float) -> Point:
        """Return the point of the upper border at x."""
        side, (middle, y) = self.width / 2, self.middle
        if self.look.shape is Shape.BOX:
            return x, y + self.height / 2
        if self.look.shape is Shape.HEXAGON:
            beyond = max(abs(x - middle) - (side - self.height * _SLANT), 0.0)
            return x, y + self.height / 2 - beyond / (2 * _SLANT)
        return x, y + self.height / 2 * sqrt(1 - ((x - middle) / side) ** 2)


@dataclass(frozen=True, slots=True)
class _Shape:
    """The drawing in units of the font's size, from (0, 0) at its lower left."""

    width: float
    height: float
    nodes: tuple[_Node, ...]
    curves: Mapping[Arc, tuple[Point, ...]]  # from below the parent to the tip above the child


def _shape_of(structure: Structure, *, labelled: bool) -> _Shape:
    texts = [_lines(name) for name in short_names(structure.names)]
    port = _LABEL_PORT if labelled else _PORT
    sizes = [
        _node_size(text, family, port)
        for text, family in zip(texts, structure.families, strict=True)
    ]
    places = places_of(structure, [width for width, _ in sizes], _GAP, _LANE)
    tallest = [0.0] * (1 + max(stop.layer for stop in places.nodes))
    for stop, (_, height) in zip(places.nodes, sizes, strict=True):
        tallest[stop.layer] = max(tallest[stop.layer], height)
    rise = _RISE + (_LABEL_RISE if labelled else 0.0)
    total = sum(tallest) + rise * (len(tallest) - 1)
    middle_of = [
        total - sum(tallest[:layer]) - rise * layer - own / 2 for layer, own in enumerate(tallest)
    ]
    nodes = tuple(
        _Node(look_of(family.relation), text, (stop.x, middle_of[stop.layer]), *size)
        for family, text, stop, size in zip(
            structure.families, texts, places.nodes, sizes, strict=True
        )
    )
    passes = {
        arc: [(stop.x, middle_of[stop.layer]) for stop in stops]
        for arc, stops in places.passes.items()
    }
    return _Shape(places.width, total, nodes, _curves(structure, nodes, passes, port))


def _node_size(text: str, family: Family, port: float) -> tuple[float, float]:
    """Return the width and height that a node's name, and the arrows into it, need."""
    lines = text.split("\n")
    name, ports = max(map(text_width, lines)), port * family.parent_count
    if look_of(family.relation).shape is Shape.BOX:
        return max(name, ports - port) + 2 * _PADDING, 1.2 * len(lines) + 0.7
    # An ellipse is narrower at the height of the letters, and curves down where arrows come in.
    return max(1.2 * name, ports) + 2 * _PADDING, 1.2 * len(lines) + 1.1


def _curves(
    structure: Structure,
    nodes: Sequence[_Node],
    passes: Mapping[Arc, Sequence[Point]],
    port: float,
) -> dict[Arc, tuple[Point, ...]]:
    """Return the points of each arc: arrows come in side by side, in the order from above."""
    curves = {}
    for family in structure.families:
        node = nodes[family.child]
        ways = []
        for parent in family.parent_indices():
            x, y = nodes[parent].middle
            start = (x, y - nodes[parent].height / 2)
            ways.append(([start, *passes[parent, family.child]], parent))
        ways.sort(key=lambda way: way[0][-1])
        for place, (way, parent) in enumerate(ways):
            tip = node.middle[0] + (place - (len(ways) - 1) / 2) * port
            curves[parent, family.child] = (*way, node.top(tip))
    return curves


def _lines(name: str) -> str:
    """Return a name, broken after blanks, underscores, hyphens and dots if it is long."""
    lines = [""]
    for part in re.split(r"(?<=[\s_.-])", name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > _LINE_LENGTH:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _draw_arcs(
    axes: "Axes", shape: _Shape, values: Mapping[Arc, float], font: float, *, labelled: bool
) -> None:
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415
    from matplotlib.path import Path  # noqa: PLC0415

    for edge, points in shape.curves.items():
        value = values.get(edge)
        thick = _PLAIN_LINE if value is None else _THINNEST + (_THICKEST - _THINNEST) * value
        colours = shape.nodes[edge[1]].look.paper
        curve = _smooth(points)
        arrow = FancyArrowPatch(
            path=Path(curve, [Path.MOVETO, *[Path.CURVE4] * (len(curve) - 1)]),
            arrowstyle="-|>",
            mutation_scale=0.75 * font,
            linewidth=thick,
            color=colours.line,
            joinstyle="miter",
            capstyle="butt",
            zorder=1,
        )
        axes.add_patch(arrow)
        if labelled and value is not None:
            x, y = points[-1]
            axes.text(
                x,
                y + _LABEL_RISE,
                _number(value),
                size=_SMALL * font,
                color=colours.text,
                ha="center",
                va="center",
                zorder=3,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
            )


def _number(share: float) -> str:
    """Return a share with two digits and without its leading zero."""
    return {"0.00": "0", "1.00": "1"}.get(f"{share:.2f}", f"{share:.2f}"[1:])


def _smooth(points: Sequence[Point]) -> list[Point]:
    """Return the cubic Bezier curve down through these points, without waves between them.

    It starts and ends upright. Elsewhere it leans as its neighbours do, by the harmonic mean, and
    where it turns from left to right it is upright too (Fritsch and Butland, 1984).
    """
    leans = [(x2 - x1) / (y2 - y1) for (x1, y1), (x2, y2) in pairwise(points)]
    at = [0.0]
    at += [2 * a * b / (a + b) if a * b > 0 else 0.0 for a, b in pairwise(leans)]
    at += [0.0]
    curve = [points[0]]
    for place, ((x1, y1), (x2, y2)) in enumerate(pairwise(points)):
        third = (y2 - y1) / (3 if 0 < place < len(leans) - 1 else 2)
        curve += [
            (x1 + at[place] * third, y1 + third),
            (x2 - at[place + 1] * third, y2 - third),
            (x2, y2),
        ]
    return curve


def _draw_nodes(axes: "Axes", shape: _Shape, font: float) -> None:
    from matplotlib.patches import Ellipse, Patch, Polygon, Rectangle  # noqa: PLC0415

    for node in shape.nodes:
        (x, y), colours = node.middle, node.look.paper
        patch: Patch
        if node.look.shape is Shape.BOX:
            corner = (x - node.width / 2, y - node.height / 2)
            patch = Rectangle(corner, node.width, node.height)
        elif node.look.shape is Shape.HEXAGON:
            patch = Polygon(_hexagon(node))
        else:
            patch = Ellipse((x, y), node.width, node.height)
        thick = _THICK_OUTLINE if node.look.outline is Outline.THICK else 1.0
        patch.set(facecolor=colours.fill, edgecolor=colours.line, linewidth=thick, zorder=2)
        patch.set_linestyle("--" if node.look.outline is Outline.DOUBLE else "-")
        axes.add_patch(patch)
        axes.text(
            x,
            y,
            node.text,
            size=font,
            color=colours.text,
            ha="center",
            va="center",
            zorder=4,
            **PLAIN,
        )


def _hexagon(node: _Node) -> list[Point]:
    (x, y), side, half = node.middle, node.width / 2, node.height / 2
    flat = side - node.height * _SLANT
    upper = [(x - flat, y + half), (x + flat, y + half)]
    lower = [(x + flat, y - half), (x - flat, y - half)]
    return [(x - side, y), *upper, (x + side, y), *lower]


def _labels(network: Network | Structure) -> dict[Relation, str]:
    """Return what the relations that occur are called, which may depend on the child's states."""
    structure = network if isinstance(network, Structure) else network.structure
    sizes: dict[Relation, set[int]] = {}
    for family in structure.families:
        size = BINARY
        if not isinstance(network, Structure):
            size = network.variables[family.child].state_count
        sizes.setdefault(family.relation, set()).add(size)
    return {
        relation: " or ".join(
            dict.fromkeys(look_of(relation).label_for(size) for size in sorted(sizes[relation]))
        )
        for relation in sorted(sizes, key=lambda one: one.code)
    }


def _draw_legend(axes: "Axes", labels: Mapping[Relation, str], font: float) -> None:
    """Explain the shapes that occur."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker=_MARKERS[look.shape],
            markersize=0.8 * font,
            markerfacecolor=look.paper.fill,
            markeredgecolor=look.paper.line,
            markeredgewidth=_THICK_OUTLINE if look.outline is Outline.THICK else 1.0,
            label=label,
        )
        for look, label in ((look_of(relation), label) for relation, label in labels.items())
    ]
    axes.legend(
        handles=handles,
        loc="lower center",
        ncols=len(handles),
        fontsize=_SMALL * font,
        frameon=False,
        borderaxespad=0.0,
        handletextpad=0.3,
        columnspacing=1.5,
    )
