"""The layer of each node of a picture."""

from collections.abc import Iterable, Mapping, Sequence

from noisyor.core.constraints import find_cycle

Arc = tuple[int, int]
"""A parent and its child, by number."""

HALF = 0.5
"""The smallest share of the weight at which an arc affects the layers."""


def backbone_of(count: int, best: Iterable[Arc], weights: Mapping[Arc, float]) -> list[Arc]:
    """Return arcs without a cycle: the best network's, and the heavy ones that close none."""
    chosen = list(best)
    parents = [0] * count
    for parent, child in chosen:
        parents[child] |= 1 << parent
    heavy = sorted((arc for arc in weights if weights[arc] >= HALF), key=lambda arc: -weights[arc])
    for parent, child in heavy:
        if parents[child] >> parent & 1:
            continue
        parents[child] |= 1 << parent
        if find_cycle(parents):
            parents[child] ^= 1 << parent
        else:
            chosen.append((parent, child))
    return chosen


def parts_of(count: int, arcs: Sequence[Arc]) -> list[list[int]]:
    """Return the connected parts, the largest first, each as its nodes ascending."""
    label = list(range(count))
    for parent, child in arcs:
        old, new = label[child], label[parent]
        label = [new if one == old else one for one in label]
    parts: dict[int, list[int]] = {}
    for node, one in enumerate(label):
        parts.setdefault(one, []).append(node)
    return sorted(parts.values(), key=lambda part: (-len(part), part))


def layers_of(nodes: Sequence[int], arcs: Sequence[Arc]) -> dict[int, int]:
    """Return a layer for each node, counted from the top: below all its parents, and near them.

    Each node is as high as possible, except that one with more children than parents is as low as
    possible. So the arcs to its children are short, and the top layer does not hold every node
    without parents.
    """
    parents: dict[int, list[int]] = {node: [] for node in nodes}
    children: dict[int, list[int]] = {node: [] for node in nodes}
    for parent, child in arcs:
        parents[child].append(parent)
        children[parent].append(child)
    layer: dict[int, int] = {}
    order: list[int] = []
    while len(order) < len(parents):
        ready = next(v for v in parents if v not in layer and all(p in layer for p in parents[v]))
        layer[ready] = 1 + max((layer[parent] for parent in parents[ready]), default=-1)
        order.append(ready)
    for node in reversed(order):
        if len(children[node]) > len(parents[node]):
            layer[node] = min(layer[child] for child in children[node]) - 1
    top = min(layer.values())
    return {node: at - top for node, at in layer.items()}
