"""A directed acyclic graph with a relation at each node."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from noisyor.core.constraints import find_cycle
from noisyor.core.errors import DataError
from noisyor.core.family import Family
from noisyor.core.listing import expected_names
from noisyor.core.variable_sets import set_of


@dataclass(frozen=True, slots=True)
class Structure:
    """A directed acyclic graph with a relation at each node.

    Parameters
    ----------
    names
        The names of the variables.
    families
        One family per variable, in the order of the variables, without a directed cycle.
    """

    names: tuple[str, ...]
    families: tuple[Family, ...]

    def __post_init__(self) -> None:
        """Refuse anything that is not a directed acyclic graph over these variables."""
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "families", tuple(self.families))
        if [family.child for family in self.families] != list(range(len(self.names))):
            raise ValueError("a structure has one family per variable, in the variables' order")
        if any(family.parents >> len(self.names) for family in self.families):
            raise ValueError("a family has a parent that is not a variable")
        cycle = find_cycle([family.parents for family in self.families])
        if cycle:
            path = " -> ".join(self.names[v] for v in (*cycle, cycle[0]))
            raise DataError(f"the edges form a directed cycle: {path}")

    @classmethod
    def from_edges(cls, names: Sequence[str], edges: Sequence[tuple[str, str]]) -> "Structure":
        """Return a graph in which every node is a full table.

        Parameters
        ----------
        names
            The names of the variables.
        edges
            The edges, (parent, child), by name.

        Raises
        ------
        DataError
            An edge names an unknown variable, or the edges form a cycle.

        Examples
        --------
        >>> list(Structure.from_edges(["rain", "wet"], [("rain", "wet")]).edges())
        [('rain', 'wet')]
        """
        number = {name: index for index, name in enumerate(names)}
        parents: list[list[int]] = [[] for _ in names]
        for edge in edges:
            for name in edge:
                if name not in number:
                    raise DataError(
                        f"the edge {edge[0]!r} -> {edge[1]!r} names {name!r}, which is not a "
                        f"variable; {expected_names(name, names, 'the graph')}"
                    )
            if edge[0] == edge[1]:
                raise DataError(f"an edge leads from {edge[0]!r} to itself")
            parents[number[edge[1]]].append(number[edge[0]])
        return cls(
            tuple(names), tuple(Family(child, set_of(above)) for child, above in enumerate(parents))
        )

    def edges(self) -> Iterator[tuple[str, str]]:
        """Yield the (parent, child) pairs by name."""
        for family in self.families:
            for parent in family.parent_indices():
                yield self.names[parent], self.names[family.child]

    def topological_order(self) -> tuple[int, ...]:
        """Return the variables with parents before children, ties by the lowest number."""
        children: list[list[int]] = [[] for _ in self.names]
        missing = [family.parent_count for family in self.families]
        for family in self.families:
            for parent in family.parent_indices():
                children[parent].append(family.child)
        ready = [v for v, count in enumerate(missing) if not count]  # ascending, and so a heap
        order: list[int] = []
        while ready:
            order.append(heappop(ready))
            for child in children[order[-1]]:
                missing[child] -= 1
                if not missing[child]:
                    heappush(ready, child)
        return tuple(order)
