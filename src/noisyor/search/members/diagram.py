"""The members of a branch as the paths of a diagram, where they are too many to walk through.

Every acyclic network has one canonical order, and the networks within a limit are the paths of a
diagram in which orders meet as soon as what may follow is the same (`cpp/search/order_diagram.hpp`
has the definitions and the proof). The paths are counted in two halves that meet in the middle
(`cpp/search/diagram_members.hpp`), so the work grows with about the square root of their number.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.cluster import aligned
from noisyor.core.errors import UncountedError
from noisyor.search.bounds.duals import Duals
from noisyor.search.components import components_in_order
from noisyor.search.families import Families
from noisyor.search.members.best_with import BestWith
from noisyor.search.members.component import (
    Batch,
    Choice,
    batches,
    counts_from_words,
    words_of_counts,
)
from noisyor.search.members.counting import TIME_IS_UP, Hands
from noisyor.search.members.enumeration import Tally

_MOST_PATHS = 2**34  # paths that take hours to list


def diagram_of(  # noqa: PLR0913  (most by name)
    families: Families,
    duals: Duals,
    limit: int,
    *,
    order: npt.NDArray[np.int32],
    memory: int,
    hands: Hands,
    strengthen: bool = True,
) -> "kernels.OrderDiagram | None":
    """Return the diagram of the acyclic networks of at most `limit` ticks.

    None if it needs more than `memory` bytes or too many paths, or if time is up. `order` is a
    topological order of a network, preferably a good one; with another, the diagram has more
    states, but one path for each of the same networks. `strengthen` leaves out states by a bound;
    tests switch it off.
    """
    variables, needs, first_class, classes = duals.cuts.clusters.arrays
    with hands.clock.limit() as cancellation:
        diagram = kernels.OrderDiagram(
            aligned(families.first),
            aligned(families.parents),
            aligned(families.ticks),
            aligned(variables),
            aligned(needs),
            aligned(first_class),
            aligned(classes),
            aligned(duals.cuts.weights),
            aligned(duals.pi),
            aligned(duals.rc),
            aligned(_numbers(families, order)),
            limit,
            duals.lower_bound,
            memory,
            hands.jobs,
            strengthen,
            cancellation,
        )
    if diagram.status != kernels.DiagramStatus.DONE or diagram.expected > _MOST_PATHS:
        return None
    return diagram


def _numbers(families: Families, order: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the variables by component, parents' components first, and within one in the order.

    Then the canonical orders place one component after the other, and in between there is one state
    only: what is left does not depend on how the components before were arranged.
    """
    place = {int(v): i for i, v in enumerate(order)}
    components = components_in_order(families)
    numbers = [v for one in components for v in sorted(one, key=place.__getitem__)]
    return np.array(numbers, dtype=np.int32)


class DiagramEnumeration:
    """The members that are the paths of a diagram that has some."""

    def __init__(
        self, diagram: "kernels.OrderDiagram", families: Families, decay: float, hands: Hands
    ) -> None:
        """Take a diagram over these families; weights fall by `decay` with each tick."""
        self._diagram = diagram
        self._families = families
        self._decay = decay
        self._hands = hands
        self._counts: kernels.DiagramCounts | None = None
        self.optimum = int(diagram.optimum)

    def count(self) -> Tally:
        """Count the members, in total and by family."""
        with self._hands.clock.limit() as cancellation:
            counts = self._diagram.count(self._decay, self._hands.jobs, cancellation)
        self._counts = counts
        best_with = BestWith.none(len(self._families))
        found = np.flatnonzero(counts.has_member)
        best_with.put(found, counts.least[found])
        count = counts_from_words(counts.total)[0]
        return Tally(
            count=count,
            most=None,
            networks=counts_from_words(counts.counts),
            weights=counts.weights / counts.weight if count else counts.weights,
            weight=counts.weight,
            best_with=best_with,
            nodes=self._diagram.reached + counts.listed,
            exact=counts.complete,
            shortfalls=() if counts.complete else (TIME_IS_UP,),
        )

    def first(self, cancellation: "kernels.Cancellation") -> Choice | None:  # noqa: ARG002
        """Return the best member whose families come first, child by child, without delay."""
        return self._diagram.first().astype(np.int64)

    def stream(self) -> Iterator[Batch]:
        """Yield batches of all members, each once: families and ticks."""
        return batches(self._diagram, self._families.variable_count)

    def best(self, most: int) -> Batch:
        """Return the members of least ticks, in their order."""
        found = self._diagram.best(most)
        return found.choices, found.ticks

    def costliest(self) -> npt.NDArray[np.uint32]:
        """Return the families of a member of most ticks."""
        return self._diagram.costliest(self._counted())

    def ticks_of(self, chosen: npt.NDArray[np.uint32]) -> int:
        """Return the ticks of a member."""
        return int(self._families.ticks[chosen].sum())

    def at_ranks(self, ranks: list[int]) -> Iterator[npt.NDArray[np.uint32]]:
        """Yield the families of the members at these ascending ranks, in a fixed order of all."""
        yield from self._diagram.at_ranks(self._counted(), words_of_counts(ranks))

    def draw_by_weight(
        self, size: int, rng: np.random.Generator
    ) -> Iterator[tuple[int, npt.NDArray[np.uint32]]]:
        """Draw `size` members by weight; yield the number of each draw and its families."""
        counts = self._counted()
        places = rng.random(size) * counts.weight
        order = np.argsort(places, kind="stable")
        rows = self._diagram.at_weights(counts, self._decay, places[order])
        yield from zip(order.tolist(), rows, strict=True)

    def check_exact(self) -> None:
        """Raise UncountedError unless all members were counted."""
        self._counted()

    def _counted(self) -> "kernels.DiagramCounts":
        if self._counts is None or not self._counts.complete:
            raise UncountedError(
                "the members were not counted exactly, so none can be picked by its rank"
            )
        return self._counts
