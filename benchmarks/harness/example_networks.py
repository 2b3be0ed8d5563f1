"""Records of networks whose variables have more than two states, from the files of pgmpy."""

import gzip
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor import Network, read_network, sample_codes

Codes = npt.NDArray[np.uint8]
_FOLDER = Path("utils", "example_models")


def example_network(name: str) -> Network:
    """Return a network that pgmpy carries, in its original states; exit without pgmpy."""
    found = find_spec("pgmpy")
    if found is None or found.origin is None:
        sys.exit("pgmpy is not installed; its files have the networks that are sampled")
    packed = Path(found.origin).parent / _FOLDER / f"{name}.bif.gz"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{name}.bif")
        file.write_bytes(gzip.decompress(packed.read_bytes()))
        return read_network(file)


def sampled_states(name: str, records: int, seed: int, variables: int | None = None) -> Codes:
    """Return records of an example network, shape (records, variables), with states as numbers.

    With a number of variables, these are its first ones, parents before children: so the records
    are those of a network, too. A state that no record has gets no number, so that every program
    counts the same states.
    """
    network = example_network(name)
    order = list(network.structure.topological_order()[:variables])
    codes = sample_codes(network, records, seed=seed)[:, order]
    columns = [np.unique(column, return_inverse=True)[1] for column in codes.T]
    return np.column_stack(columns).astype(np.uint8)
