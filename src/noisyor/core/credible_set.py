"""All networks that the data do not rule out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.choices import choice_of
from noisyor.core.errors import SettingsError
from noisyor.core.family import Family
from noisyor.core.layers import Layer, is_useful_bound
from noisyor.core.relations import Relation
from noisyor.core.structure import Structure

if TYPE_CHECKING:
    from noisyor.core.sampling import Sampling

_Subject = TypeVar("_Subject")


class Labels(StrEnum):
    """Which networks count as different."""

    BEST = "best"  # graphs, each node with the better relation of its parent set
    ALL = "all"  # graphs with a relation at each node

    @classmethod
    def of(cls, name: str) -> "Labels":
        """Return the labels of this name."""
        return choice_of(cls, name, "labels")


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a credible set has a feature: an edge, a parent set, a relation at a node.

    Parameters
    ----------
    networks
        The number of credible networks with the feature.
    fraction
        Their share of all credible networks.
    weight
        Their share of the total weight. A network weighs exp(-(cost - optimum)), the exponent
        divided by the temperature of the Bayes factor.
    best_with
        The cost of the best network with the feature.
    best_without
        The cost of the best credible network without it; None if every credible network has it.
    standard_error
        The standard error of the weight; None if it is exact. In a sampled set, all other figures
        are about the networks that are known.
    """

    networks: int
    fraction: float
    weight: float
    best_with: float
    best_without: float | None
    standard_error: float | None = None


@dataclass(frozen=True, slots=True)
class FamilyUse:
    """A family of some credible network: how many have it, their weight, their least cost."""

    family: Family
    cost: float
    networks: int
    weight: float
    best_with: float


@dataclass(frozen=True, slots=True)
class Member:
    """One credible network.

    Parameters
    ----------
    structure
        The graph, with a relation at each node.
    cost
        The cost in nats.
    """

    structure: Structure
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class MemberBatch:
    """Some members as arrays.

    `families` has shape (members, n): the position of each family in the credible set's list of
    families. `costs` has shape (members,).
    """

    families: npt.NDArray[np.uint32]
    costs: npt.NDArray[np.float64]


class Members(Protocol):
    """Access to the networks themselves; the search provides it."""

    def stream(self) -> Iterator[MemberBatch]:
        """Yield all members, each once, in no particular order and in constant memory."""

    def best(self, most: int) -> MemberBatch:
        """Return the members of least cost, in order of cost."""

    def costliest(self) -> MemberBatch:
        """Return one member of greatest cost."""

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        """Return members drawn independently, uniformly or by weight."""


