"""A network as the arrays that the kernels take."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Network


@dataclass(frozen=True, slots=True, eq=False)
class FlatNetwork:
    """Parents and parameters of all variables, one after another, with where each one's begin.

    A table has the chance of presence per configuration; a noisy-OR each parent's q, then the
    leak's, which is 1 where there is none.
    """

    parent_offsets: npt.NDArray[np.int64]
    parents: npt.NDArray[np.int32]
    noisy_or: npt.NDArray[np.uint8]
    parameter_offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]

    @classmethod
    def of(cls, network: Network) -> "FlatNetwork":
        """Return a network's arrays."""
        parents = [family.parent_indices() for family in network.structure.families]
        parameters = [
            one.present
            if isinstance(one, Cpt)
            else np.append(one.q, 1.0 if one.leak_q is None else one.leak_q)
            for one in network.distributions
        ]
        return cls(
            _offsets([len(above) for above in parents]),
            np.array([parent for above in parents for parent in above], dtype=np.int32),
            np.array([not isinstance(one, Cpt) for one in network.distributions], dtype=np.uint8),
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


def _offsets(sizes: list[int]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
