"""Networks of a credible set with their parameters and weights."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.credible_set import Labels
from noisyor.core.family import Family
from noisyor.core.network import Network
from noisyor.core.provenance import Provenance
from noisyor.core.relations import Distribution
from noisyor.core.structure import Structure
from noisyor.core.variable import States, Variable


@dataclass(frozen=True, slots=True, eq=False)
class FamilyParameters:
    """A family with its parameters and cost, which several members may share.

    Parameters
    ----------
    family
        The family.
    distribution
        Its parameters.
    cost
        Its cost in nats.
    """

    family: Family
    distribution: Distribution
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class NetworkSet:
    """Members of a credible set with their parameters, ready for queries.

    Parameters
    ----------
    variables
        The variables.
    families
        The families of the members, with their parameters.
    members
        Distinct members, shape (members, n): for each variable the position of its family in
        `families`.
    optimum
        The cost of the best network, in nats.
    count
        The number of networks in the credible set.
    bayes_factor
        The Bayes factor of the credible set.
    labels
        Which networks count as different.
    provenance
        How the networks were made.
    draws
        None if the members are all `count` networks, each of weight exp(-(cost - optimum)),
        the exponent divided by the temperature of the Bayes factor.
        Otherwise they were drawn from the credible set, independently and by this weight, and
        `draws` has the number of times that each was drawn.
    shortfalls
        The reasons why the credible set may be larger than `count`, one line each.
    """

    variables: tuple[Variable, ...]
    families: tuple[FamilyParameters, ...]
    members: npt.NDArray[np.uint32]
    optimum: float
    count: int
    bayes_factor: BayesFactor
    labels: Labels
    provenance: Provenance
    draws: npt.NDArray[np.int64] | None = None
    shortfalls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse rows without one family per variable; `network` checks that they are acyclic."""
        if np.asarray(self.members).size and np.asarray(self.members).min() < 0:
            raise ValueError("places of families are counted from 0")
        object.__setattr__(self, "members", read_only(self.members, np.uint32))
        if self.members.ndim != 2 or self.members.shape[1] != len(self.names):  # noqa: PLR2004
            raise ValueError("a member has one family per variable")
        if not 1 <= len(self.members) <= self.count:
            raise ValueError(f"{len(self.members)} members of a set of {self.count}")
        if int(self.members.max()) >= len(self.families):
            raise ValueError("a member has a family that is not in the list")
        children = np.array([one.family.child for one in self.families])
        if (children[self.members] != np.arange(len(self.names))).any():
            raise ValueError("a member has another variable's family")
        if self.draws is not None:
            object.__setattr__(self, "draws", read_only(self.draws, np.int64))
            if self.draws.shape != (len(self.members),) or int(self.draws.min()) < 1:
                raise ValueError("each member that was drawn has a count of at least 1")
        elif len(self.members) != self.count:
            raise ValueError("members that are not all of the set must say how they were drawn")

    def __len__(self) -> int:
        return len(self.members)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def states(self) -> tuple[States, ...]:
        """The labels of each variable's states."""
        return tuple(variable.states for variable in self.variables)

    def __iter__(self) -> Iterator[Network]:
        return (self.network(row) for row in range(len(self)))

    @property
    def complete(self) -> bool:
        """Whether the credible set is known to be no larger than `count`."""
        return not self.shortfalls

    def costs(self) -> npt.NDArray[np.float64]:
        """Return the cost of each member, in nats."""
        own = np.array([one.cost for one in self.families])
        total: npt.NDArray[np.float64] = own[self.members].sum(axis=1)
        return total

    def weights(self) -> npt.NDArray[np.float64]:
        """Return the weight of each member; the weights sum to 1."""
        costs = self.costs()
        # Relative to the best member, which gives the same shares and cannot underflow to 0 in all.
        excess = (costs - costs.min()) / self.bayes_factor.temperature
        raw = np.exp(-excess) if self.draws is None else self.draws
        shares: npt.NDArray[np.float64] = raw / raw.sum()
        return shares

    def network(self, row: int) -> Network:
        """Return the member at a row of `members`."""
        chosen = [self.families[place] for place in self.members[row].tolist()]
        return Network(
            Structure(self.names, tuple(one.family for one in chosen)),
            self.variables,
            tuple(one.distribution for one in chosen),
            float(sum(one.cost for one in chosen)),
            self.provenance,
        )
