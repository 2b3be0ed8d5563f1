"""A structure with parameters: something that answers questions."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.dataset import States, check_names
from noisyor.core.provenance import Provenance
from noisyor.core.relation import CPT, LEAKY_NOISY_OR, NOISY_OR, Relation
from noisyor.core.structure import Structure


@dataclass(frozen=True, slots=True, eq=False)
class Cpt:
    """A full table: the probability that the child is present, per parent configuration.

    `present` has shape (2**k,) for k parents. Bit t of a configuration's index is the value of
    the t-th parent in ascending order. `unseen` marks configurations that no record had.
    """

    present: npt.NDArray[np.float64]
    unseen: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        """Check the shape and the probabilities once."""
        object.__setattr__(self, "present", read_only(self.present, np.float64))
        object.__setattr__(self, "unseen", read_only(self.unseen, np.bool_))
        size = self.present.size
        if self.present.ndim != 1 or size & (size - 1) or not size:
            raise ValueError(f"a table of {size} configurations; it must be a power of two")
        if self.unseen.shape != self.present.shape:
            raise ValueError("one mark for each configuration")
        _check_probabilities(self.present)

    @property
    def parent_count(self) -> int:
        """The number of parents."""
        return self.present.size.bit_length() - 1

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return CPT


@dataclass(frozen=True, slots=True, eq=False)
class NoisyOr:
    """Causes that act independently: `q[t]` is the chance that the t-th present parent fails.

    The child is absent with the product of the q's of the present parents (Pearl, 1988), times
    `leak_q` where there is a leak: the chance that none of the unnamed causes acts.
    """

    q: npt.NDArray[np.float64]
    leak_q: float | None = None

    def __post_init__(self) -> None:
        """Check the shape and the probabilities once."""
        object.__setattr__(self, "q", read_only(self.q, np.float64))
        if self.q.ndim != 1 or not self.q.size:
            raise ValueError("a noisy-OR has one q for each of at least one parent")
        _check_probabilities(self.q)
        if self.leak_q is not None:
            _check_probabilities(np.array([self.leak_q]))

    @property
    def parent_count(self) -> int:
        """The number of parents."""
        return self.q.size

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return NOISY_OR if self.leak_q is None else LEAKY_NOISY_OR

    def expand(self) -> npt.NDArray[np.float64]:
        """Return the probability of presence per configuration, indexed as in Cpt."""
        absent = np.array([1.0 if self.leak_q is None else self.leak_q])
        for q in self.q:
            absent = np.concatenate([absent, absent * q])
        return 1 - absent


Distribution = Cpt | NoisyOr


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A structure, the distribution at each node, its cost, and how it was made."""

    structure: Structure
    states: tuple[States, ...]
    distributions: tuple[Distribution, ...]
    cost: float | None
    provenance: Provenance

    def __post_init__(self) -> None:
        """Check that each node's distribution is that of its family."""
        object.__setattr__(self, "states", tuple(self.states))
        object.__setattr__(self, "distributions", tuple(self.distributions))
        check_names(self.structure.names)
        if not len(self.states) == len(self.distributions) == len(self.structure.names):
            raise ValueError("one pair of states and one distribution per variable")
        for family, distribution in zip(self.structure.families, self.distributions, strict=True):
            if (distribution.parent_count, distribution.relation) != (
                family.parent_count,
                family.relation,
            ):
                raise ValueError(f"the distribution of variable {family.child} is not its family's")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.structure.names


def _check_probabilities(values: npt.NDArray[np.float64]) -> None:
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("probabilities lie between 0 and 1")
