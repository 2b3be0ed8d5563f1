"""The answers to queries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
import numpy.typing as npt

from noisyor.core import NetworkError
from noisyor.core.arrays import read_only
from noisyor.core.html_table import html_table
from noisyor.core.variable import BINARY, States
from noisyor.inference.evidence import Given, given_words

Floats = npt.NDArray[np.float64]
ByVariable = tuple[Floats, ...]
"""An array for each variable; its last axis has a place for each state."""


class ChancesByState(Mapping[str, Mapping[str, float]]):
    """A mapping from a variable to the probability of each of its states, by label.

    `chances` has an array for each of `names`: the chance of each state. All are stored, because
    what the others leave of 1 is inaccurate for a state that is less likely than their rounding.
    """

    __slots__ = ()

    names: tuple[str, ...]
    states: tuple[States, ...]
    chances: ByVariable

    @property
    def absent(self) -> Floats:
        """The chance of absence of each variable; all of them must be binary."""
        return self._of_state(0)

    @property
    def present(self) -> Floats:
        """The chance of presence of each variable; all of them must be binary."""
        return self._of_state(1)

    def __getitem__(self, name: str) -> Mapping[str, float]:
        if name not in self.names:
            raise KeyError(name)
        place = self.names.index(name)
        labels, chances = self.states[place], self.chances[place]
        return {labels[state]: float(chances[state]) for state in shown_order(labels)}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def _of_state(self, state: int) -> Floats:
        for name, labels in zip(self.names, self.states, strict=True):
            if len(labels) != BINARY:
                raise NetworkError(
                    f"{name!r} has {len(labels)} states ({', '.join(labels)}); only variables with "
                    "two are absent or present. `chances` has the chance of each state"
                )
        return np.array([chances[state] for chances in self.chances])


def shown_order(states: States) -> Sequence[int]:
    """Return the order in which states are shown: of two, the presence first."""
    return (1, 0) if len(states) == BINARY else range(len(states))


def by_variable(values: ByVariable, states: tuple[States, ...], *leading: int) -> ByVariable:
    """Return read-only arrays; refuse others than one per variable with a place for each state."""
    if len(values) != len(states):
        raise ValueError("one array of chances and one list of states per variable")
    for one, labels in zip(values, states, strict=True):
        if one.shape != (*leading, len(labels)):
            raise ValueError(f"an array of shape {one.shape} for {len(labels)} states")
    return tuple([read_only(one, np.float64) for one in values])


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws of all variables for several rows of observations.

    `codes` (draws, n) has the distinct draws of the first row, then those of the second, and so on;
    `counts` (draws,) how often each was drawn, `ends` (rows,) where those of each row end, and
    `log_evidence` (rows,) the logarithm of the probability of each row's observations.
    """

    codes: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    log_evidence: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Posteriors(ChancesByState):
    """The posterior probability of each state of some variables, given the evidence.

    A mapping from a variable to the probability of each of its states, by label. `chances` has an
    array of the chances of its states for each of `names`. For binary variables, `absent` and
    `present` are the chances of one state each, in the order of `names`.

    `log_evidence` is the logarithm of the probability of the evidence; with soft evidence, that of
    its expected likelihood.
    """

    names: tuple[str, ...]
    states: tuple[States, ...]
    chances: ByVariable
    given: Given
    log_evidence: float

    def __post_init__(self) -> None:
        """Check the shapes once."""
        if len(self.names) != len(self.states):
            raise ValueError("one name and one list of states per variable")
        object.__setattr__(self, "chances", by_variable(self.chances, self.states))

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        rows = [(name, label, chance) for name in self for label, chance in self[name].items()]
        columns = ("variable", "state", "probability")
        return html_table(columns, rows, given_words(self.given), grouped=True)

    @property
    def evidence_probability(self) -> float:
        """The probability of the evidence; see `log_evidence` for very small ones."""
        return exp(self.log_evidence)


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior:
    """The posterior probability of each combination of states of some variables.

    `table` has one axis per variable in the order of `names`, with a place for each of its states.
    """

    names: tuple[str, ...]
    states: tuple[States, ...]
    table: Floats
    given: Given
    log_evidence: float

    def __post_init__(self) -> None:
        """Check the shape once."""
        object.__setattr__(self, "table", read_only(self.table, np.float64))
        if self.table.shape != tuple(map(len, self.states)) or len(self.names) != self.table.ndim:
            raise ValueError("one axis per variable, with a place for each of its states")

    def _repr_html_(self) -> str:
        """Return a table for notebooks, the likeliest combinations first."""
        likeliest = np.argsort(-self.table, axis=None, kind="stable")
        rows = []
        for place in likeliest.tolist():
            at = np.unravel_index(place, self.table.shape)
            labels = [own[int(state)] for own, state in zip(self.states, at, strict=True)]
            rows.append((*labels, float(self.table[at])))
        return html_table((*self.names, "probability"), rows, given_words(self.given))

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
    given: Given
    log_probability: float
    log_evidence: float

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        known = dict(self.given)
        rows = [(name, state) for name, state in self.states.items() if name not in known]
        said = f"most probable states, together {self.posterior:.4g}"
        caption = ", ".join(filter(None, (said, given_words(self.given))))
        return html_table(("variable", "state"), rows, caption)

    @property
    def posterior(self) -> float:
        """The probability of this combination, given the evidence."""
        return exp(min(0.0, self.log_probability - self.log_evidence))
