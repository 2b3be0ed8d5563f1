"""All networks that the data do not rule out."""

from dataclasses import dataclass

from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.structure import Structure


@dataclass(frozen=True, slots=True)
class CredibleSet:
    """The networks with cost at most optimum + slack, and how sure that is.

    `optimum` is the cost of `best`; `lower_bound` is proven, and equal to it where the search
    ended. `count` is exact where the set is complete. `shortfalls` says, a line each, which
    limit was hit and what it leaves open.
    """

    bayes_factor: BayesFactor
    best: Structure
    optimum: float
    lower_bound: float
    count: int
    shortfalls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse bounds and counts that contradict each other."""
        if self.lower_bound > self.optimum:
            raise ValueError(f"the bound {self.lower_bound} exceeds the optimum {self.optimum}")
        if self.count < 1:
            raise ValueError("a credible set contains at least the best network")
        if self.lower_bound < self.optimum and not self.shortfalls:
            raise ValueError("an unproven optimum must say which limit was hit")

    @property
    def complete(self) -> bool:
        """Whether the optimum is proven and the count exact."""
        return not self.shortfalls
