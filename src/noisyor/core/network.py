"""A structure with parameters: something that answers questions."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.dataset import States, check_names, check_states
from noisyor.core.errors import NetworkError, TableSizeError
from noisyor.core.provenance import Provenance
from noisyor.core.relation import CPT, LEAKY_NOISY_OR, NOISY_OR, Relation
from noisyor.core.structure import Structure

MAX_EXPANDED_PARENTS = 20
"""A table has 2**k entries: with more parents than this it no longer fits anywhere."""


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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cpt):
            return NotImplemented
        return np.array_equal(self.present, other.present) and np.array_equal(
            self.unseen, other.unseen
        )

    def __hash__(self) -> int:
        return hash((self.present.tobytes(), self.unseen.tobytes()))

    @classmethod
    def known(cls, present: npt.ArrayLike) -> "Cpt":
        """Return a table whose every configuration is known."""
        values = np.asarray(present, dtype=np.float64)
        return cls(values, np.zeros(values.shape, dtype=np.bool_))

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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NoisyOr):
            return NotImplemented
        return np.array_equal(self.q, other.q) and self.leak_q == other.leak_q

    def __hash__(self) -> int:
        return hash((self.q.tobytes(), self.leak_q))

    @property
    def parent_count(self) -> int:
        """The number of parents."""
        return self.q.size

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return NOISY_OR if self.leak_q is None else LEAKY_NOISY_OR

    @property
    def strengths(self) -> npt.NDArray[np.float64]:
        """The chance that each parent, when present, brings the child about: 1 - q."""
        return 1 - self.q

    @property
    def leak(self) -> float:
        """The chance that the child is present although no parent is; 0 without a leak."""
        return 0.0 if self.leak_q is None else 1 - self.leak_q

    def expand(self) -> npt.NDArray[np.float64]:
        """Return the probability of presence per configuration, indexed as in Cpt."""
        if self.parent_count > MAX_EXPANDED_PARENTS:
            raise TableSizeError(
                f"a noisy-OR with {self.parent_count} parents has a table of "
                f"2**{self.parent_count} entries; at most {MAX_EXPANDED_PARENTS} parents can be "
                "written out as a table"
            )
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
        check_states(self.structure.names, self.states)
        if self.cost is not None and not isfinite(self.cost):
            raise ValueError(f"the cost is {self.cost}; it must be a number, or None")
        for family, distribution in zip(self.structure.families, self.distributions, strict=True):
            if (distribution.parent_count, distribution.relation) != (
                family.parent_count,
                family.relation,
            ):
                raise ValueError(f"the distribution of variable {family.child} is not its family's")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[object, ...]:
        return (self.structure, self.states, self.distributions, self.cost, self.provenance)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self.structure.names

    def index(self, name: str) -> int:
        """Return the number of the variable of that name."""
        if name not in self.names:
            raise NetworkError(
                f"there is no variable {name!r}; the network has: {', '.join(self.names)}"
            )
        return self.names.index(name)

    def is_present(self, name: str, state: str | bool | int) -> bool:
        """Return whether a state of a variable, by label or as a truth value, is present."""
        labels = self.states[self.index(name)]
        if isinstance(state, str):
            if state in labels:
                return state == labels[1]
        elif state in {False, True}:
            return bool(state)
        raise NetworkError(
            f"{name!r} has no state {state!r}; it has: {labels[1]} (present), {labels[0]} (absent)"
        )


def _check_probabilities(values: npt.NDArray[np.float64]) -> None:
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("probabilities lie between 0 and 1")
