"""What is known about a case: observed states, and likelihoods of states."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from noisyor.core import Network, NetworkError
from noisyor.core.number_states import in_state

State = str | bool | float
"""A state by its label; for a binary variable also True for present and False for absent. A number
stands for the state of that value, or for the bin that holds it."""

Finding = State | Mapping[str, float]
"""An observed state, or soft evidence: a likelihood of each state, by label."""

Given = tuple[tuple[str, str | Mapping[str, float]], ...]
"""The evidence of an answer, by name: the label of the observed state, or the likelihoods."""

UNKNOWN = 255
"""The kernels' code for a variable whose state was not observed."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The evidence about some variables, by number, in the order in which it was given.

    An observed state is a number. Soft evidence is an array of likelihoods, one for each state: how
    probable the finding is in each of them, up to a common factor (Pearl, 1988, virtual evidence).
    """

    network: Network
    findings: Mapping[int, int | npt.NDArray[np.float64]]

    @classmethod
    def of(cls, network: Network, given: Mapping[str, Finding] | None) -> "Evidence":
        """Return the evidence; refuse unknown names and states, and impossible likelihoods."""
        return cls(
            network,
            {
                network.index(name): (
                    _likelihoods(network, name, finding)
                    if isinstance(finding, Mapping)
                    else network.state_index(name, finding)
                )
                for name, finding in (given or {}).items()
            },
        )

    def first(self, count: int) -> "Evidence":
        """Return the first findings alone."""
        return Evidence(self.network, dict(list(self.findings.items())[:count]))

    def is_observed(self, variable: int) -> bool:
        """Return whether the state of a variable is known."""
        return isinstance(self.findings.get(variable), int)

    def codes(self) -> npt.NDArray[np.uint8]:
        """Return the observed state of each variable, or UNKNOWN."""
        codes = np.full(len(self.network.names), UNKNOWN, dtype=np.uint8)
        for variable, finding in self.findings.items():
            if isinstance(finding, int):
                codes[variable] = finding
        return codes

    def soft(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the variables with soft evidence, and all their likelihoods, concatenated."""
        found = {v: one for v, one in self.findings.items() if not isinstance(one, int)}
        variables = np.array(list(found), dtype=np.int32)
        return variables, np.concatenate([np.empty(0), *found.values()])

    def given(self) -> Given:
        """Return the findings by name and label."""
        return tuple((self.network.names[v], self._labelled(v)) for v in self.findings)

    def texts(self) -> list[str]:
        """Return each finding as text."""
        return [in_state(name, finding_text(finding)) for name, finding in self.given()]

    def _labelled(self, variable: int) -> str | Mapping[str, float]:
        labels = self.network.variables[variable].states
        finding = self.findings[variable]
        if isinstance(finding, int):
            return labels[finding]
        return dict(zip(labels, finding.tolist(), strict=True))


def finding_text(finding: str | Mapping[str, float]) -> str:
    """Return a finding as it is written on the command line: `low`, or `low:0.2|mid:1`."""
    if isinstance(finding, str):
        return finding
    return "|".join(f"{label}:{likelihood:g}" for label, likelihood in finding.items())


def findings_text(given: Given) -> str:
    """Return the evidence as text, like `a=yes, b=no`."""
    return ", ".join(in_state(name, finding_text(finding)) for name, finding in given)


def given_words(given: Given) -> str:
    """Return the evidence as the caption of a table: `given a=yes, b=no`, or nothing."""
    said = findings_text(given)
    return f"given {said}" if said else ""


def _likelihoods(
    network: Network, name: str, finding: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    labels = network.variables[network.index(name)].states
    found: dict[int, float] = {}
    for label, value in finding.items():
        state = network.state_index(name, label)
        if state in found:
            raise NetworkError(
                f"the soft evidence on {name!r} has two likelihoods for {labels[state]}"
            )
        found[state] = float(value)
    missing = [label for state, label in enumerate(labels) if state not in found]
    if missing:
        raise NetworkError(
            f"the soft evidence on {name!r} has no likelihood for: {', '.join(missing)}; it needs "
            "one for each state"
        )
    values = [found[state] for state in range(len(labels))]
    for label, value in zip(labels, values, strict=True):
        if not (isfinite(value) and value >= 0):
            raise NetworkError(
                f"the likelihood of {in_state(name, label)} is {value:g}; it must be a number, "
                "0 or more"
            )
    if not any(values):
        raise NetworkError(f"all likelihoods of {name!r} are 0; at least one must be larger")
    return np.array(values)
