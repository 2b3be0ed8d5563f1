"""A network as the arrays that the kernels take."""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Distribution, Network
from noisyor.core.relations import Effect


class ParameterKind(IntEnum):
    """How the parameters of a variable are given: the kernels' codes."""

    TABLE = 0
    MAXIMUM = 1
    MINIMUM = 2


def flat_network(network: Network) -> kernels.FlatNetwork:
    """Return parents and parameters of all variables, concatenated.

    Independent causes keep their parameters: the kernels write out no table of many causes. Any
    other relation is expanded to the full table.
    """
    parents = [family.parent_indices() for family in network.structure.families]
    kinds, parameters = zip(*map(flat_parameters, network.distributions), strict=True)
    return kernels.FlatNetwork(
        np.array([variable.state_count for variable in network.variables], dtype=np.int32),
        _offsets([len(above) for above in parents]),
        np.array([parent for above in parents for parent in above], dtype=np.int32),
        np.array(kinds, dtype=np.uint8),
        _offsets([values.size for values in parameters]),
        np.concatenate(parameters),
    )


def flat_parameters(
    distribution: Distribution,
) -> tuple[ParameterKind, npt.NDArray[np.float64]]:
    """Return the parameters of one variable: the rows of a full table, or the q of causes."""
    kind = _kind(distribution)
    if kind is ParameterKind.TABLE:
        return kind, distribution.expand().parameters()
    return kind, _failures(distribution)


def _kind(distribution: Distribution) -> ParameterKind:
    model = distribution.relation.causes
    if model is None:
        return ParameterKind.TABLE
    return ParameterKind.MAXIMUM if model.effect is Effect.MAX else ParameterKind.MINIMUM


def _failures(distribution: Distribution) -> npt.NDArray[np.float64]:
    """Return q for each level, for each state of each parent, then for the leak.

    It is 1 for a state that does not act, and where there is no leak.
    """
    starts = _offsets(list(distribution.parent_states))
    q = np.ones((starts[-1] + 1, distribution.child_states - 1))
    for cause in distribution.causes():
        q[-1 if cause.parent is None else starts[cause.parent] + cause.state] = cause.levels
    return q.reshape(-1)


def _offsets(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
