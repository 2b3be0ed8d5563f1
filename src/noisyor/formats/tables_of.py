"""The full table of any node, for formats that know nothing else."""

import warnings

import numpy as np
import numpy.typing as npt

from noisyor.core import Network, NoisyOr, TableSizeError
from noisyor.core.network import MAX_EXPANDED_PARENTS
from noisyor.core.warning import ConversionWarning


def announce_tables(network: Network, format_name: str, *, stacklevel: int = 3) -> None:
    """Refuse nodes too large for a table; warn of noisy-ORs that a format holds as tables only.

    By default the warning points at the caller of the function that calls this one.
    """
    expanded = []
    for name, distribution in zip(network.names, network.distributions, strict=True):
        count = distribution.parent_count
        if count > MAX_EXPANDED_PARENTS:
            raise TableSizeError(
                f"{name!r} has {count} parents, and a table of 2**{count} configurations; "
                f"{format_name} knows nothing but tables, and at most {MAX_EXPANDED_PARENTS} "
                "parents can be written out as one"
            )
        if isinstance(distribution, NoisyOr):
            expanded.append(repr(name))
    if expanded:
        warnings.warn(
            f"{format_name} has no noisy-OR: written out as full tables are {', '.join(expanded)}",
            ConversionWarning,
            stacklevel=stacklevel,
        )


def presence_of(network: Network, variable: int) -> npt.NDArray[np.float64]:
    """Return the probability that a variable is present, per configuration as in `Cpt`."""
    distribution = network.distributions[variable]
    return distribution.expand() if isinstance(distribution, NoisyOr) else distribution.present


def table_of(network: Network, variable: int) -> npt.NDArray[np.float64]:
    """Return the table of a variable: an axis per parent, ascending, and one of its own.

    Along each axis, 0 is absent and 1 is present, so that the table has shape (2,) * (k + 1).
    """
    present = presence_of(network, variable)
    parent_count = network.structure.families[variable].parent_count
    # Bit t of a configuration is the t-th parent, so the last axis of the cube is the first one.
    cube = present.reshape((2,) * parent_count).transpose()
    return np.stack([1 - cube, cube], axis=-1)
