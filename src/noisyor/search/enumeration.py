"""The members of a credible set: how many, what they have, and the networks themselves.

The families left by the bounds fall into components (see `components`). One of them, the host, is
walked through; what the others add is a list of sums of excess (see `sums`) that the walk looks
up for each of its leaves. From how often each sum fits follows what goes through each choice of
the others, so nothing but the host and the components' own members is ever listed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.errors import SettingsError
from noisyor.search.components import Component, component_of, restrict, strong_components
from noisyor.search.duals import Cuts, Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.preparation import Problem
from noisyor.search.sums import SumChain, SumList, TooManySumsError

_MOST_SUMS = 2**20
_GRAINS = 2**10  # of the slack, where exact sums are too many
_MOST_PART_MEMBERS = 2**25  # of a component other than the host
_LIMB = 2**80  # the kernel counts in 128 bits, and no walk takes 2**47 steps
_MOST_KEPT = 2**20  # choices of a component, for picking members out of the set
_BATCH = 2**14
_BATCHES_AHEAD = 4


Choice = npt.NDArray[np.int64]
"""A family for each variable."""

Batch = tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]
"""Choices, a row each, and their ticks."""


def members_of(families: Families, duals: Duals, limit: int) -> "kernels.Members":
    """Return the kernel's view of the acyclic networks of at most so many ticks."""
    return kernels.Members(
        families.first,
        families.parents,
        families.ticks,
        duals.rc,
        duals.cuts.members,
        duals.cuts.needs,
        duals.cuts.weights,
        limit,
        duals.lower_bound,
    )


def _from_words(words: npt.NDArray[np.uint64]) -> list[int]:
    return [low + (high << 64) for low, high in words.tolist()]


def _to_words(counts: list[int]) -> npt.NDArray[np.uint64]:
    pairs = [(count & (2**64 - 1), count >> 64) for count in counts]
    return np.array(pairs, dtype=np.uint64).reshape(len(pairs), 2)


@dataclass(frozen=True, slots=True, eq=False)
class Outside:
    """What the kernel sees of the rest: sums, and ways and weight of all sums before each."""

    sums: npt.NDArray[np.int64]
    counts: list[int]
    weights: npt.NDArray[np.float64]

    @classmethod
    def of(cls, total: SumList, tick: float) -> "Outside":
        """Return the cumulated form of a list."""
        ways = [0, *np.cumsum(total.ways).tolist()]
        weights = np.concatenate(([0.0], np.cumsum(weights_of(total, tick))))
        return cls(total.sums, ways, weights)

    @classmethod
    def seen_from(
        cls,
        own: SumList,
        counts: npt.NDArray[np.object_],
        weights: npt.NDArray[np.float64],
        slack: int,
    ) -> "Outside":
        """Return what goes through each choice of a list, as the rest that fits with it.

        A choice at excess e leaves room slack - e, in which the ways counted for e fit.
        """
        return cls(
            np.ascontiguousarray((slack - own.sums)[::-1]),
            [0, *counts[::-1].tolist()],
            np.concatenate(([0.0], weights[::-1])),
        )


