"""Exact answers from one network."""

from collections.abc import Iterable, Mapping
from math import inf

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import (
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    SettingsError,
    TableSizeError,
)
from noisyor.core.configurations import MAX_EXPANDED_PARENTS
from noisyor.inference.answers import JointPosterior, MostProbable, Posteriors, State
from noisyor.inference.flat_network import FlatNetwork

_LARGEST_LIMIT = 2**31  # the kernels count entries in 32 bits

UNKNOWN = 2
"""The kernels' code for a variable that was not observed; the others are 0 and 1."""

MOST_ENTRIES = 2**26
"""The most entries of the tables of one query together; with messages about 1 GiB."""

MOST_JOINT_VARIABLES = 20
"""The most variables of a joint distribution."""


class Inference:
    """Exact inference in one network.

    Each query is answered exactly, by message passing in a cluster tree made for it: irrelevant
    variables are left out, the evidence is entered first, and a noisy-OR becomes a chain of small
    tables (see docs/inference.md). Queries do not change the object.

    Parameters
    ----------
    network
        A network of binary variables.
    most_entries
        The most entries that the tables of one query may have together.
    """

    def __init__(self, network: Network, *, most_entries: int = MOST_ENTRIES) -> None:
        if not 1 <= most_entries <= _LARGEST_LIMIT:
            raise SettingsError(
                f"most_entries is {most_entries}; it must be between 1 and {_LARGEST_LIMIT}"
            )
        self.network = network
        self._flat = FlatNetwork.of(network)
        self._most_entries = most_entries

    def posteriors(
        self, targets: Iterable[str] | None = None, given: Mapping[str, State] | None = None
    ) -> Posteriors:
        """Return the distribution of each target, given the evidence.

        Parameters
        ----------
        targets
            Names of variables; by default all that were not observed.
        given
            The evidence: the observed state of each variable, by name.

        """
        evidence = self._evidence(given)
        names = self._targets(targets, evidence)
        chosen = [self.network.index(name) for name in names]
        wanted = np.zeros(len(self.network.names), dtype=np.uint8)
        wanted[chosen] = 1
        chances, log_evidence = self.marginals(self._codes(evidence)[None], wanted)
        self._refuse_impossible(float(log_evidence[0]), evidence)
        return Posteriors(
            names,
            tuple(self.network.states[v] for v in chosen),
            chances[0, chosen],
            self._labels(evidence),
            float(log_evidence[0]),
        )

    def joint(
        self, targets: Iterable[str], given: Mapping[str, State] | None = None
    ) -> JointPosterior:
        """Return the joint distribution of the targets, given the evidence.

        Parameters
        ----------
        targets
            Names of variables.
        given
            The evidence: the observed state of each variable, by name.

        """
        evidence = self._evidence(given)
        names = self._targets(targets, evidence)
        if not 1 <= len(names) <= MOST_JOINT_VARIABLES:
            raise TableSizeError(
                f"a joint distribution of {len(names)} variables was asked for; allowed: 1 to "
                f"{MOST_JOINT_VARIABLES}"
            )
        chosen = [self.network.index(name) for name in names]
        values, log_evidence, entries = kernels.joint(
            *self._flat.arrays(),
            self._codes(evidence),
            # The kernel's first variable varies fastest; in an array, the last one does.
            np.array(chosen[::-1], dtype=np.int32),
            self._most_entries,
        )
        self._refuse_large(entries)
        self._refuse_impossible(log_evidence, evidence)
        return JointPosterior(
            names,
            tuple(self.network.states[v] for v in chosen),
            values.reshape((2,) * len(names)),
            self._labels(evidence),
            log_evidence,
        )

    def log_evidence(self, given: Mapping[str, State]) -> float:
        """Return the logarithm of the probability of the evidence, -inf if it is impossible.

        Parameters
        ----------
        given
            The evidence: the observed state of each variable, by name.

        """
        evidence = self._evidence(given)
        nothing = np.zeros(len(self.network.names), dtype=np.uint8)
        return float(self.marginals(self._codes(evidence)[None], nothing)[1][0])

    def most_probable(self, given: Mapping[str, State] | None = None) -> MostProbable:
        """Return the most probable states of all variables, given the evidence.

        Noisy-ORs are expanded to full tables of their unobserved parents, unless the child is
        observed absent: the auxiliary variables of a chain would have to be summed out, which does
        not commute with the maximum.

        Parameters
        ----------
        given
            The evidence: the observed state of each variable, by name.

        """
        evidence = self._evidence(given)
        self._refuse_wide_noisy_ors(evidence)
        states, log_probability, entries = kernels.most_probable(
            *self._flat.arrays(), self._codes(evidence), self._most_entries
        )
        self._refuse_large(entries)
        self._refuse_impossible(log_probability, evidence)
        labels = {
            name: pair[int(state)]
            for name, pair, state in zip(
                self.network.names, self.network.states, states.tolist(), strict=True
            )
        }
        return MostProbable(
            labels,
            self._labels(evidence),
            log_probability,
            self.log_evidence(given or {}),
        )

    def marginals(
        self, observed: npt.NDArray[np.uint8], targets: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Answer many queries at once, each a row of observations (0, 1, or UNKNOWN).

        Return the chances of absence and presence of the marked targets, and 0 for the others,
        shape (rows, variables, 2), and the logarithm of the probability of each row's observations.
        Where that is -inf, the row's chances have no meaning.
        """
        chances, log_evidence, entries = kernels.marginals(
            *self._flat.arrays(), observed, targets, self._most_entries
        )
        self._refuse_large(entries)
        return chances, log_evidence

    def _evidence(self, given: Mapping[str, State] | None) -> dict[int, int]:
        return {
            self.network.index(name): self.network.state_index(name, state)
            for name, state in (given or {}).items()
        }

    def _codes(self, evidence: Mapping[int, int]) -> npt.NDArray[np.uint8]:
        codes = np.full(len(self.network.names), UNKNOWN, dtype=np.uint8)
        for variable, state in evidence.items():
            codes[variable] = state
        return codes

    def _labels(self, evidence: Mapping[int, int]) -> tuple[tuple[str, str], ...]:
        return tuple(
            (self.network.names[v], self.network.states[v][state]) for v, state in evidence.items()
        )

    def _targets(
        self, targets: Iterable[str] | None, evidence: Mapping[int, int]
    ) -> tuple[str, ...]:
        if targets is None:
            return tuple(name for v, name in enumerate(self.network.names) if v not in evidence)
        if isinstance(targets, str):
            raise NetworkError(f"targets is the text {targets!r}; it must be a list of names")
        names = tuple(targets)
        for name in names:
            if self.network.index(name) in evidence:
                raise NetworkError(
                    f"{name!r} is both a target and observed; a target must not be in the evidence"
                )
        if len(set(names)) != len(names):
            raise NetworkError(f"a target is named twice: {', '.join(names)}")
        return names

    def _refuse_large(self, entries: int) -> None:
        if entries > self._most_entries:
            raise TableSizeError(
                "the network is too densely connected for an exact answer: its tables would have "
                f"more than {self._most_entries} entries together, the most allowed. Ask for fewer "
                "variables, or observe more of them"
            )

    def _refuse_wide_noisy_ors(self, evidence: Mapping[int, int]) -> None:
        structure = self.network.structure
        for child, noisy_or in enumerate(self._flat.noisy_or.tolist()):
            if not noisy_or or evidence.get(child) == 0:
                continue
            left = [v for v in structure.families[child].parent_indices() if v not in evidence]
            if len(left) > MAX_EXPANDED_PARENTS:
                raise TableSizeError(
                    f"the noisy-OR of {self.network.names[child]!r} has {len(left)} parents that "
                    "are not observed; the most probable states can be found with at most "
                    f"{MAX_EXPANDED_PARENTS}. Posteriors have no such limit"
                )

    def _refuse_impossible(self, log_evidence: float, evidence: Mapping[int, int]) -> None:
        """Raise an error that names the first observation that contradicts those before it."""
        if log_evidence > -inf:
            return
        labels = self._labels(evidence)
        prefixes = np.full((len(evidence), len(self.network.names)), UNKNOWN, dtype=np.uint8)
        for row, (variable, state) in enumerate(evidence.items()):
            prefixes[row:, variable] = state
        nothing = np.zeros(len(self.network.names), dtype=np.uint8)
        logs = self.marginals(prefixes, nothing)[1]
        first = int(np.isneginf(logs).argmax())
        name, label = labels[first]
        before = ", ".join(f"{other}={state}" for other, state in labels[:first])
        raise ImpossibleEvidenceError(
            f"{name}={label} has probability zero in this network"
            + (f" together with {before}" if before else "")
        )
