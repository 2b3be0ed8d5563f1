"""Errors of a learned network's posteriors, entry by entry from the joint distributions.

Shares no code with the package: it sums tables, and matches variables and states by their names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from tests.oracles.joint import joint

if TYPE_CHECKING:
    from noisyor.core import Network

Evidence = Mapping[str, str]


class NaiveNetwork:
    """A network's joint distribution, queried by name."""

    def __init__(self, network: "Network") -> None:
        self._names, self._states = network.names, network.states
        self._joint = joint(network)

    def probability(self, states: Evidence) -> float:
        """Return the probability that these variables have these states."""
        index: list[slice | int] = [slice(None)] * len(self._names)
        for name, state in states.items():
            place = self._names.index(name)
            index[place] = self._states[place].index(state)
        return float(np.sum(self._joint[tuple(index)]))


@dataclass
class NaiveErrors:
    """The errors of each trial, and the number of trials of each kind."""

    relative: list[list[float]] = field(default_factory=list)
    absolute: list[list[float]] = field(default_factory=list)
    zeros: int = 0
    infinite: int = 0
    impossible: int = 0

    @property
    def medians(self) -> tuple[float, float]:
        """The median relative and absolute errors over all entries."""
        return (
            median(error for trial in self.relative for error in trial),
            median(error for trial in self.absolute for error in trial),
        )


def errors(truth: "Network", learned: "Network", trials: list[Evidence]) -> NaiveErrors:
    """Return the errors of the learned network, given the evidence of each trial."""
    true, other = NaiveNetwork(truth), NaiveNetwork(learned)
    result = NaiveErrors()
    for evidence in trials:
        possible = other.probability(evidence) > 0
        result.impossible += not possible
        relative, absolute = [], []
        for name, states in zip(truth.names, truth.states, strict=True):
            if name in evidence:
                continue
            for state in states:
                asked = {**evidence, name: state}
                wanted = true.probability(asked) / true.probability(evidence)
                if not possible:
                    relative.append(inf)
                    absolute.append(inf)
                    continue
                difference = abs(other.probability(asked) / other.probability(evidence) - wanted)
                absolute.append(difference)
                if wanted > 0:
                    relative.append(difference / wanted)
                else:
                    relative.append(inf if difference > 0 else 0.0)
                    result.zeros += difference == 0
                    result.infinite += difference > 0
        result.relative.append(relative)
        result.absolute.append(absolute)
    return result
