"""How far a proof went: the best networks with at most so many parents at each node."""

from dataclasses import dataclass

_USEFUL = 0.25  # of the optimum: the largest gap that is worth stating


def is_useful_bound(lower_bound: float, optimum: float) -> bool:
    """Return whether a lower bound says something: one that leaves a quarter open does not."""
    return optimum - lower_bound <= _USEFUL * abs(optimum)


@dataclass(frozen=True, slots=True)
class Layer:
    """What is known about the networks with at most `max_parents` parents at each node.

    Parameters
    ----------
    max_parents
        The most parents of a node.
    optimum
        The cost of the best such network found, in nats.
    lower_bound
        A proven lower bound on their costs; equal to `optimum` if that is proven.
    """

    max_parents: int
    optimum: float
    lower_bound: float

    def __post_init__(self) -> None:
        """Refuse figures that contradict each other."""
        if self.max_parents < 0:
            raise ValueError(f"a layer has 0 parents or more, not {self.max_parents}")
        if self.lower_bound > self.optimum:
            raise ValueError(f"the bound {self.lower_bound} exceeds the optimum {self.optimum}")

    @property
    def proven(self) -> bool:
        """Whether the optimum is proven."""
        return self.lower_bound == self.optimum

    def words(self) -> str:
        """Return what is proven, in words."""
        parents = "1 parent" if self.max_parents == 1 else f"{self.max_parents} parents"
        if self.proven:
            return f"the best network with at most {parents} costs {self.optimum:.6f}, proven"
        found = f"the best network found with at most {parents} costs {self.optimum:.6f}"
        if not is_useful_bound(self.lower_bound, self.optimum):
            return f"{found}, with no useful bound"
        return f"{found}, and none costs less than {self.lower_bound:.6f}"
