"""A node with its parents, and the certificate of its fit."""

from dataclasses import dataclass, field
from math import inf

from noisyor.core.relations import Relation, root_relation
from noisyor.core.variable_sets import variables_in


@dataclass(frozen=True, slots=True)
class Family:
    """A child, its parents, and how it depends on them.

    Parameters
    ----------
    child
        The number of the child.
    parents
        The set of parents: bit v stands for variable v.
    relation
        The relation between the child and its parents; a full table by default.
    """

    child: int
    parents: int
    relation: Relation = field(default_factory=root_relation)

    def __post_init__(self) -> None:
        """Refuse sets that no network can contain."""
        if self.child < 0 or self.parents < 0:
            raise ValueError("variables are numbered from 0")
        if self.parents >> self.child & 1:
            raise ValueError(f"variable {self.child} is among its own parents")
        if not self.parents and self.relation.needs_parents:
            raise ValueError(
                f"a node without parents is always {root_relation()}, not {self.relation}"
            )

    @property
    def parent_count(self) -> int:
        """The number of parents."""
        return self.parents.bit_count()

    def parent_indices(self) -> tuple[int, ...]:
        """Return the parents, ascending."""
        return tuple(variables_in(self.parents))


@dataclass(frozen=True, slots=True)
class FitCertificate:
    """A proof of how good a fit is: the true optimum lies in [lower_bound, cost].

    Full tables have closed form and no gap.

    Parameters
    ----------
    cost
        The cost that the returned parameters attain, in nats.
    lower_bound
        The value of a dual solution, in nats: no parameters can cost less.
    """

    cost: float
    lower_bound: float

    def __post_init__(self) -> None:
        """Refuse a certificate that proves nothing."""
        if not self.lower_bound <= self.cost < inf:
            raise ValueError(f"the optimum cannot lie in [{self.lower_bound}, {self.cost}]")

    @property
    def gap(self) -> float:
        """How far, at most, the fit is from optimal, in nats."""
        return self.cost - self.lower_bound
