"""Log-likelihoods of records: of whole records, and of each variable given all the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from noisyor.core import Distribution, Family, Network, NetworkSet
from noisyor.core.dataset import Codes

Logs = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Networks with parameters and weights, whose mean probability predicts.

    `members` has the place of each network's family of each variable, shape (networks, n).
    `smoothing` is the share of a uniform distribution in every conditional probability.
    """

    families: Sequence[tuple[Family, Distribution]]
    members: npt.NDArray[np.int64]
    weights: Logs
    smoothing: float

    @classmethod
    def of_network(cls, network: Network, smoothing: float) -> Self:
        """Return the mixture that is one network."""
        families = list(zip(network.structure.families, network.distributions, strict=True))
        return cls(families, np.arange(len(families))[None], np.ones(1), smoothing)

    @classmethod
    def of_set(cls, networks: NetworkSet, smoothing: float) -> Self:
        """Return the average over networks by their weights."""
        families = [(one.family, one.distribution) for one in networks.families]
        return cls(families, networks.members.astype(np.int64), networks.weights(), smoothing)

    def of_records(self, codes: Codes) -> Logs:
        """Return the log-likelihood of each row, shape (rows,)."""
        logs = np.stack([self._of_family(one, codes) for one in self.families])
        return self._mixed(logs)

    def of_each_given_others(self, codes: Codes, states: Sequence[int]) -> Logs:
        """Return the log-probability of each variable given all the others, shape (rows, n).

        By definition: the probability of the row, divided by the sum over all states of the
        variable, the others unchanged. Only families that contain the variable are computed anew.
        """
        logs = np.stack([self._of_family(one, codes) for one in self.families])
        known = self._mixed(logs)
        found = np.empty(codes.shape)
        for variable, count in enumerate(states):
            every = [known]
            for shift in range(1, count):
                other = codes.copy()
                other[:, variable] = (codes[:, variable] + shift) % count
                changed = logs.copy()
                for place, one in enumerate(self.families):
                    if one[0].child == variable or one[0].parents >> variable & 1:
                        changed[place] = self._of_family(one, other)
                every.append(self._mixed(changed))
            found[:, variable] = known - np.logaddexp.reduce(every)
        return found

    def _of_family(self, one: tuple[Family, Distribution], codes: Codes) -> Logs:
        family, distribution = one
        above = [codes[:, parent] for parent in family.parent_indices()]
        of_states = distribution.log_chances(above, len(codes))
        chosen = np.take_along_axis(of_states, codes[:, family.child][None], axis=0)[0]
        share = self.smoothing / distribution.child_states
        smoothed: Logs = np.log((1 - self.smoothing) * np.exp(chosen) + share)
        return smoothed

    def _mixed(self, logs: Logs) -> Logs:
        """Return the logarithm of the networks' mean probability of each row."""
        total = np.log(self.weights)[:, None] + sum(logs[places] for places in self.members.T)
        mixed: Logs = np.logaddexp.reduce(total)
        return mixed
