"""Networks with the same distribution, whatever the order of their states is."""

import numpy as np
from hypothesis import strategies as st

from noisyor.core import Network
from noisyor.core.appearance import NodeAppearance
from tests.formats.networks import texts


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


def appearances(
    titles: st.SearchStrategy[str] = texts, comments: st.SearchStrategy[str] = texts
) -> st.SearchStrategy[NodeAppearance]:
    """Draw how a node of two states is presented, at a place that every format can hold."""
    boxes = st.tuples(st.integers(-500, 500), st.integers(-500, 500)).map(
        lambda at: (at[0] - 38.0, at[1] - 18.0, at[0] + 38.0, at[1] + 18.0)
    )
    return st.builds(
        NodeAppearance,
        title=st.none() | titles,
        order=st.just((1, 0)),
        box=st.none() | boxes,
        comment=st.none() | comments,
    )
