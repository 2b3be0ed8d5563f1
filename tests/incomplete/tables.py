"""Tables with gaps to test with."""

import numpy as np

from noisyor.core import Network, Provenance
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.variable import Variable
from noisyor.networks import sample_codes

NOWHERE = Provenance("0", "", 0, ())


def chain(variables: int = 4, strength: float = 0.85) -> Network:
    """Return a chain of binary variables, each mostly equal to the one before."""
    table = [[strength, 1 - strength], [1 - strength, strength]]
    return Network.from_tables(
        [Variable(f"v{number}") for number in range(variables)],
        [(), *((number,) for number in range(variables - 1))],
        [[0.6, 0.4], *[table] * (variables - 1)],
        NOWHERE,
    )


def with_gaps(
    network: Network, records: int, share: float, *, seed: int = 0, by_value: bool = False
) -> IncompleteDataset:
    """Return records of a network from which a share of cells is removed.

    Each record keeps a value. Cells are removed at random, or, `by_value`, more often where the
    value is the variable's last state.
    """
    codes = sample_codes(network, records, seed=seed)
    random = np.random.default_rng((seed, 1))
    chances = np.full(codes.shape, share)
    if by_value:
        last = np.array([variable.state_count - 1 for variable in network.variables])
        chances = np.where(codes == last, min(1.0, 1.5 * share), 0.5 * share)
    removed = random.random(codes.shape) < chances
    removed[removed.all(axis=1), 0] = False
    kept = np.where(removed, GAP, codes).astype(np.uint8)
    return IncompleteDataset(network.variables, kept, np.ones(records, dtype=np.int64))
