"""Parameters of a given network from records, the network's own numbers being the prior."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import inf

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, InfeasibleFitError, Network, SettingsError, TableSizeError
from noisyor.core.arguments import checked_arguments
from noisyor.core.choices import choice_of
from noisyor.data.for_network import read_for
from noisyor.data.reading import ReadOptions
from noisyor.fitting.expert_prior import EqualRecords, PriorRecords
from noisyor.inference import Inference
from noisyor.networks.refitting import refit, with_leaks

Floats = npt.NDArray[np.float64]

_MOST_RECORDS = 2.0**53  # as many as a data set has at most


class PriorSpread(StrEnum):
    """What the weight of a prior is the weight of.

    `expected`: of that many records drawn from the network. A row of a table, or a cause, counts as
    often as the network expects its configuration, or the cause, among them (Heckerman, Geiger and
    Chickering, 1995). What is rare according to the network has little weight, and a few records
    move it.

    `each`: of each row and each cause, however rare it is.
    """

    EXPECTED = "expected"
    EACH = "each"

    @classmethod
    def of(cls, name: "PriorSpread | str") -> "PriorSpread":
        """Return the spread of that name."""
        return choice_of(cls, name, "the spread of the prior")


@checked_arguments
def fit(
    network: Network,
    data: object,
    *,
    prior_weight: float | Mapping[str, float],
    spread: PriorSpread | str = PriorSpread.EXPECTED,
    add_leaks: bool | Collection[str] = False,
) -> Network:
    """Return the network with parameters from records, starting from its own numbers.

    The graph and the relations stay: a noisy-OR stays a noisy-OR. The network's numbers count like
    records of the stated weight. Independent causes are fitted to a proven optimum. The strength
    of a cause that no record has stays as it is. The result keeps what the network's file says
    beyond its distribution, such as positions and titles.

    Parameters
    ----------
    network
        The network, for example that of an expert.
    data
        The records: a data set, or a path, frame or array, as for `read`. Columns are matched to
        variables by name or title, values to states by label. Other columns are ignored, with a
        warning.
    prior_weight
        How many records the network's numbers count for, its equivalent sample size: one number, or
        one for each variable by name. 0 leaves only the records, which gives the maximum of the
        likelihood, and infinity keeps the numbers of a node.
    spread
        What the weight is the weight of; see `PriorSpread`.
    add_leaks
        Whether causes without a leak get one, of strength 0 before the fit, or the names of the
        nodes that do. Without a leak, a record in which no cause explains the child is
        impossible, and no fit exists.

    Raises
    ------
    MismatchError
        The records lack a variable, or have a value that is no state of theirs.
    InfeasibleFitError
        Some causes without a leak cannot explain every record.
    TableSizeError
        The network is too densely connected to say what it expects; the spread `each` needs no
        such answer.

    Examples
    --------
    >>> import noisyor
    >>> expert = noisyor.example_truth("clinic")
    >>> records = noisyor.sample_dataset(expert, 200, seed=1)
    >>> fitted = noisyor.fit(expert, records, prior_weight=50)
    >>> fitted.structure == expert.structure
    True
    """
    try:
        return update(
            network,
            records_for(network, data),
            prior_weight=prior_weight,
            spread=spread,
            add_leaks=add_leaks,
        )
    except InfeasibleFitError as error:
        raise InfeasibleFitError(f"{error}. add_leaks=True adds a leak") from error


def update(
    network: Network,
    records: Dataset,
    *,
    prior_weight: float | Mapping[str, float],
    spread: PriorSpread | str = PriorSpread.EXPECTED,
    add_leaks: bool | Collection[str] = False,
) -> Network:
    """Fit as `fit` does, to records that are in the network's variables and states already."""
    chosen = PriorSpread.of(spread)
    weights = _weights(network, prior_weight)
    expected = _ExpectedRecords(network)

    def prior_of(variable: int) -> PriorRecords | None:
        weight = weights[variable]
        if weight == inf:
            return None
        if chosen is PriorSpread.EACH or weight == 0:
            return EqualRecords(weight)
        return expected.of(variable, weight)

    start = before_fit(network, add_leaks=add_leaks)
    return refit(start, records, prior_of, _settings(network, weights, chosen))


