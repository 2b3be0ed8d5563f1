"""Enumerates the members of a credible set: their number, their families, the networks themselves.

The families that survive the bounds fall into components (see `components`). One of them, the host,
is enumerated. The others contribute a list of sums of excess (see `sums`), which is looked up at
each leaf of the enumeration. The number of times that each sum fits determines how many networks
have each choice of the other components. So only the host's choices and those of each component on
its own are ever listed.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.errors import SettingsError, UncountedError
from noisyor.search.bounds.cut_system import Proof
from noisyor.search.components import component_of, strong_components
from noisyor.search.families import Families
from noisyor.search.members.best_with import BestWith
from noisyor.search.members.component import (
    MOST_PART_MEMBERS,
    Batch,
    Choice,
    Outside,
    Part,
    Walk,
    batches,
    counts_from_words,
    groups_of_digits,
    weights_of,
    words_of_counts,
)
from noisyor.search.members.counting import Hands, members_of
from noisyor.search.members.drawing import below, ranks_below
from noisyor.search.members.sums import SumChain, SumList, TooManySumsError
from noisyor.search.preparation import Problem

_MOST_SUMS = 2**20
_GRAINS = 2**10  # of the slack, where exact sums are too many


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts of the members, and per family: networks, share of the weight, ticks of the best.

    `count` is the number of members if `exact`; otherwise that of the members counted, and `most`
    is an upper bound, if known. `weight` is that of all members, relative to the best one.
    """

    count: int
    most: int | None
    networks: list[int]
    weights: npt.NDArray[np.float64]
    weight: float
    best_with: BestWith
    nodes: int
    exact: bool
    shortfalls: tuple[str, ...]


