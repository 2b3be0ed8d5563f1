"""A network as the arrays that the kernels take."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import Distribution, Network


@dataclass(frozen=True, slots=True, eq=False)
class FlatNetwork:
    """Parents and parameters of all variables, concatenated, with the offset of each variable.

    A noisy-OR has each parent's q, then the leak's, which is 1 where there is none. Any other
    relation is expanded: a table has the chance of presence per configuration.
    """

    parent_offsets: npt.NDArray[np.int64]
    parents: npt.NDArray[np.int32]
    noisy_or: npt.NDArray[np.uint8]
    parameter_offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]

    @classmethod
    def of(cls, network: Network) -> "FlatNetwork":
        """Return a network's arrays; all its variables must be binary."""
        network.check_binary("inference")
        parents = [family.parent_indices() for family in network.structure.families]
        # The kernels turn these into chains, without writing out a table.
        noisy_or = [one.relation.is_noisy_or for one in network.distributions]
        parameters = [
            _failures(one) if chain else one.expand().present
            for one, chain in zip(network.distributions, noisy_or, strict=True)
        ]
        return cls(
            _offsets([len(above) for above in parents]),
            np.array([parent for above in parents for parent in above], dtype=np.int32),
            np.array(noisy_or, dtype=np.uint8),
            _offsets([values.size for values in parameters]),
            np.concatenate(parameters),
        )

    def arrays(
        self,
    ) -> tuple[
        npt.NDArray[np.int64],
        npt.NDArray[np.int32],
        npt.NDArray[np.uint8],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
    ]:
        """Return the arrays in the kernels' order."""
        return (
            self.parent_offsets,
            self.parents,
            self.noisy_or,
            self.parameter_offsets,
            self.parameters,
        )


def _failures(distribution: Distribution) -> npt.NDArray[np.float64]:
    """Return the q of each parent, ascending, and of the leak."""
    q = np.ones(distribution.parent_count + 1)
    for cause in distribution.causes():
        q[-1 if cause.parent is None else cause.parent] = cause.q
    return q


def _offsets(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
