"""Records drawn from a network."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Dataset, Distribution, Network, NetworkError, SettingsError
from noisyor.core.arguments import checked_arguments
from noisyor.core.arrays import hand_over
from noisyor.core.configurations import configuration_count, configuration_index
from noisyor.core.dataset import Codes
from noisyor.core.relations.base import Columns, Floats
from noisyor.core.variable_sets import MAX_VARIABLES, word_count

_BATCH = 2**16  # records at a time, so that their columns stay in the cache
_FEW_CONFIGURATIONS = 2**12  # up to this many, looking up a table is faster than computing


@checked_arguments
def sample_codes(network: Network, size: int, *, seed: int) -> Codes:
    """Return the number of each variable's state in each record, shape (size, n).

    With u uniform, a variable gets the number of states s >= 1 for which u < P(Y >= s). The same
    seed gives the same records, on any machine with the same numpy.

    Parameters
    ----------
    network
        The network.
    size
        The number of records.
    seed
        The seed of the generator.

    """
    if size < 0:
        raise SettingsError(f"{size} records were asked for; it must be 0 or more")
    if seed < 0:
        raise SettingsError(f"the seed is {seed}; it must be 0 or more")
    random = np.random.default_rng(seed)
    order = network.structure.topological_order()
    families = network.structure.families
    tails = [_Tails(one) for one in network.distributions]
    try:
        columns = np.empty((len(families), size), dtype=np.uint8)
    except (MemoryError, OverflowError, ValueError) as error:
        raise SettingsError(
            f"{size} records of {len(families)} variables do not fit into memory; draw fewer"
        ) from error
    for start in range(0, size, _BATCH):
        batch = columns[:, start : start + _BATCH]
        records = batch.shape[1]
        for child in order:
            parents = [batch[parent] for parent in families[child].parent_indices()]
            uniform = random.random(records)
            batch[child] = 0
            for tail in tails[child].of_records(parents, records):
                batch[child] += uniform < tail
    return columns.T


@checked_arguments
def sample_records(network: Network, size: int, *, seed: int) -> npt.NDArray[np.bool_]:
    """Return which variables of a binary network are present in each record, shape (size, n).

    The same seed gives the same records, on any machine with the same numpy.

    Parameters
    ----------
    network
        A network of binary variables.
    size
        The number of records.
    seed
        The seed of the generator.

    """
    for variable in network.variables:
        if not variable.is_binary:
            raise NetworkError(
                f"{variable.name!r} has {variable.state_count} states "
                f"({', '.join(variable.states)}), so it is neither present nor absent; "
                "noisyor.sample_codes draws records of any variables"
            )
    return sample_codes(network, size, seed=seed).view(np.bool_)


@checked_arguments
def sample_dataset(network: Network, size: int, *, seed: int) -> Dataset:
    """Return records of the network as a data set to learn from.

    Parameters
    ----------
    network
        The network.
    size
        The number of records, at least 1.
    seed
        The seed of the generator.

    """
    if size < 1:
        raise SettingsError(f"{size} records were asked for; a data set has at least 1")
    codes = sample_codes(network, size, seed=seed)
    if network.is_binary and len(network.names) <= MAX_VARIABLES:
        rows, counts = kernels.count_records(list(codes.T), word_count(len(network.names)))
        return Dataset.from_bits(network.names, hand_over(rows), hand_over(counts), network.states)
    # Rows of a data set are sorted by the last variable first.
    distinct, weights = np.unique(codes[:, ::-1], axis=0, return_counts=True)
    return Dataset(network.variables, distinct[:, ::-1], weights)


class _Tails:
    """P(Y >= s) of a child Y for its states s = 1, 2, ... in any record."""

    def __init__(self, distribution: Distribution) -> None:
        self._distribution = distribution
        self._table: Floats | None = None
        if configuration_count(distribution.parent_states) <= _FEW_CONFIGURATIONS:
            self._table = _tails(distribution.expand().table.T)

    def of_records(self, parents: Columns, records: int) -> Iterable[Floats]:
        """Return the chances in each record, with an array for each s."""
        if self._table is None:
            return _tails(self._distribution.chances(parents, records))
        index = configuration_index(parents, self._distribution.parent_states, records)
        return (tail.take(index) for tail in self._table)


def _tails(chances: Floats) -> Floats:
    """Return P(Y >= s) for s = 1, 2, ... from P(Y = s) for s = 0, 1, ..., along the first axis."""
    return np.ascontiguousarray(np.cumsum(chances[:0:-1], axis=0)[::-1])
