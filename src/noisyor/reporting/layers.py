"""The layer of each node of a picture."""

from collections.abc import Iterable, Mapping, Sequence

Arc = tuple[int, int]
"""A parent and its child, by number."""

HALF = 0.5
"""The smallest share of the weight at which an arc affects the layers."""


def backbone_of(count: int, best: Iterable[Arc], weights: Mapping[Arc, float]) -> list[Arc]:
    """Return arcs without a cycle: the best network's, and the heavy ones that close none."""
    chosen = list(best)
    known = set(chosen)
    children: list[list[int]] = [[] for _ in range(count)]
    for parent, child in chosen:
        children[parent].append(child)
    heavy = sorted((arc for arc in weights if weights[arc] >= HALF), key=lambda arc: -weights[arc])
    for parent, child in heavy:
        if (parent, child) not in known and not _leads(children, child, parent):
            chosen.append((parent, child))
            children[parent].append(child)
    return chosen


def _leads(children: Sequence[Sequence[int]], start: int, end: int) -> bool:
    """Return whether a directed path leads from one node to another, or they are the same."""
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        new = [child for child in children[node] if child not in seen]
        seen.update(new)
        waiting += new
    return False


def parts_of(count: int, arcs: Sequence[Arc]) -> list[list[int]]:
    """Return the connected parts, the largest first, each as its nodes ascending."""
    joined: list[list[int]] = [[] for _ in range(count)]
    for parent, child in arcs:
        joined[parent].append(child)
        joined[child].append(parent)
    parts: list[list[int]] = []
    seen: set[int] = set()
    for node in range(count):
        if node in seen:
            continue
        part = [node]
        seen.add(node)
        for one in part:  # grows
            new = sorted({other for other in joined[one] if other not in seen})
            seen.update(new)
            part += new
        parts.append(sorted(part))
    return sorted(parts, key=lambda part: (-len(part), part))


def layers_of(nodes: Sequence[int], arcs: Sequence[Arc]) -> dict[int, int]:
    """Return a layer for each node, counted from the top: below all its parents, and near them.

    Each node is as high as possible, except that one with more children than parents is as low as
    possible. So the arcs to its children are short, and the top layer does not hold every node
    without parents.
    """
    parents, children = relatives_of(nodes, arcs)
    order = downward(nodes, arcs)
    layer: dict[int, int] = {}
    for node in order:
        layer[node] = 1 + max((layer[parent] for parent in parents[node]), default=-1)
    for node in reversed(order):
        if len(children[node]) > len(parents[node]):
            layer[node] = min(layer[child] for child in children[node]) - 1
    top = min(layer.values())
    return {node: at - top for node, at in layer.items()}


def tiered_layers_of(
    nodes: Sequence[int], arcs: Sequence[Arc], tiers: Sequence[int]
) -> dict[int, int]:
    """Return a layer for each node: each tier has its own, below those of the tiers before it.

    No arc may lead to an earlier tier.
    """
    layer: dict[int, int] = {}
    top = 0
    for tier in sorted({tiers[node] for node in nodes}):
        own = [node for node in nodes if tiers[node] == tier]
        within = [arc for arc in arcs if tiers[arc[0]] == tiers[arc[1]] == tier]
        below = layers_of(own, within)
        layer |= {node: top + at for node, at in below.items()}
        top += 1 + max(below.values())
    return layer


def relatives_of(
    nodes: Iterable[int], arcs: Iterable[Arc]
) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Return the parents and the children of each node."""
    parents: dict[int, list[int]] = {node: [] for node in nodes}
    children: dict[int, list[int]] = {node: [] for node in parents}
    for parent, child in arcs:
        parents[child].append(parent)
        children[parent].append(child)
    return parents, children


def downward(nodes: Iterable[int], arcs: Sequence[Arc]) -> list[int]:
    """Return the nodes in an order in which all parents come before their children."""
    parents, children = relatives_of(nodes, arcs)
    missing = {node: len(above) for node, above in parents.items()}
    order = [node for node, count in missing.items() if not count]
    for node in order:  # grows
        for child in children[node]:
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return order
