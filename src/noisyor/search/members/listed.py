"""The networks of a credible set, on demand."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from noisyor.core.credible_set import MemberBatch
from noisyor.search.families import Families
from noisyor.search.members.branch_union import BranchUnion
from noisyor.search.members.component import Choice
from noisyor.search.members.drawing import ranks_below
from noisyor.search.preparation import Problem


class ListedMembers:
    """The members of a union of branches, with families by their positions in the credible set."""

    def __init__(
        self,
        problem: Problem,
        families: Families,
        union: BranchUnion,
        count: int,
        places: npt.NDArray[np.int64],
    ) -> None:
        self._problem = problem
        self._families = families
        self._union = union
        self._count = count
        self._places = places.astype(np.uint32)

    def stream(self) -> Iterator[MemberBatch]:
        """Yield all members, each once, in no particular order and in constant memory."""
        for chosen, ticks in self._union.stream():
            yield self._batch(chosen, ticks)

    def best(self, most: int) -> MemberBatch:
        """Return the members of least cost, in order of cost."""
        return self._batch(*self._union.best(most))

    def costliest(self) -> MemberBatch:
        """Return one member of greatest cost."""
        chosen = self._union.costliest()[None, :]
        return self._batch(chosen, self._ticks(chosen))

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        """Return members drawn independently, uniformly or by weight."""
        self._union.check_exact()
        rng = np.random.default_rng(seed)
        if not size:
            chosen = np.empty((0, self._families.variable_count), dtype=np.uint32)
        elif weighted:
            chosen = self._union.draw_by_weight(size, rng)
        else:
            chosen = self._draw(size, rng)
        return self._batch(chosen, self._ticks(chosen))

    def _draw(self, size: int, rng: np.random.Generator) -> npt.NDArray[np.uint32]:
        ranks, order = ranks_below(self._count, size, rng)
        drawn = np.empty((size, self._families.variable_count), dtype=np.uint32)
        for place, families in zip(order, self._union.at_ranks(ranks), strict=True):
            drawn[place] = families
        return drawn

    def _ticks(self, chosen: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        ticks: npt.NDArray[np.int64] = self._families.ticks[chosen].sum(axis=1)
        return ticks

    def _batch(self, chosen: npt.NDArray[np.uint32], ticks: npt.NDArray[np.int64]) -> MemberBatch:
        costs = np.array(self._problem.base + self._problem.tick * ticks, dtype=np.float64)
        return MemberBatch(self._places[chosen], costs)


class OneMember:
    """The only member known, when a limit was hit before the optimum was proven."""

    def __init__(self, places: Choice, cost: float) -> None:
        self._batch = MemberBatch(places[None, :].astype(np.uint32), np.array([cost]))

    def stream(self) -> Iterator[MemberBatch]:
        """Yield it."""
        yield self._batch

    def best(self, most: int) -> MemberBatch:  # noqa: ARG002  (there is no more than one)
        """Return it."""
        return self._batch

    def costliest(self) -> MemberBatch:
        """Return it."""
        return self._batch

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:  # noqa: ARG002
        """Return it, as often as asked for."""
        return MemberBatch(
            np.repeat(self._batch.families, size, axis=0), np.repeat(self._batch.costs, size)
        )