@dataclass(frozen=True, slots=True, eq=False)
class CredibleSet:
    """The networks with cost at most optimum + slack, and what is proven about them.

    Parameters
    ----------
    names
        The names of the variables.
    bayes_factor
        The Bayes factor that defines the slack.
    labels
        Which networks count as different.
    best
        The best network found.
    optimum
        The cost of `best`, in nats.
    lower_bound
        A proven lower bound on the cost of any network; equal to `optimum` if that is proven.
    count
        The number of credible networks. If the set is not complete, the number of networks known
        to be in it.
    families
        The families of the members, by child, then cost.
    members
        Access to the networks themselves.
    most
        A proven upper bound on the number of credible networks, if known.
    shortfalls
        One line for each limit that was hit, and what it leaves open. Empty for a complete set.
    notes
        What the result is relative to, one line each.
    sampling
        How the networks were drawn, if they were sampled; None if they were enumerated.
    layers
        What is known about networks with few parents, where the proof went by numbers of parents.
    """

    names: tuple[str, ...]
    bayes_factor: BayesFactor
    labels: Labels
    best: Structure
    optimum: float
    lower_bound: float
    count: int
    families: tuple[FamilyUse, ...]
    members: Members
    most: int | None = None
    shortfalls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sampling: "Sampling | None" = None
    layers: tuple[Layer, ...] = ()

    def __post_init__(self) -> None:
        """Refuse bounds and counts that contradict each other."""
        if self.lower_bound > self.optimum:
            raise ValueError(f"the bound {self.lower_bound} exceeds the optimum {self.optimum}")
        if self.count < 1:
            raise ValueError("a credible set contains at least the best network")
        if self.most is not None and self.most < self.count:
            raise ValueError(f"at most {self.most} networks, but {self.count} were counted")
        if self.lower_bound < self.optimum and not self.shortfalls:
            raise ValueError("an unproven optimum must say which limit was hit")
        if self.sampling is not None:
            self._check_sampling(self.sampling)

    def _check_sampling(self, sampling: "Sampling") -> None:
        if not self.shortfalls:
            raise ValueError("a sample must say why the networks were not enumerated")
        if len(sampling.times) != self.count:
            raise ValueError(f"{len(sampling.times)} networks were drawn, but {self.count} known")
        if sampling.batches.shape[1] != len(self.families):
            raise ValueError("the batches are about other families")

    @property
    def complete(self) -> bool:
        """Whether the optimum is proven and the count exact."""
        return not self.shortfalls

    @property
    def proven(self) -> bool:
        """Whether the optimum is proven."""
        return self.lower_bound == self.optimum

    @property
    def has_useful_bound(self) -> bool:
        """Whether the lower bound is worth stating (see `is_useful_bound`)."""
        return is_useful_bound(self.lower_bound, self.optimum)

    def edges(self) -> dict[tuple[str, str], Use]:
        """Return, for each edge (parent, child) of some member, how much of the set has it."""
        return self._uses(
            lambda family: [
                (self.names[parent], self.names[family.child]) for parent in family.parent_indices()
            ]
        )

    def parent_sets(self) -> dict[tuple[str, tuple[str, ...]], Use]:
        """Return, for each child and parent set of some member, how much of the set has it."""
        return self._uses(
            lambda family: [
                (
                    self.names[family.child],
                    tuple(self.names[parent] for parent in family.parent_indices()),
                )
            ]
        )

    def relations(self) -> dict[tuple[str, Relation], Use]:
        """Return, for each node and relation of some member, how much of the set has it."""
        return self._uses(lambda family: [(self.names[family.child], family.relation)])

    def _uses(self, subjects_of: Callable[[Family], Iterable[_Subject]]) -> dict[_Subject, Use]:
        """Sum the families by the features that they have.

        A network has one family per child, so it lacks a feature if its family there does. If the
        count was cut short, some families occur in no counted network; they are left out here.
        """
        having: dict[_Subject, list[int]] = {}
        of_child: dict[int, list[int]] = {}
        for place, use in enumerate(self.families):
            if not use.networks:
                continue
            of_child.setdefault(use.family.child, []).append(place)
            for subject in subjects_of(use.family):
                having.setdefault(subject, []).append(place)
        return {
            subject: self._use(places, of_child[self.families[places[0]].family.child])
            for subject, places in having.items()
        }

    def _use(self, places: list[int], of_child: list[int]) -> Use:
        """Sum some of the families of one child."""
        those = [self.families[place] for place in places]
        with_it = set(places)
        without = [self.families[one].best_with for one in of_child if one not in with_it]
        networks = sum(use.networks for use in those)
        sampling = self.sampling
        return Use(
            networks=networks,
            fraction=networks / self.count,
            weight=sum(use.weight for use in those),
            best_with=min(use.best_with for use in those),
            best_without=min(without, default=None),
            standard_error=None if sampling is None else sampling.standard_error(places),
        )

    def structure_of(self, families: Iterable[int]) -> Structure:
        """Return the network with these families.

        Parameters
        ----------
        families
            For each variable, in order, the position of its family in `families` of the set.
        """
        return Structure(self.names, tuple(self.families[place].family for place in families))

    def stream(self) -> Iterator[Member]:
        """Yield every member once, in no particular order."""
        for batch in self.members.stream():
            yield from self._members_of(batch)

    def best_members(self, most: int) -> list[Member]:
        """Return the best members in order of cost.

        Parameters
        ----------
        most
            The number of members to return, at least 1; all of them if the set has fewer.
        """
        if most < 1:
            raise SettingsError(f"{most} best members were asked for; it must be at least 1")
        return list(self._members_of(self.members.best(most)))

    def costliest(self) -> Member:
        """Return a member of greatest cost."""
        return next(self._members_of(self.members.costliest()))

    def sample(self, size: int, *, seed: int, weighted: bool = False) -> list[Member]:
        """Return members drawn at random, independently.

        Parameters
        ----------
        size
            The number of draws.
        seed
            The seed of the random numbers.
        weighted
            Whether to draw each member by its weight (see `Use`) instead of uniformly.

        Raises
        ------
        UncountedError
            The members of the set were not fully enumerated.
        """
        if size < 0:
            raise SettingsError(f"a sample of {size}; it must be 0 or more")
        return list(self._members_of(self.members.sample(size, seed, weighted=weighted)))

    def _members_of(self, batch: MemberBatch) -> Iterator[Member]:
        for families, cost in zip(batch.families.tolist(), batch.costs.tolist(), strict=True):
            yield Member(self.structure_of(families), cost)