class Enumeration:
    """The members within the slack of the optimum that consist of given families."""

    def __init__(
        self, problem: Problem, families: Families, proof: Proof, best: Choice, hands: Hands
    ) -> None:
        """Take families that contain an optimal network, `best`, and a proof that bounds them."""
        self._problem = problem
        self._families = families
        self._hands = hands
        self.optimum = int(families.ticks[best].sum())
        self._proof = proof
        self._whole = members_of(families, proof, self.optimum + problem.slack)
        self._parts = [
            Part(component_of(families, variables), proof, problem, best)
            for variables in strong_components(families)
        ]
        self._host = max(self._parts, key=lambda part: (len(part.variables), len(part.families)))
        self._others = [part for part in self._parts if part is not self._host]
        self._chain: SumChain | None = None
        self._walk: Walk | None = None
        self._exact = False

    def count(self) -> Tally:
        """Count the members, in total and by family."""
        with self._hands.clock.limit() as cancellation:
            shortfalls = [
                f"a component of {len(part.variables)} variables has more than "
                f"{MOST_PART_MEMBERS:,} members, or time was up before all were found"
                for part in self._others
                if not part.list_sums(self._hands.jobs, cancellation)
            ]
        lists = [part.sums for part in self._others if part.sums is not None]
        try:
            self._chain = SumChain(lists, self._problem.slack, _MOST_SUMS)
        except TooManySumsError:
            return self._count_rounded(lists, shortfalls)
        tally = self._tally(self._chain, shortfalls)
        self._exact = tally.exact
        return tally

    def _tally(self, chain: SumChain, shortfalls: list[str]) -> Tally:
        decay, slack = self._problem.decay, self._problem.slack
        walk = self._host.count(Outside.of(chain.total, decay), self._hands)
        self._walk = walk
        networks = np.zeros(len(self._families), dtype=object)
        weights = np.zeros(len(self._families))
        best_with = BestWith.none(len(self._families))
        self._enter(self._host, walk, networks, weights, best_with)
        # Networks per way to a sum: the choices of the host that leave room for it.
        through = np.cumsum(walk.histogram[::-1])[::-1][1:]
        weight_through = np.cumsum(walk.weight_histogram[::-1])[::-1][1:]
        counts = chain.share(through, lambda one: one.ways)
        shares = chain.share(weight_through, lambda one: weights_of(one, decay))
        nodes, lacking = walk.nodes, walk.lacking
        for part, one, count, share in zip(self._others, chain.lists, counts, shares, strict=True):
            seen = part.count(Outside.seen_from(one, count, share, slack), self._hands)
            self._enter(part, seen, networks, weights, best_with)
            nodes += seen.nodes
            lacking += seen.lacking
        shortfalls.extend(dict.fromkeys(lacking))
        return Tally(
            count=walk.count,
            most=None,
            networks=networks.tolist(),
            weights=weights / walk.weight if walk.count else weights,
            weight=walk.weight,
            best_with=best_with,
            nodes=nodes,
            exact=not shortfalls,
            shortfalls=tuple(shortfalls),
        )

    def _enter(
        self,
        part: Part,
        walk: Walk,
        networks: npt.NDArray[np.object_],
        weights: npt.NDArray[np.float64],
        best_with: BestWith,
    ) -> None:
        """Store the results of enumerating a part at the positions of its families."""
        networks[part.index] = walk.counts
        weights[part.index] = walk.weights
        found = walk.has_member
        best_with.put(part.index[found], walk.least[found] + (self.optimum - part.optimum))

    def _count_rounded(self, lists: list[SumList], shortfalls: list[str]) -> Tally:
        """Bound the count: too few sums fit when rounded up, too many when rounded down."""
        grain = max(1, self._problem.slack // _GRAINS)
        tallies = [
            self._tally(
                SumChain(
                    [one.rounded(grain, up=up) for one in lists], self._problem.slack, _MOST_SUMS
                ),
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

    def first(self, cancellation: "kernels.Cancellation") -> Choice | None:
        """Return the best member whose families come first, child by child; None if cancelled."""
        best = members_of(self._families, self._proof, self.optimum)
        first = best.first(cancellation).astype(np.int64)
        return first if len(first) else None

    def stream(self) -> Iterator[Batch]:
        """Yield batches of all members, each once: families and ticks."""
        return batches(self._whole, self._families.variable_count)

    def best(self, most: int) -> Batch:
        """Return the members of least ticks, in their order."""
        one_thread = 1  # so that ties are always broken the same way
        found = self._whole.best(most, one_thread, kernels.Cancellation())
        return found.choices, found.ticks

    def costliest(self) -> npt.NDArray[np.uint32]:
        """Return the families of a member of most ticks."""
        walk, chain = self._counted()
        return self._assemble(walk.costliest_choice, chain.choices_at(walk.costliest_outside, 0))

    def ticks_of(self, chosen: npt.NDArray[np.uint32]) -> int:
        """Return the ticks of a member."""
        return int(self._families.ticks[chosen].sum())

    def at_ranks(self, ranks: list[int]) -> Iterator[npt.NDArray[np.uint32]]:
        """Yield the families of the members at these ascending ranks, in a fixed order of all."""
        walk, chain = self._counted()
        if groups_of_digits(sum(chain.total.ways)) > 1:
            raise SettingsError(
                f"members cannot be picked out of 10^{len(str(walk.count)) - 1} of them or more"
            )
        outside = Outside.of(chain.total, self._problem.decay)
        for choice, rest in self._picked(walk, outside, ranks, outside.counts, by_weight=False):
            place = bisect_right(outside.counts, rest) - 1
            yield self._assemble(choice, chain.choices_at(place, rest - outside.counts[place]))

    def draw_by_weight(
        self, size: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, npt.NDArray[np.uint32]]]:
        """Draw `size` members by weight; yield the number of each draw and its families."""
        walk, chain = self._counted()
        outside = Outside.of(chain.total, self._problem.decay)
        # Drawing by weight needs no counts, which may have more digits than the kernel has.
        no_counts = [0] * len(outside.counts)
        ranks, order = ranks_below(counts_from_words(walk.marks.total(True))[0], size, rng)
        found = self._picked(walk, outside, ranks, no_counts, by_weight=True)
        for place, (choice, entry) in zip(order, found, strict=True):
            way = below(chain.total.ways[entry], rng)
            yield place, self._assemble(choice, chain.choices_at(entry, way))

    def _picked(
        self, walk: Walk, outside: Outside, ranks: list[int], counts: list[int], *, by_weight: bool
    ) -> Iterator[tuple[npt.NDArray[np.uint32], int]]:
        """Yield the host's choices at ascending ranks, and the kernel's number for the rest."""
        picked = self._host.handle.at_ranks(
            words_of_counts(ranks),
            by_weight,
            outside.sums,
            words_of_counts(counts),
            outside.weights,
            self._host.optimum,
            self._problem.decay,
            walk.marks,
            self._hands.jobs,
        )
        return zip(picked.choices, counts_from_words(picked.outside), strict=True)

    def check_exact(self) -> None:
        """Raise UncountedError unless all members were counted."""
        self._counted()

    def _counted(self) -> tuple[Walk, SumChain]:
        if self._walk is None or self._chain is None or not self._exact:
            raise UncountedError(
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