def weights_of(one: SumList, tick: float) -> npt.NDArray[np.float64]:
    """Return the weight of all ways to each entry: exp(-excess) each."""
    weights: npt.NDArray[np.float64] = one.ways.astype(np.float64) * np.exp(-tick * one.sums)
    return weights


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What the members have, per family: networks, share of the weight, ticks of the best.

    `count` is exact if `exact`; otherwise networks counted, and `most` bounds them if not None.
    """

    count: int
    most: int | None
    networks: list[int]
    weights: npt.NDArray[np.float64]
    best_with: npt.NDArray[np.int64]
    nodes: int
    exact: bool
    shortfalls: tuple[str, ...]


class _Part:
    """A component, walked on its own. Its choices exceed its part of the optimum by so much."""

    def __init__(self, component: Component, cuts: Cuts, problem: Problem, best: Choice) -> None:
        self.variables = component.variables
        self.families = component.families
        self.index = component.index
        self._problem = problem
        place = {int(family): here for here, family in enumerate(component.index)}
        self.optimum = int(
            sum(self.families.ticks[place[int(best[v])]] for v in component.variables)
        )
        self.handle = members_of(
            self.families, restrict(cuts, component), self.optimum + problem.slack
        )
        self.sums: SumList | None = None
        self._choices: list[Batch] | None = None

    def list_sums(self, jobs: int, cancellation: "kernels.Cancellation") -> bool:
        """Find the excesses of all choices; return whether these are all."""
        ticks, complete = self.handle.all_ticks(_MOST_PART_MEMBERS, jobs, cancellation)
        self.sums = SumList.of(ticks - self.optimum)
        return bool(complete)

    def count(self, outside: Outside, jobs: int, cancellation: "kernels.Cancellation") -> "Walk":
        """Walk through the choices, each with as many ways outside as fit with it.

        What is counted is linear in the ways, so those of more digits than the kernel has are
        counted a group of digits at a time.
        """
        walk = self._count(outside, 0, jobs, cancellation)
        for group in range(1, _groups(outside.counts[-1])):
            more = self._count(outside, group, jobs, cancellation)
            walk = walk.plus(more, _LIMB**group)
        return walk

    def _count(
        self, outside: Outside, group: int, jobs: int, cancellation: "kernels.Cancellation"
    ) -> "Walk":
        digits = [count // _LIMB**group % _LIMB for count in outside.counts]
        found = self.handle.count(
            outside.sums,
            _to_words(digits),
            outside.weights,
            self.optimum,
            self._problem.tick,
            jobs,
            cancellation,
        )
        return Walk(
            count=_from_words(found[0])[0],
            weight=found[1],
            counts=np.array(_from_words(found[2]), dtype=object),
            weights=found[3],
            least=found[4],
            histogram=np.array(_from_words(found[5]), dtype=object),
            weight_histogram=found[6],
            task_counts=found[7],
            costliest_choice=found[9],
            costliest_outside=found[10],
            nodes=found[11],
            complete=found[12],
        )

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
        """Return all choices in batches, kept for the next time unless they are many."""
        if self._choices is None:
            if self.sums is None or sum(self.sums.ways) > _MOST_KEPT:
                return _batches(self.handle, len(self.variables))
            self._choices = list(_batches(self.handle, len(self.variables)))
        return self._choices


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """What a walk through a component found, in the kernel's order."""

    count: int
    weight: float
    counts: npt.NDArray[np.object_]  # per family
    weights: npt.NDArray[np.float64]
    least: npt.NDArray[np.int64]
    histogram: npt.NDArray[np.object_]  # choices that leave room for so many sums outside
    weight_histogram: npt.NDArray[np.float64]
    task_counts: npt.NDArray[np.uint64]
    costliest_choice: npt.NDArray[np.uint32]
    costliest_outside: int
    nodes: int
    complete: bool

    def plus(self, other: "Walk", factor: int) -> "Walk":
        """Return the counts of both, those of the other so many times."""
        return replace(
            self,
            count=self.count + factor * other.count,
            counts=self.counts + factor * other.counts,
            complete=self.complete and other.complete,
        )


