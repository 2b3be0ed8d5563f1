"""Splits: statements about the parents of a child, which some networks meet and others do not.

Every network meets a statement or does not, so the two sides of a split partition the networks of a
branch. If a set of parents meets the statement, every larger set does.

- An edge: whether a child has a certain parent.
- A count: whether a child has more than a certain number of parents. Where clusters leave a gap, a
  fractional solution is often partly one network in which a variable has many parents, and partly
  another in which it has none. Without a parent, others take its place, so that deciding on one
  edge changes little. Deciding on the number rules out all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import Words
from noisyor.search.bounds.linear_program import contains
from noisyor.search.bounds.separation import Point
from noisyor.search.proof.branch import Branch, Mask, count_parents

Children = npt.NDArray[np.int32]
"""The child of each family."""


class Split(Protocol):
    """A statement that splits the networks of a branch; equal ones have the same hash."""

    def without(self, children: Children, parents: Words) -> Mask:
        """Return which families only networks that meet the statement can have."""

    def having(self, children: Children, parents: Words) -> Mask:
        """Return which families no network that meets the statement can have."""

    def sides(self, branch: Branch) -> tuple[Branch, Branch]:
        """Return the networks that do not meet the statement, and those that do."""


@dataclass(frozen=True, slots=True)
class EdgeSplit:
    """Whether the network has an edge."""

    parent: int
    child: int

    def without(self, children: Children, parents: Words) -> Mask:
        """Return which families have the edge."""
        return np.asarray((children == self.child) & contains(parents, self.parent))

    def having(self, children: Children, parents: Words) -> Mask:
        """Return which families lack the edge, or have the edge back."""
        lacks = (children == self.child) & ~contains(parents, self.parent)
        back = (children == self.parent) & contains(parents, self.child)
        return np.asarray(lacks | back)

    def sides(self, branch: Branch) -> tuple[Branch, Branch]:
        """Return the networks without the edge, and those with it."""
        return branch.without_edge(self.parent, self.child), branch.with_edge(
            self.parent, self.child
        )


@dataclass(frozen=True, slots=True)
class CountSplit:
    """Whether a child has more than `most` parents."""

    child: int
    most: int

    def without(self, children: Children, parents: Words) -> Mask:
        """Return which families have more parents."""
        return np.asarray((children == self.child) & (count_parents(parents) > self.most))

    def having(self, children: Children, parents: Words) -> Mask:
        """Return which families do not have more parents."""
        return np.asarray((children == self.child) & (count_parents(parents) <= self.most))

    def sides(self, branch: Branch) -> tuple[Branch, Branch]:
        """Return the networks in which the child has at most so many parents, and the others."""
        return branch.with_parents(self.child, most=self.most), branch.with_parents(
            self.child, least=self.most + 1
        )


def edge_splits(point: Point) -> dict[Split, float]:
    """Return the value of each edge in a fractional solution, if it is positive."""
    values = point.edge_values()
    return {
        EdgeSplit(parent, child): float(values[parent, child])
        for parent, child in np.argwhere(values > 0).tolist()
    }


def count_splits(point: Point) -> dict[Split, float]:
    """Return the value of having more than k parents in a fractional solution, for each k."""
    counts = count_parents(point.parents)
    found: dict[Split, float] = {}
    for child in range(point.variable_count):
        own = point.children == child
        for most in np.unique(counts[own])[:-1].tolist():
            found[CountSplit(child, most)] = float(point.values[own & (counts > most)].sum())
    return found


KINDS: Sequence[Callable[[Point], dict[Split, float]]] = (edge_splits, count_splits)
"""What can be split on: the values of all splits of a kind in a fractional solution."""
