"""The interfaces of relations and of distributions, their parameters at a node.

A relation is one way in which a child may depend on its parents. It is a value that knows its name
and its capabilities. Code that works with relations asks for capabilities and never for the name,
so that a new relation works wherever its capabilities suffice.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.core.configurations import configuration_count
from noisyor.core.variable import Variable

if TYPE_CHECKING:
    from noisyor.core.relations.full_table import Cpt

Floats = npt.NDArray[np.float64]
Columns = Sequence[npt.NDArray[np.generic]]
"""The codes of each parent over the records, parents ascending."""


class Effect(StrEnum):
    """How the causes of a child combine."""

    MAX = "max"  # the strongest cause decides: an OR for a binary child
    MIN = "min"  # the weakest cause decides: an AND for a binary child


class Acting(StrEnum):
    """Which states of a parent act as causes."""

    PRESENT = "present"  # all but the first; for a minimum, all but the last
    ANY = "any"  # all but one, which is chosen from the data


@dataclass(frozen=True, slots=True)
class CauseModel:
    """The settings of a relation that explains a child by independent causes."""

    effect: Effect = Effect.MAX
    leak: bool = False  # whether causes other than the parents may act too
    acting: Acting = Acting.PRESENT

    @property
    def is_noisy_or(self) -> bool:
        """Whether each present parent may bring the child about by itself."""
        return (self.effect, self.acting) == (Effect.MAX, Acting.PRESENT)

    def acting_states(self, states: int) -> range:
        """Return the states of a parent of so many states that are causes."""
        if self.acting is Acting.ANY:
            return range(states)
        return range(1, states) if self.effect is Effect.MAX else range(states - 1)

    def level_states(self, states: int) -> range:
        """Return the state of a child of so many states that each level is, from level 0."""
        return range(states) if self.effect is Effect.MAX else range(states - 1, -1, -1)


@dataclass(frozen=True, slots=True)
class ParameterForm:
    """How the number of a relation's parameters depends on the states of the parents.

    It is constant + per_state * (sum of r - 1) + per_configuration * (product of r), r being the
    parents' numbers of states.
    """

    constant: int = 0
    per_state: int = 0
    per_configuration: int = 0

    def count(self, parent_states: Sequence[int]) -> int:
        """Return the number of parameters for parents with these numbers of states."""
        beyond_first = sum(parent_states) - len(parent_states)
        return self.count_of(beyond_first, configuration_count(parent_states))

    def count_of(self, beyond_first: int, configurations: int) -> int:
        """Return the number of parameters from the sum of r - 1 and the product of r."""
        return (
            self.constant + self.per_state * beyond_first + self.per_configuration * configurations
        )


@dataclass(frozen=True, slots=True)
class Relation(ABC):
    """One way in which a child may depend on its parents.

    Parameters
    ----------
    name
        The relation's name in files and options.
    code
        The relation's number in arrays, files and kernels; it never changes meaning.
    """

    name: str
    code: int

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> "tuple[Callable[[str], Relation], tuple[str]]":
        # Pickled by name, so that a copy, also in another process, is the registered object.
        from noisyor.core.relations.registry import relation_named  # noqa: PLC0415  (a cycle)

        return relation_named, (self.name,)

    @property
    def needs_parents(self) -> bool:
        """Whether a node without parents cannot have this relation."""
        return True

    @property
    def least_parents(self) -> int:
        """The fewest parents with which the relation competes.

        A relation with no fewer parameters than the full table is never better than it. It can be
        fitted, but it is not offered as an alternative.
        """
        return int(self.needs_parents)

    def name_for(self, child_states: int) -> str:  # noqa: ARG002
        """Return what the relation is called for a child of so many states."""
        return self.name

    @property
    def closed_form(self) -> bool:
        """Whether counts of the records give the best parameters directly, without a fit.

        Score tables then store no parameters: they are computed from the data when needed.
        """
        return False

    @property
    def causes(self) -> CauseModel | None:
        """How the parents act as independent causes; None for a relation without causes."""
        return None

    @property
    def is_noisy_or(self) -> bool:
        """Whether each present parent may bring the child about by itself, leaky or not."""
        return self.causes is not None and self.causes.is_noisy_or

    def supports(self, child: Variable, parents: Sequence[Variable]) -> bool:  # noqa: ARG002
        """Return whether this relation is defined for this child and these parents."""
        return bool(parents) or not self.needs_parents

    def parameter_form(self, child_states: int) -> ParameterForm | None:  # noqa: ARG002
        """Return how the number of free parameters depends on the parents.

        With a form, scoring knows in advance what any set of parents costs at least. None for a
        relation without one, which then defines `parameter_count`.
        """
        return None

    def parameter_count(self, child_states: int, parent_states: Sequence[int]) -> int:
        """Return the number of free parameters, which a score penalises.

        It must not fall as parents are added.
        """
        form = self.parameter_form(child_states)
        if form is None:
            raise NotImplementedError(f"{self} has neither a parameter form nor a parameter count")
        return form.count(parent_states)

    def parameter_size(self, child_states: int, parent_states: Sequence[int]) -> int:
        """Return the length of `Distribution.parameters()`, which may hold more than the free ones.

        Score tables store parameters only where they are not in closed form.
        """
        return self.parameter_count(child_states, parent_states)

    @abstractmethod
    def distribution(
        self, parameters: npt.ArrayLike, child_states: int, parent_states: Sequence[int]
    ) -> "Distribution":
        """Return the distribution with these parameters, in the order of `parameters()`."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of a child: a state of a parent, or the leak, and the chances that it acts.

    `parent` is the position of the parent among the family's parents in ascending order; None for
    the leak. `levels` has q(t) for each level t of the child, one for a binary child: the chance
    that the cause, which brings about at most t, brings about less. `unseen` says for each level
    whether no record has the cause there, so that its q has no meaning; empty if all have it.
    """

    parent: int | None
    state: int
    levels: tuple[float, ...]
    unseen: tuple[bool, ...] = ()

    def is_seen(self, level: int) -> bool:
        """Return whether records say anything about the cause at a level, from 1."""
        return not (self.unseen and self.unseen[level - 1])

    @property
    def q(self) -> float:
        """The chance that the cause, when present, leaves the child in its first state.

        That is the last state where the minimum decides.
        """
        return prod(self.levels)

    @property
    def strength(self) -> float:
        """The chance that the cause by itself moves the child from its first state."""
        return 1 - self.q

    def brings_about(self) -> tuple[float, ...]:
        """Return the chance of each level that the cause brings about by itself, from level 0."""
        acts = (1.0, *(1 - q for q in self.levels))
        return tuple(chance * prod(self.levels[level:]) for level, chance in enumerate(acts))


class Distribution(ABC):
    """The parameters of a relation at one node: the child's distribution given its parents."""

    __slots__ = ()

    @property
    @abstractmethod
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""

    @property
    @abstractmethod
    def child_states(self) -> int:
        """The number of states of the child."""

    @property
    @abstractmethod
    def parent_states(self) -> tuple[int, ...]:
        """The number of states of each parent, ascending."""

    @property
    def parent_count(self) -> int:
        """The number of parents."""
        return len(self.parent_states)

    @abstractmethod
    def parameters(self) -> Floats:
        """Return the parameters as one array, which `Relation.distribution` accepts."""

    @abstractmethod
    def expand(self) -> "Cpt":
        """Return the full table of the same distribution."""

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes, parents ascending and the leak last; empty without a cause model."""
        return ()

    def marked(self, unseen: npt.ArrayLike) -> "Distribution":
        """Return the distribution with the causes marked that no record of a level has.

        `unseen` has shape (causes, m), causes as in `causes()`.
        """
        raise TypeError(f"a {self.relation} has no causes to mark: {unseen!r}")

    def chances(self, parents: Columns, records: int) -> Floats:
        """Return the chance of each of the child's states in each record, shape (states, records).

        `parents` has the codes of each parent over the records.
        """
        return self.expand().chances(parents, records)

    def log_chances(self, parents: Columns, records: int) -> Floats:
        """Return the logarithms of `chances`, accurate also for chances close to 0 or 1."""
        return self.expand().log_chances(parents, records)


def check_probabilities(values: Floats) -> None:
    """Refuse values that are not probabilities."""
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("probabilities lie between 0 and 1")