def before_fit(network: Network, *, add_leaks: bool | Collection[str] = False) -> Network:
    """Return the network from which a fit starts: with the leaks that it adds, of strength 0."""
    if add_leaks is False:
        return network
    return with_leaks(network, _leakless(network) if add_leaks is True else add_leaks)


def records_for(network: Network, data: object, options: ReadOptions | None = None) -> Dataset:
    """Return records in the variables and states of a network; see `fit`.

    Parameters
    ----------
    network
        The network.
    data
        A data set, path, frame or array.
    options
        How a path, frame or array is read.

    """
    shown = ((name, network.appearance.of(name).title) for name in network.names)
    titles = {name: title for name, title in shown if title is not None}
    return read_for(network.variables, titles, data, options)


def _leakless(network: Network) -> tuple[str, ...]:
    """Return the names of the nodes with independent causes and no leak."""
    return tuple(
        name
        for name, family in zip(network.names, network.structure.families, strict=True)
        if family.relation.causes is not None and not family.relation.causes.leak
    )


def _weights(network: Network, given: float | Mapping[str, float]) -> list[float]:
    """Return the weight of each node."""
    if not isinstance(given, Mapping):
        given = dict.fromkeys(network.names, given)
    for name in given:
        network.index(name)  # refuses an unknown one
    lacking = [name for name in network.names if name not in given]
    if lacking:
        raise SettingsError(
            f"the prior has no weight for {', '.join(lacking)}; each node needs one"
        )
    for name, weight in given.items():
        if not (0 <= weight <= _MOST_RECORDS or weight == inf):
            raise SettingsError(
                f"the prior weight of {name!r} is {weight:g}; it must be a number of records from "
                f"0 to {_MOST_RECORDS:g}, or infinity"
            )
    return [float(given[name]) for name in network.names]


def _settings(
    network: Network, weights: Sequence[float], spread: PriorSpread
) -> tuple[tuple[str, str], ...]:
    """Return what the provenance records: the weight of most nodes, and those of the others."""
    usual = max(weights, key=weights.count)
    others = [
        f"{name}={one:g}" for name, one in zip(network.names, weights, strict=True) if one != usual
    ]
    said = ", ".join([f"{usual:g}", *others])
    return (("prior weight", said), ("prior spread", str(spread)))


class _ExpectedRecords:
    """How often a network expects the states of a node's parents, together and each."""

    def __init__(self, network: Network) -> None:
        self.network = network

    def of(self, variable: int, weight: float) -> PriorRecords:
        """Return the imaginary records of a node, `weight` of them in total."""
        names = [
            self.network.names[v]
            for v in self.network.structure.families[variable].parent_indices()
        ]
        return _NodeRecords(self, tuple(names), weight)

    @cached_property
    def inference(self) -> Inference:
        """The network, ready to be asked."""
        return Inference(self.network)

    @cached_property
    def marginals(self) -> dict[str, Floats]:
        """The probability of each state of each variable."""
        try:
            answer = self.inference.posteriors()
        except TableSizeError as error:
            raise _too_large(error) from error
        return {
            one.name: np.array([answer[one.name][state] for state in one.states])
            for one in self.network.variables
        }

    def joint(self, names: tuple[str, ...]) -> Floats:
        """Return the probability of each configuration of some variables."""
        try:
            return self.inference.joint(names).table
        except TableSizeError as error:
            raise _too_large(error) from error


def _too_large(error: TableSizeError) -> TableSizeError:
    reason = str(error).partition(". ")[0]
    return TableSizeError(
        f"the records that the network expects cannot be counted: {reason}. With the spread 'each' "
        "they need not be"
    )


@dataclass(frozen=True, slots=True)
class _NodeRecords(PriorRecords):
    """The imaginary records of one node, as the network would draw them."""

    network: _ExpectedRecords
    parents: tuple[str, ...]
    weight: float

    def of_configurations(self, parent_states: Sequence[int]) -> Floats:
        """Return the weight times the probability of each configuration."""
        if not parent_states:
            return np.array([self.weight])
        joint = self.network.joint(self.parents)
        return self.weight * joint.reshape(-1, order="F")  # the first parent varies fastest

    def of_states(self, parent_states: Sequence[int]) -> list[Floats]:
        """Return the weight times the probability of each state."""
        del parent_states  # the network knows them
        return [self.weight * self.network.marginals[name] for name in self.parents]

    @property
    def of_node(self) -> float:
        """The weight."""
        return self.weight