def _groups(count: int) -> int:
    """Return how many groups of digits a count has."""
    return max(1, -(-count.bit_length() // (_LIMB.bit_length() - 1)))


class Enumeration:
    """The members made of given families: those within the slack of the optimum."""

    def __init__(
        self, problem: Problem, families: Families, cuts: Cuts, best: Choice, jobs: int
    ) -> None:
        """Take families that hold an optimal network, `best`, and cuts to bound with."""
        self._problem = problem
        self._families = families
        self._jobs = jobs
        self.optimum = int(families.ticks[best].sum())
        self._whole = members_of(families, duals_of(families, cuts), self.optimum + problem.slack)
        self._parts = [
            _Part(component_of(families, variables), cuts, problem, best)
            for variables in strong_components(families)
        ]
        self._host = max(self._parts, key=lambda part: (len(part.variables), len(part.families)))
        self._others = [part for part in self._parts if part is not self._host]
        self._chain: SumChain | None = None
        self._walk: Walk | None = None

    def count(self, cancellation: "kernels.Cancellation") -> Tally:
        """Return how many members there are and what they have."""
        shortfalls = [
            f"a component of {len(part.variables)} variables has more than "
            f"{_MOST_PART_MEMBERS:,} members, or time was up before all were found"
            for part in self._others
            if not part.list_sums(self._jobs, cancellation)
        ]
        lists = [part.sums for part in self._others if part.sums is not None]
        try:
            self._chain = SumChain(lists, self._problem.slack, _MOST_SUMS)
        except TooManySumsError:
            return self._count_rounded(lists, cancellation, shortfalls)
        return self._tally(self._chain, cancellation, shortfalls)

    def _tally(
        self, chain: SumChain, cancellation: "kernels.Cancellation", shortfalls: list[str]
    ) -> Tally:
        tick, slack = self._problem.tick, self._problem.slack
        walk = self._host.count(Outside.of(chain.total, tick), self._jobs, cancellation)
        self._walk = walk
        networks = np.zeros(len(self._families), dtype=object)
        weights = np.zeros(len(self._families))
        best_with = np.full(len(self._families), kernels.NO_MEMBER)
        self._enter(self._host, walk, networks, weights, best_with)
        # What goes through one way to a sum: all choices of the host that leave room for it.
        through = np.cumsum(walk.histogram[::-1])[::-1][1:]
        weight_through = np.cumsum(walk.weight_histogram[::-1])[::-1][1:]
        counts = chain.share(through, lambda one: one.ways)
        shares = chain.share(weight_through, lambda one: weights_of(one, tick))
        nodes, complete = walk.nodes, walk.complete
        for part, one, count, share in zip(self._others, chain.lists, counts, shares, strict=True):
            seen = part.count(Outside.seen_from(one, count, share, slack), self._jobs, cancellation)
            self._enter(part, seen, networks, weights, best_with)
            nodes += seen.nodes
            complete = complete and seen.complete
        if not complete:
            shortfalls.append("the time was up before all members were counted")
        return Tally(
            count=walk.count,
            most=None,
            networks=networks.tolist(),
            weights=weights / walk.weight if walk.count else weights,
            best_with=best_with,
            nodes=nodes,
            exact=not shortfalls,
            shortfalls=tuple(shortfalls),
        )

    def _enter(
        self,
        part: _Part,
        walk: Walk,
        networks: npt.NDArray[np.object_],
        weights: npt.NDArray[np.float64],
        best_with: npt.NDArray[np.int64],
    ) -> None:
        """Put what a walk found about the families of a part in their places."""
        networks[part.index] = walk.counts
        weights[part.index] = walk.weights
        found = walk.least != kernels.NO_MEMBER
        best_with[part.index[found]] = walk.least[found] + (self.optimum - part.optimum)

    def _count_rounded(
        self, lists: list[SumList], cancellation: "kernels.Cancellation", shortfalls: list[str]
    ) -> Tally:
        """Return bounds on the count: with sums rounded up too few fit, rounded down too many."""
        grain = max(1, self._problem.slack // _GRAINS)
        tallies = [
            self._tally(
                SumChain(
                    [one.rounded(grain, up=up) for one in lists], self._problem.slack, _MOST_SUMS
                ),
                cancellation,
                list(shortfalls),
            )
            for up in (False, True)
        ]
        many, few = tallies
        return replace(
            few,
            most=many.count if many.exact else None,
            nodes=many.nodes + few.nodes,
            exact=False,
            shortfalls=(
                *few.shortfalls,
                (
                    "the independent parts have too many sums of excess to add up exactly: sums "
                    f"are rounded to {grain * self._problem.tick:.2g} nats, up for the count and "
                    "down for the most there can be; fractions and weights are of rounded sums"
                ),
            ),
        )

    def stream(self) -> Iterator[Batch]:
        """Yield batches of all members, each once: families and ticks."""
        return _batches(self._whole, self._families.variable_count)

    def best(self, most: int) -> Batch:
        """Return the members of least ticks, in their order."""
        one_thread = 1  # so that of equal members always the same ones are returned
        families, ticks, _, _ = self._whole.best(most, one_thread, kernels.Cancellation())
        return families, ticks

    def costliest(self) -> npt.NDArray[np.uint32]:
        """Return the families of a member of most ticks."""
        walk, chain = self._counted()
        return self._assemble(walk.costliest_choice, chain.choices_at(walk.costliest_outside, 0))

    def at_ranks(self, ranks: list[int]) -> Iterator[npt.NDArray[np.uint32]]:
        """Yield the families of the members of these ranks, ascending, in a fixed order of all."""
        walk, chain = self._counted()
        if _groups(sum(chain.total.ways)) > 1:
            raise SettingsError(f"members cannot be picked out of {walk.count:.3g} of them")
        outside = Outside.of(chain.total, self._problem.tick)
        choices, rests = self._host.handle.at_ranks(
            _to_words(ranks),
            outside.sums,
            _to_words(outside.counts),
            outside.weights,
            walk.task_counts,
            self._jobs,
        )
        for choice, rest in zip(choices, _from_words(rests), strict=True):
            place = bisect_right(outside.counts, rest) - 1
            yield self._assemble(choice, chain.choices_at(place, rest - outside.counts[place]))

    def _counted(self) -> tuple[Walk, SumChain]:
        if self._walk is None or self._chain is None or not self._walk.complete:
            raise SettingsError(
                "the members were not counted exactly, so none can be picked by its rank"
            )
        return self._walk, self._chain

    def _assemble(
        self, host_choice: npt.NDArray[np.uint32], choices: list[tuple[int, int]]
    ) -> npt.NDArray[np.uint32]:
        """Return the families of a member, given the choice of the host and those of the others."""
        families = np.zeros(self._families.variable_count, dtype=np.uint32)
        families[list(self._host.variables)] = self._host.index[host_choice]
        for part, (entry, way) in zip(self._others, choices, strict=True):
            families[list(part.variables)] = part.index[part.choice_at(entry, way)]
        return families


def _batches(handle: "kernels.Members", variables: int) -> Iterator[Batch]:
    stream = handle.stream(_BATCH, _BATCHES_AHEAD)
    try:
        while True:
            families, ticks = stream.next(variables)
            if not len(ticks):
                return
            yield families, ticks
    finally:
        stream.close()
