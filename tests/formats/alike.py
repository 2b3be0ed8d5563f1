"""Networks with the same distribution, whatever the order of their states is."""

import numpy as np

from noisyor.core import Network


def assert_alike(found: Network, expected: Network, within: float = 1e-15) -> None:
    """Check that two networks have the same variables, edges and probabilities, by their labels."""
    assert found.names == expected.names
    places = []
    for own, other in zip(found.states, expected.states, strict=True):
        assert sorted(own) == sorted(other)
        places.append([own.index(label) for label in other])
    for v, family in enumerate(expected.structure.families):
        assert found.structure.families[v].parents == family.parents
        members = (*family.parent_indices(), v)
        table = found.distributions[v].expand().axes()[np.ix_(*(places[one] for one in members))]
        assert np.abs(table - expected.distributions[v].expand().axes()).max() <= within
