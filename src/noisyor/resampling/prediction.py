"""Log-likelihood of held-out records: of the best network, and of the average over a set."""

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, NetworkSet

Logs = npt.NDArray[np.float64]

_MOST_CELLS = 2**22  # of members times rows at once


def averaged_log_likelihoods(networks: NetworkSet, data: Dataset, smoothing: float) -> Logs:
    """Return the logarithm of the mean probability of each distinct row, by the networks' weights.

    Each conditional probability p of a variable with r states is replaced by
    (1 - smoothing) p + smoothing / r, as in `noisyor.held_out`.

    Parameters
    ----------
    networks
        The networks with their parameters.
    data
        Records of the same variables.
    smoothing
        The share of a uniform distribution in every conditional probability.

    """
    rows = len(data.weights)
    logs = np.empty((len(networks.families), rows))
    with np.errstate(divide="ignore"):
        for own, one in zip(logs, networks.families, strict=True):
            above = [data.column(parent) for parent in one.family.parent_indices()]
            of_states = one.distribution.log_chances(above, rows)
            child = data.column(one.family.child)
            chances = np.exp(np.take_along_axis(of_states, child[None], axis=0)[0])
            share = smoothing / one.distribution.child_states
            own[:] = np.log((1 - smoothing) * chances + share)
        shares = np.log(networks.weights())
    averaged = np.empty(rows)
    step = max(1, _MOST_CELLS // len(networks))
    for start in range(0, rows, step):
        part = logs[:, start : start + step]
        total = shares[:, None] + sum(part[networks.members[:, v]] for v in _variables(networks))
        most = total.max(axis=0)
        averaged[start : start + step] = most + np.log(np.exp(total - most).sum(axis=0))
    return averaged


def _variables(networks: NetworkSet) -> range:
    return range(len(networks.names))
