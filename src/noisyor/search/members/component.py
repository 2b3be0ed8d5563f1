"""The enumeration of one component, and the sums of the other components that it needs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.cut_system import Proof
from noisyor.search.components import Component, restrict
from noisyor.search.members.counting import Hands, WalkToCount, count_subtrees, members_of
from noisyor.search.members.sums import SumList
from noisyor.search.preparation import Problem

if TYPE_CHECKING:
    from noisyor._kernels import kernels

MOST_PART_MEMBERS = 2**25  # of a component other than the host
_LIMB = 2**80  # the kernel counts in 128 bits, and no walk takes 2**47 steps
_MOST_KEPT = 2**20  # choices of a component that are cached for picking members
_BATCH = 2**14
_BATCHES_AHEAD = 4

Choice = npt.NDArray[np.int64]
"""A family for each variable."""

Batch = tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]
"""Choices, a row each, and their ticks."""


def counts_from_words(words: npt.NDArray[np.uint64]) -> list[int]:
    """Return the kernel's counts, of two words each, as integers."""
    return [low + (high << 64) for low, high in words.tolist()]


def words_of_counts(counts: list[int]) -> npt.NDArray[np.uint64]:
    """Return counts as pairs of a low and a high word, as the kernel takes them."""
    pairs = [(count & (2**64 - 1), count >> 64) for count in counts]
    return np.array(pairs, dtype=np.uint64).reshape(len(pairs), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """The other components as the kernel takes them: sums, and cumulated ways and weights.

    Entry i of `counts` and `weights` belongs to all sums before the i-th.
    """

    sums: npt.NDArray[np.int64]
    counts: list[int]
    weights: npt.NDArray[np.float64]

    @classmethod
    def of(cls, total: SumList, decay: float) -> "Outside":
        """Return the cumulated form of a list."""
        ways = [0, *np.cumsum(total.ways).tolist()]
        weights = np.concatenate(([0.0], np.cumsum(weights_of(total, decay))))
        return cls(total.sums, ways, weights)

    @classmethod
    def seen_from(
        cls,
        own: SumList,
        counts: npt.NDArray[np.object_],
        weights: npt.NDArray[np.float64],
        slack: int,
    ) -> "Outside":
        """Return the combinations with each choice of a list, as what fits outside of it.

        A choice at excess e leaves room slack - e, in which the ways counted for e fit.
        """
        return cls(
            np.ascontiguousarray((slack - own.sums)[::-1]),
            [0, *counts[::-1].tolist()],
            np.concatenate(([0.0], weights[::-1])),
        )


def weights_of(one: SumList, decay: float) -> npt.NDArray[np.float64]:
    """Return the weight of all ways to each entry: exp(-decay x excess in ticks) each."""
    weights: npt.NDArray[np.float64] = one.ways.astype(np.float64) * np.exp(-decay * one.sums)
    return weights


class Part:
    """A component that is enumerated on its own; excesses are over its part of the optimum."""

    def __init__(self, component: Component, proof: Proof, problem: Problem, best: Choice) -> None:
        self.variables = component.variables
        self.families = component.families
        self.index = component.index
        self._problem = problem
        place = {int(family): here for here, family in enumerate(component.index)}
        self.optimum = int(
            sum(self.families.ticks[place[int(best[v])]] for v in component.variables)
        )
        self._duals = restrict(proof, component)
        self._limit = self.optimum + problem.slack
        self.handle = members_of(self.families, self._duals, self._limit)
        self.sums: SumList | None = None
        self._choices: list[Batch] | None = None

    def list_sums(self, jobs: int, cancellation: "kernels.Cancellation") -> bool:
        """Find the excesses of all choices; return whether the list is complete."""
        found = self.handle.all_ticks(MOST_PART_MEMBERS, jobs, cancellation)
        ticks = found.ticks
        if not found.complete:  # at least its part of the best network is known
            ticks = np.union1d(ticks, [self.optimum])
        self.sums = SumList.of(ticks - self.optimum)
        return found.complete

    def count(self, outside: Outside, hands: Hands) -> "Walk":
        """Enumerate the choices, each counted with the number of ways outside that fit with it.

        The counts are linear in the ways, so ways that exceed the kernel's integers are counted one
        group of digits at a time.
        """
        walk = self._count(outside, 0, hands)
        for group in range(1, groups_of_digits(outside.counts[-1])):
            walk = walk.plus(self._count(outside, group, hands), _LIMB**group)
        return walk

    def _count(self, outside: Outside, group: int, hands: Hands) -> "Walk":
        digits = [count // _LIMB**group % _LIMB for count in outside.counts]
        to_count = WalkToCount(
            self.families,
            self._duals,
            self._limit,
            self.optimum,
            self._problem.decay,
            outside.sums,
            words_of_counts(digits),
            outside.weights,
        )
        counted, lacking = count_subtrees(to_count, self.handle, hands)
        return Walk.of(counted, self.handle.subtrees, lacking)

    def choice_at(self, entry: int, way: int) -> npt.NDArray[np.uint32]:
        """Return one of the choices at an entry of the list of sums."""
        if self.sums is None:
            raise RuntimeError("the sums of a component must be listed before looking them up")
        wanted = self.optimum + int(self.sums.sums[entry])
        for families, ticks in self._all_choices():
            found = np.flatnonzero(ticks == wanted)
            if way < len(found):
                choice: npt.NDArray[np.uint32] = families[found[way]]
                return choice
            way -= len(found)
        raise IndexError(f"there are fewer choices of {wanted} ticks")

    def _all_choices(self) -> Iterable[Batch]:
        """Return all choices in batches, cached for the next call unless there are many."""
        if self._choices is None:
            if self.sums is None or sum(self.sums.ways) > _MOST_KEPT:
                return batches(self.handle, len(self.variables))
            self._choices = list(batches(self.handle, len(self.variables)))
        return self._choices


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The result of enumerating a component, in the kernel's order."""

    count: int
    weight: float
    counts: npt.NDArray[np.object_]  # per family
    weights: npt.NDArray[np.float64]
    has_member: npt.NDArray[np.bool_]
    least: npt.NDArray[np.int64]  # ticks, where a member has the family
    histogram: npt.NDArray[np.object_]  # choices by the number of outside sums that fit
    weight_histogram: npt.NDArray[np.float64]
    marks: "kernels.MemberMarks"
    costliest_choice: npt.NDArray[np.uint32]
    costliest_outside: int
    nodes: int
    lacking: tuple[str, ...]  # the reasons why not all choices were counted

    @classmethod
    def of(
        cls, counted: "kernels.CountedSubtrees", subtrees: int, lacking: tuple[str, ...]
    ) -> "Walk":
        """Return the sum over the counted subtrees; all `subtrees` must be there if not lacking."""
        if counted.complete(subtrees) != (not lacking):
            raise RuntimeError("subtrees of a walk went missing, or came twice, without a reason")
        found = counted.add_up()
        return cls(
            count=counts_from_words(found.total)[0],
            weight=found.weight,
            counts=np.array(counts_from_words(found.counts), dtype=object),
            weights=found.weights,
            has_member=found.has_member,
            least=found.least,
            histogram=np.array(counts_from_words(found.histogram), dtype=object),
            weight_histogram=found.weight_histogram,
            marks=found.marks,
            costliest_choice=found.costliest_choice,
            costliest_outside=found.costliest_outside,
            nodes=found.nodes,
            lacking=lacking,
        )

    def plus(self, other: "Walk", factor: int) -> "Walk":
        """Return these counts plus `factor` times those of the other."""
        return replace(
            self,
            count=self.count + factor * other.count,
            counts=self.counts + factor * other.counts,
            lacking=(*self.lacking, *other.lacking),
        )


def groups_of_digits(count: int) -> int:
    """Return how many groups of digits a count has."""
    return max(1, -(-count.bit_length() // (_LIMB.bit_length() - 1)))


def batches(handle: "kernels.Members | kernels.OrderDiagram", variables: int) -> Iterator[Batch]:
    """Yield all members in batches; the thread that produces them ends with the generator."""
    stream = handle.stream(_BATCH, _BATCHES_AHEAD)
    try:
        while True:
            families, ticks = stream.next(variables)
            if not len(ticks):
                return
            yield families, ticks
    finally:
        stream.close()
