"""Records drawn from a network."""

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import BinaryDataset, Cpt, Distribution, Network, SettingsError
from noisyor.core.arrays import hand_over
from noisyor.core.variable_sets import word_count
from noisyor.networks.conditional import present_chances

_BATCH = 2**16  # records at a time: their columns stay in the cache
_FEW_CAUSES = 12  # so many causes are looked up in a table


def sample_records(network: Network, size: int, *, seed: int) -> npt.NDArray[np.bool_]:
    """Return which variables are present in each record, shape (size, n).

    The same seed gives the same records, on any machine with the same numpy.
    """
    if size < 0:
        raise SettingsError(f"{size} records were asked for; it must be 0 or more")
    if seed < 0:
        raise SettingsError(f"the seed is {seed}; it must be 0 or more")
    random = np.random.default_rng(seed)
    order = network.structure.topological_order()
    families = network.structure.families
    distributions = [_looked_up(one) for one in network.distributions]
    try:
        columns = np.empty((len(families), size), dtype=np.bool_)
    except (MemoryError, OverflowError, ValueError) as error:
        raise SettingsError(
            f"{size} records of {len(families)} variables do not fit into memory; draw fewer"
        ) from error
    for start in range(0, size, _BATCH):
        batch = columns[:, start : start + _BATCH]
        records = batch.shape[1]
        for child in order:
            parents = [batch[parent] for parent in families[child].parent_indices()]
            chance = present_chances(distributions[child], parents, records)
            batch[child] = random.random(records) < chance
    return columns.T


def sample_dataset(network: Network, size: int, *, seed: int) -> BinaryDataset:
    """Return records of the network as a data set, to learn from."""
    if size < 1:
        raise SettingsError(f"{size} records were asked for; a data set has at least 1")
    columns = sample_records(network, size, seed=seed).T
    rows, counts = kernels.count_records(
        [column.view(np.uint8) for column in columns], word_count(len(network.names))
    )
    return BinaryDataset(network.names, hand_over(rows), hand_over(counts), network.states)


def _looked_up(distribution: Distribution) -> Distribution:
    """Return a table instead of a noisy-OR of few causes: looking up is faster."""
    if isinstance(distribution, Cpt) or distribution.parent_count > _FEW_CAUSES:
        return distribution
    return Cpt.known(distribution.expand())
