"""What families may cost at most, and where families come from that keep to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noisyor.core.score_table import ScoreTable


@dataclass(frozen=True, slots=True)
class PriceCut:
    """A set whose weight a family earns while fewer than `need` of its parents are in it."""

    variables: int
    need: int
    weight: float

    def __post_init__(self) -> None:
        """Refuse what would let a price rise as the parents grow."""
        if self.need < 1 or not 0 <= self.weight < inf:
            raise ValueError(f"a cut needs at least 1 and weighs at least 0: {self}")


@dataclass(frozen=True, slots=True)
class Price:
    """What a family of one child may cost at most, if it has `required` and nothing `excluded`.

    `base` plus the weights of the cuts that it earns. Since weights are not negative and fewer
    cuts are earned as the parents grow, prices only fall, so that subtrees can be cut by them.
    """

    base: float
    cuts: tuple[PriceCut, ...] = ()
    required: int = 0
    excluded: int = 0

    def of(self, parents: int) -> float:
        """Return the price of the family over these parents; -inf if it may not be had at all."""
        if self.required & ~parents or self.excluded & parents:
            return -inf
        earned = (c.weight for c in self.cuts if (c.variables & parents).bit_count() < c.need)
        return self.base + sum(earned)


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """Families within their prices, and for each child whether the search for them was finished."""

    table: ScoreTable
    finished: npt.NDArray[np.bool_]


class FamilySource(Protocol):
    """Where the search gets its families from: a score table, or records that are scored on demand.

    `stop` is asked now and then whether to end at once, with what is there.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        ...

    def least_costs(self) -> npt.NDArray[np.float64]:
        """Return, for each child, a cost that none of its families goes below."""
        ...

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return families to begin with, that make at least one acyclic network.

        Further families of finished children come from `within`; those of others may come from
        nowhere.
        """
        ...

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        hasty: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families of each child that cost no more than one of the child's prices.

        Left out, if so found, are families that no credible network has, since one over fewer
        parents is cheaper by more than the slack, or if only `undominated` ones are wanted, by
        anything at all. With `most`, only so many of each child are returned, those furthest
        below their (highest) price. A `hasty` search finds some of them, and does not count as
        finished unless these are all.
        """
        ...
