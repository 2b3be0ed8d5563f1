"""The best network in which every node has at most one parent, and the cuts that prove it.

Such networks are branchings, and clusters of need 1 describe them exactly: some weights on them
have the optimum as their lower bound. The algorithm of Chu and Liu (1965) and Edmonds (1967) finds
both. A family without a parent is an edge from an extra root. Each node, or set of nodes found to
be on a cycle, pays for its cheapest way in; where the ways chosen close a cycle, its nodes become
one set. What a set of several nodes pays is the weight of the cluster that it is. The sets that
paid last choose their ways first; a set that such a way leads into needs none of its own.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import from_words, to_words
from noisyor.search.bounds.duals import Clusters, Cuts
from noisyor.search.families import Families

_NO_WAY = np.int64(2**62)  # ticks, of families that do not exist


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Weighted clusters that prove an optimum, and an order in which a network has its ticks.

    The order says nothing if the families make no network.
    """

    cuts: Cuts
    order: npt.NDArray[np.int32]


def are_trees(families: Families) -> bool:
    """Return whether no family has more than one parent."""
    return int(np.bitwise_count(families.parents).sum(axis=1).max(initial=0)) <= 1


def best_tree(families: Families) -> Tree:
    """Return what is best and proven over the families with at most one parent."""
    root = families.variable_count
    ways = _Ways(families)
    entries = ways.entries()
    paid = [one for one in entries if one.price and one.members.bit_count() > 1]
    clusters = Clusters.plain(
        to_words([one.members for one in paid], families.parents.shape[1]),
        np.ones(len(paid), dtype=np.int32),
    )
    cuts = Cuts(clusters, np.array([one.price for one in paid], dtype=np.int64))
    return Tree(cuts, _order(_parents(entries, root), root))


@dataclass(frozen=True, slots=True)
class _Entry:
    """The price that a set of nodes paid, and the edge that is its cheapest way in."""

    members: int
    price: int
    parent: int
    child: int


class _Ways:
    """Sets of nodes, each under the number of one of them, and the cheapest ways between them.

    All arrays are by source and target; a way between sets stands for an edge between two nodes.
    """

    def __init__(self, families: Families) -> None:
        root = families.variable_count
        single = np.bitwise_count(families.parents).sum(axis=1) <= 1
        parents = from_words(families.parents[single])
        sources = np.array([own.bit_length() - 1 if own else root for own in parents], np.int64)
        self._ticks = np.full((root + 1, root + 1), _NO_WAY)
        np.minimum.at(self._ticks, (sources, families.children()[single]), families.ticks[single])
        self._parents, self._children = np.indices(self._ticks.shape)
        self._members = [1 << node for node in range(root + 1)]

    def entries(self) -> list[_Entry]:
        """Return what the sets paid, in this order, until all can be reached from the root."""
        found: list[_Entry] = []
        root = len(self._members) - 1
        settled = np.zeros(root + 1, dtype=np.bool_)
        settled[root] = True
        for node in range(root):
            path = [] if settled[node] else [node]
            while path:
                source = self._enter(path[-1], found)
                if source is None or settled[source]:
                    settled[path] = True
                    break
                if source not in path:
                    path.append(source)
                    continue
                start = path.index(source)
                settled[path[start + 1 :]] = True  # they go on as members of the source's set
                self._join(np.array(path[start:]))
                del path[start + 1 :]
        return found

    def _enter(self, node: int, found: list[_Entry]) -> int | None:
        """Let a set pay for its cheapest way in; return where that comes from, None if none."""
        ticks = self._ticks[:, node]
        source = int(np.argmin(ticks))
        price = int(ticks[source])
        if price >= _NO_WAY:
            return None
        ticks[ticks < _NO_WAY] -= price
        edge = int(self._parents[source, node]), int(self._children[source, node])
        found.append(_Entry(self._members[node], price, *edge))
        return source

    def _join(self, cycle: npt.NDArray[np.int64]) -> None:
        """Make one set of the nodes of a cycle, under the number of the first."""
        first, everything = cycle[0], np.arange(len(self._ticks))
        target = cycle[self._ticks[:, cycle].argmin(axis=1)]
        for own in (self._ticks, self._parents, self._children):
            own[:, first] = own[everything, target]
        source = cycle[self._ticks[cycle].argmin(axis=0)]
        for own in (self._ticks, self._parents, self._children):
            own[first] = own[source, everything]
        self._ticks[cycle, first] = _NO_WAY
        self._ticks[cycle[1:]] = _NO_WAY
        for other in cycle[1:].tolist():
            self._members[first] |= self._members[other]


def _parents(entries: list[_Entry], root: int) -> dict[int, int]:
    """Return the parent of each node that has one in the best network."""
    parents: dict[int, int] = {}
    entered = 0
    for one in reversed(entries):
        if not one.members & entered:
            parents[one.child] = one.parent
            entered |= 1 << one.child
    return {child: parent for child, parent in parents.items() if parent != root}


def _order(parents: dict[int, int], nodes: int) -> npt.NDArray[np.int32]:
    """Return the nodes, each after its parent if the parents make a network."""
    depth = np.zeros(nodes, dtype=np.int64)
    for node in range(nodes):
        at = node
        while at in parents and depth[node] < nodes:
            at = parents[at]
            depth[node] += 1
    return np.argsort(depth, kind="stable").astype(np.int32)
