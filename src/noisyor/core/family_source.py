"""Prices, which bound the costs of families, and sources of families within their prices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noisyor.core.score_table import ScoreTable


@dataclass(frozen=True, slots=True)
class PriceCut:
    """A cluster, whose weight a family earns while it counts there.

    It counts while no parent is in the `own` class of the child, and fewer than `need` classes of
    the `variables` have one. `classes` lists those of two variables or more.
    """

    variables: int
    need: int
    weight: float
    own: int = 0
    classes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values with which a price could rise as the parent set grows."""
        if self.need < 1 or not 0 <= self.weight < inf:
            raise ValueError(f"a cut needs at least 1 and weighs at least 0: {self}")

    def counts(self, parents: int) -> bool:
        """Return whether the family over these parents counts."""
        reached = (self.variables & parents).bit_count() - sum(
            max(0, (one & parents).bit_count() - 1) for one in self.classes
        )
        return not self.own & parents and reached < self.need


@dataclass(frozen=True, slots=True)
class RoundedCut:
    """Half a sum of a price's cuts, rounded: a family earns the weight times its coefficient.

    `parts` are positions of cuts earlier in the price. The coefficient is half the sum of the
    family's coefficients in them, rounded `up` or down.
    """

    parts: tuple[int, ...]
    up: bool
    weight: float

    def __post_init__(self) -> None:
        """Refuse values with which a price could rise as the parent set grows."""
        if not self.parts or not 0 <= self.weight < inf:
            raise ValueError(f"a rounded cut has parts and weighs at least 0: {self}")


@dataclass(frozen=True, slots=True)
class Price:
    """The most that a family may cost if it has all `required` parents and no `excluded` one.

    It must also have from `least` to `most` parents; None stands for any number.

    The price is `base` plus what the family earns in the cuts: their weights times its
    coefficients. Weights are not negative, and a larger parent set has no larger coefficient, since
    it counts in fewer clusters and sums and halves of coefficients preserve that. So prices only
    fall as parents are added, and whole subtrees can be pruned by them.
    """

    base: float
    cuts: tuple[PriceCut | RoundedCut, ...] = ()
    required: int = 0
    excluded: int = 0
    least: int = 0
    most: int | None = None

    def __post_init__(self) -> None:
        """Refuse cuts that are rounded from cuts that do not come before them."""
        for place, cut in enumerate(self.cuts):
            if isinstance(cut, RoundedCut) and not 0 <= min(cut.parts) <= max(cut.parts) < place:
                raise ValueError(f"a rounded cut's parts come before it, at {place}: {cut}")

    def applies_to(self, parents: int) -> bool:
        """Return whether a family over these parents has a price."""
        fits = not self.required & ~parents and not self.excluded & parents
        size = parents.bit_count()
        return fits and self.least <= size and (self.most is None or size <= self.most)

    def of(self, parents: int) -> float:
        """Return the price of the family over these parents; -inf if the family is excluded."""
        if not self.applies_to(parents):
            return -inf
        values: list[int] = []
        for cut in self.cuts:
            if isinstance(cut, RoundedCut):
                values.append((sum(values[part] for part in cut.parts) + cut.up) // 2)
            else:
                values.append(int(cut.counts(parents)))
        earned = (cut.weight * value for cut, value in zip(self.cuts, values, strict=True))
        return self.base + sum(earned)


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """Families within their prices, and for each child whether the search for them finished."""

    table: ScoreTable
    finished: npt.NDArray[np.bool_]


class FamilySource(Protocol):
    """Where the search gets its families from: a score table, or records scored on demand.

    The methods poll `stop`; once it returns True, they return what they have found so far.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        ...

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        """Return, for each child, a lower bound on the cost of its families.

        The children left when `stop` returns True get bounds that take no time.
        """
        ...

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return initial families, which make at least one acyclic network.

        `within` returns all further families of the finished children. It may never return those of
        the others.
        """
        ...

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families of each child that cost no more than one of the child's prices.

        Families that no credible network has may be left out: those for which a family over a
        subset of the parents is cheaper by more than the slack.

        Parameters
        ----------
        prices
            The prices of each child.
        most
            The most families to return for each child: those furthest below their highest price.
        undominated
            Whether to leave out every family for which one over a subset of its parents is cheaper
            by any amount.
        heuristic
            Whether some of the families are enough. A child then counts as finished only if all of
            its families are known to have been found.
        stop
            Returns whether to stop.
        """
        ...
