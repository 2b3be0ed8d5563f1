"""The places of nodes of different widths in a layered picture of one network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from noisyor.core import Structure
from noisyor.reporting.columns import columns_of
from noisyor.reporting.layers import Arc, layers_of, parts_of


@dataclass(frozen=True, slots=True)
class Stop:
    """A middle, from the left, and a layer, from the top."""

    x: float
    layer: int

    def moved(self, right: float, down: int) -> "Stop":
        """Return the stop shifted by `right` and `down`."""
        return Stop(self.x + right, self.layer + down)


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes, by number, and where arcs pass layers between their parent's and their child's.

    `width` is the width of the whole picture, from 0.
    """

    nodes: tuple[Stop, ...]
    passes: Mapping[Arc, tuple[Stop, ...]]
    width: float


def places_of(structure: Structure, widths: Sequence[float], gap: float, lane: float) -> Places:
    """Return places for nodes of these widths, `gap` apart; a passing arc is `lane` wide.

    Connected parts are put side by side, the largest first, and nodes without arcs where there is
    the most room.
    """
    arcs = [(p, family.child) for family in structure.families for p in family.parent_indices()]
    nodes: dict[int, Stop] = {}
    passes: dict[Arc, tuple[Stop, ...]] = {}
    ends: list[float] = []  # of the layers so far
    for part in parts_of(len(widths), arcs):
        within = [arc for arc in arcs if arc[0] in part]
        if within:
            own, crossed = _part_places(part, within, widths, gap, lane)
            depth, top = 1 + max(stop.layer for stop in own.values()), 0
        else:
            own, crossed = {part[0]: Stop(widths[part[0]] / 2, 0)}, {}
            depth, top = 1, ends.index(min(ends)) if ends else 0
        ends += [0.0] * (depth - len(ends))
        start = max(ends[top : top + depth])
        left = start + gap if start else 0.0
        nodes |= {node: stop.moved(left, top) for node, stop in own.items()}
        passes |= {
            arc: tuple(stop.moved(left, top) for stop in stops) for arc, stops in crossed.items()
        }
        for node in own:
            ends[nodes[node].layer] = max(ends[nodes[node].layer], nodes[node].x + widths[node] / 2)
        for stop in (stop for arc in crossed for stop in passes[arc]):
            ends[stop.layer] = max(ends[stop.layer], stop.x + lane / 2)
    return Places(tuple(nodes[node] for node in range(len(widths))), passes, max(ends))


def _part_places(
    part: Sequence[int], arcs: Sequence[Arc], widths: Sequence[float], gap: float, lane: float
) -> tuple[dict[int, Stop], dict[Arc, tuple[Stop, ...]]]:
    """Return places of connected nodes, and of their arcs, from 0 to the right."""
    layer = layers_of(part, arcs)
    number = {node: at for at, node in enumerate(part)}
    levels = [layer[node] for node in part]
    halves = [widths[node] / 2 for node in part]
    steps: list[Arc] = []
    passing: dict[Arc, range] = {}
    for parent, child in arcs:
        between = range(layer[parent] + 1, layer[child])
        passing[parent, child] = range(len(levels), len(levels) + len(between))
        steps += pairwise([number[parent], *passing[parent, child], number[child]])
        levels += between
        halves += [lane / 2] * len(between)
    xs = columns_of(levels, steps, halves, [gap / 2] * len(levels))
    return (
        {node: Stop(xs[at], levels[at]) for node, at in number.items()},
        {arc: tuple(Stop(xs[at], levels[at]) for at in own) for arc, own in passing.items()},
    )
