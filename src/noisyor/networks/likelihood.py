"""Held-out log-likelihood of a network."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, nan

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, MismatchError, Network, SettingsError, Variable
from noisyor.core.arguments import checked_arguments
from noisyor.core.dataset import Codes

SMOOTHING = 1e-3
"""The share of a uniform distribution in every conditional probability, by default."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Log-likelihood of records, in nats.

    `mean` is the mean per record, -inf if some record has probability zero; `impossible` counts
    those records and `impossible_share` is their share. `mean_possible` leaves them out; it is NaN
    if none is left. `mean_smoothed` is finite: each conditional probability p of a variable with r
    states is replaced by (1 - smoothing) p + smoothing / r, which is again a network.
    """

    records: int
    impossible: int
    mean: float
    mean_possible: float
    mean_smoothed: float
    smoothing: float

    @property
    def impossible_share(self) -> float:
        """The share of records that have probability zero."""
        return self.impossible / self.records


@checked_arguments
def log_likelihood(network: Network, data: Dataset) -> float:
    """Return the logarithm of the probability of all records, -inf if one is impossible.

    Parameters
    ----------
    network
        The network.
    data
        Records of the same variables and states, in any order.

    """
    return fsum((row_log_likelihoods(network, data) * data.weights).tolist()) / data.copies


@checked_arguments
def held_out(network: Network, data: Dataset, *, smoothing: float = SMOOTHING) -> HeldOut:
    """Return the log-likelihood of records, and how many of them the network rules out.

    Parameters
    ----------
    network
        The network.
    data
        Records of the same variables and states, in any order.
    smoothing
        The share of a uniform distribution in every conditional probability; see `HeldOut`.

    """
    if not (isfinite(smoothing) and 0 < smoothing <= 1):
        raise SettingsError(f"smoothing is {smoothing}; it must be above 0 and at most 1")
    logs = row_log_likelihoods(network, data)
    smooth = row_log_likelihoods(network, data, smoothing=smoothing)
    possible = np.isfinite(logs)
    records = int(data.weights.sum())
    left = int(data.weights[possible].sum())
    total = fsum((logs[possible] * data.weights[possible]).tolist())
    return HeldOut(
        records=records,
        impossible=records - left,
        mean=total / records if left == records else -np.inf,
        mean_possible=total / left if left else nan,
        mean_smoothed=fsum((smooth * data.weights).tolist()) / records,
        smoothing=smoothing,
    )


def row_log_likelihoods(
    network: Network, data: Dataset, *, smoothing: float = 0.0
) -> npt.NDArray[np.float64]:
    """Return the logarithm of the probability of each distinct row of the data.

    Variables are matched by name and states by label, so both may be in another order in the data.
    """
    columns = _columns(network, data)
    total = np.zeros(len(data.weights))
    with np.errstate(divide="ignore"):  # a share of the smallest positive smoothing is 0
        for family, distribution in zip(
            network.structure.families, network.distributions, strict=True
        ):
            above = [columns[parent] for parent in family.parent_indices()]
            of_states = distribution.log_chances(above, len(total))
            logs = np.take_along_axis(of_states, columns[family.child][None], axis=0)[0]
            share = smoothing / distribution.child_states
            total += np.log((1 - smoothing) * np.exp(logs) + share) if smoothing else logs
    return total


def matched_states(
    network: Network, variables: Sequence[Variable]
) -> list[tuple[int, npt.NDArray[np.uint8]]]:
    """Return the place of each variable of the network among others, and the codes of its states.

    The codes are those in the network, by those of the other variable. Variables are matched by
    name and states by label.

    Raises
    ------
    MismatchError
        The names, or the states of a variable, differ in more than their order.

    """
    names = [variable.name for variable in variables]
    if set(network.names) != set(names):
        odd = sorted(set(network.names) ^ set(names))
        raise MismatchError(
            f"the network and the records have different variables; only one of them has: "
            f"{', '.join(odd)}"
        )
    matched = []
    places = {name: place for place, name in enumerate(names)}
    for name, states in zip(network.names, network.states, strict=True):
        labels = variables[places[name]].states
        if sorted(labels) != sorted(states):
            raise MismatchError(
                f"the states of {name!r} are {' and '.join(states)} in the network and "
                f"{' and '.join(labels)} in the records"
            )
        codes = np.array([states.index(label) for label in labels], dtype=np.uint8)
        matched.append((places[name], codes))
    return matched


def _columns(network: Network, data: Dataset) -> list[Codes]:
    """Return the data's columns in the network's order and with its state codes."""
    return [codes[data.column(place)] for place, codes in matched_states(network, data.variables)]
