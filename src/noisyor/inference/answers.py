"""The answers to queries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp

import numpy as np
import numpy.typing as npt

from noisyor.core import NetworkError
from noisyor.core.arrays import read_only
from noisyor.core.variable import States

State = str | bool | int
"""A state by its label, or True for present and False for absent."""


class ChancesByState(Mapping[str, Mapping[str, float]]):
    """A mapping from a variable to the probability of each of its states, by label.

    `chances` has a row for each of `names`: the chances of absence and of presence. Both are
    stored, because 1 - p is inaccurate for a state that is less likely than the rounding of p.
    """

    __slots__ = ()

    names: tuple[str, ...]
    states: tuple[States, ...]
    chances: npt.NDArray[np.float64]

    @property
    def absent(self) -> npt.NDArray[np.float64]:
        """The chance of absence of each variable."""
        return self.chances[:, 0]

    @property
    def present(self) -> npt.NDArray[np.float64]:
        """The chance of presence of each variable."""
        return self.chances[:, 1]

    def __getitem__(self, name: str) -> Mapping[str, float]:
        if name not in self.names:
            raise KeyError(name)
        place = self.names.index(name)
        absent, present = self.states[place]
        return {present: float(self.present[place]), absent: float(self.absent[place])}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors(ChancesByState):
    """The posterior probability of each state of some variables, given the evidence.

    A mapping from a variable to the probability of each of its states, by label. `absent` and
    `present` are the chances of one state each, in the order of `names`, and `chances` those of
    both, shape (names, 2).
    """

    names: tuple[str, ...]
    states: tuple[States, ...]
    chances: npt.NDArray[np.float64]
    given: tuple[tuple[str, str], ...]
    log_evidence: float

    def __post_init__(self) -> None:
        """Check the shape once."""
        object.__setattr__(self, "chances", read_only(self.chances, np.float64))
        if self.chances.shape != (len(self.names), 2) or len(self.states) != len(self.names):
            raise ValueError("two probabilities and one pair of states per variable")

    @property
    def evidence_probability(self) -> float:
        """The probability of the evidence; see `log_evidence` for very small ones."""
        return exp(self.log_evidence)


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior:
    """The posterior probability of each combination of states of some variables.

    `table` has one axis per variable in the order of `names`; place 0 is absent, 1 is present.
    """

    names: tuple[str, ...]
    states: tuple[States, ...]
    table: npt.NDArray[np.float64]
    given: tuple[tuple[str, str], ...]
    log_evidence: float

    def __post_init__(self) -> None:
        """Check the shape once."""
        object.__setattr__(self, "table", read_only(self.table, np.float64))
        if self.table.shape != (2,) * len(self.names):
            raise ValueError("one axis of two states per variable")

    def probability(self, states: Mapping[str, str]) -> float:
        """Return the probability of one combination of states.

        Parameters
        ----------
        states
            The label of one state for each variable of `names`.

        """
        if set(states) != set(self.names):
            raise NetworkError(f"a state is needed for each of: {', '.join(self.names)}")
        places = []
        for name, labels in zip(self.names, self.states, strict=True):
            if states[name] not in labels:
                raise NetworkError(
                    f"{name!r} has no state {states[name]!r}; it has: {', '.join(labels)}"
                )
            places.append(labels.index(states[name]))
        return float(self.table[tuple(places)])


@dataclass(frozen=True, slots=True, eq=False)
class MostProbable:
    """The most probable states of all variables together, given the evidence.

    `log_probability` is that of all the states, the evidence included; `log_evidence` that of the
    evidence alone. Where several combinations are equally likely, it is one of them.
    """

    states: Mapping[str, str]
    given: tuple[tuple[str, str], ...]
    log_probability: float
    log_evidence: float

    @property
    def posterior(self) -> float:
        """The probability of this combination, given the evidence."""
        return exp(min(0.0, self.log_probability - self.log_evidence))
