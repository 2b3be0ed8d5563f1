"""The members of several branches as one set: no two branches have a network in common."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.errors import UncountedError
from noisyor.search.bounds.bounding import Places
from noisyor.search.members.best_with import BestWith
from noisyor.search.members.component import Batch
from noisyor.search.members.diagram import DiagramEnumeration
from noisyor.search.members.enumeration import Enumeration, Tally


@dataclass(frozen=True, slots=True, eq=False)
class CountedBranch:
    """The members of a branch, their tally, and the positions of its families among all."""

    enumeration: Enumeration | DiagramEnumeration
    tally: Tally
    index: Places


class BranchUnion:
    """The members of branches that partition the networks.

    As every network is in one branch, counts and weights add up, and enumerating one branch after
    the other yields each member once.
    """

    def __init__(
        self,
        branches: Sequence[CountedBranch],
        families: int,
        optimum: int,
        decay: float,
        shortfalls: Sequence[str] = (),
    ) -> None:
        """Take branches; `families` is the number of all families.

        `decay` is that of weights with each tick; `shortfalls` are the reasons why branches are
        missing.
        """
        self._branches = branches
        self._families = families
        self.optimum = optimum
        self._decay = decay
        self._shortfalls = shortfalls

    def tally(self) -> Tally:
        """Return the combined tally of all branches."""
        networks = np.zeros(self._families, dtype=object)
        weights = np.zeros(self._families)
        best_with = BestWith.none(self._families)
        shares = self._shares()
        for one, share in zip(self._branches, shares, strict=True):
            networks[one.index] += np.array(one.tally.networks, dtype=object)
            weights[one.index] += share * one.tally.weights
            best_with.lower(one.index, one.tally.best_with)
        tallies = [one.tally for one in self._branches]
        own = [line for tally in tallies for line in tally.shortfalls]
        shortfalls = dict.fromkeys([*own, *self._shortfalls])
        exact = not shortfalls and all(tally.exact for tally in tallies)
        known = [tally.count if tally.exact else tally.most for tally in tallies]
        mosts = [most for most in known if most is not None]
        bounded = not exact and not self._shortfalls and len(mosts) == len(known)
        return Tally(
            count=sum(tally.count for tally in tallies),
            most=sum(mosts) if bounded else None,
            networks=networks.tolist(),
            weights=weights,
            weight=self._weight(),
            best_with=best_with,
            nodes=sum(tally.nodes for tally in tallies),
            exact=exact,
            shortfalls=tuple(shortfalls),
        )

    def _weights(self) -> list[float]:
        """Return the weight of each branch, relative to the best network of all."""
        return [
            one.tally.weight * math.exp(-self._decay * (one.enumeration.optimum - self.optimum))
            for one in self._branches
        ]

    def _weight(self) -> float:
        return math.fsum(self._weights())

    def _shares(self) -> list[float]:
        total = self._weight()
        return [weight / total if total else 0.0 for weight in self._weights()]

    def stream(self) -> Iterator[Batch]:
        """Yield batches of all members, each once: families and ticks."""
        for one in self._branches:
            for chosen, ticks in one.enumeration.stream():
                yield self._placed(one, chosen), ticks

    def best(self, most: int) -> Batch:
        """Return the members of least ticks, in their order."""
        found = [(one, *one.enumeration.best(most)) for one in self._branches]
        chosen = np.concatenate([self._placed(one, families) for one, families, _ in found])
        ticks = np.concatenate([ticks for _, _, ticks in found])
        least = np.argsort(ticks, kind="stable")[:most]
        return chosen[least], ticks[least]

    def costliest(self) -> npt.NDArray[np.uint32]:
        """Return the families of a member of most ticks."""
        self.check_exact()
        found = [(one, one.enumeration.costliest()) for one in self._branches]
        one, chosen = max(found, key=lambda pair: pair[0].enumeration.ticks_of(pair[1]))
        return self._placed(one, chosen)

    def at_ranks(self, ranks: list[int]) -> Iterator[npt.NDArray[np.uint32]]:
        """Yield the families of the members at these ascending ranks, in a fixed order of all."""
        self.check_exact()
        offset = 0
        for one in self._branches:
            end = offset + one.tally.count
            own = [rank - offset for rank in ranks if offset <= rank < end]
            if own:
                for chosen in one.enumeration.at_ranks(own):
                    yield self._placed(one, chosen)
            offset = end

    def draw_by_weight(self, size: int, rng: np.random.Generator) -> npt.NDArray[np.uint32]:
        """Return the families of `size` members, drawn independently by weight."""
        self.check_exact()
        branch_of = rng.choice(len(self._branches), size=size, p=self._shares())
        drawn: list[npt.NDArray[np.uint32]] = [np.empty(0, dtype=np.uint32)] * size
        for branch, one in enumerate(self._branches):
            own = np.flatnonzero(branch_of == branch)
            if not len(own):
                continue
            for place, chosen in one.enumeration.draw_by_weight(len(own), rng):
                drawn[own[place]] = self._placed(one, chosen)
        return np.stack(drawn)

    def check_exact(self) -> None:
        """Raise UncountedError unless all members were counted."""
        if self._shortfalls:
            raise UncountedError(
                "not all members were counted, so none can be picked by its rank or its cost"
            )
        for one in self._branches:
            one.enumeration.check_exact()

    @staticmethod
    def _placed(one: CountedBranch, chosen: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        placed: npt.NDArray[np.uint32] = one.index.astype(np.uint32)[chosen]
        return placed
