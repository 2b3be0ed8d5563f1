"""One network of two and three states, which each reader's test has in the manner of a program."""

import numpy as np

from noisyor.core import Network
from noisyor.formats.tables_of import labels_in_file

SEASON = ("winter", "spring", "summer")
COUGH = ("none", "mild", "severe")

SEASON_TABLE = [0.5, 0.25, 0.25]
FLU_TABLE = [[0.5, 0.5], [0.25, 0.75], [0.125, 0.875]]
"""Of flu, yes and no, in each season."""

COUGH_TABLE = [
    [[0.125, 0.375, 0.5], [0.75, 0.125, 0.125]],
    [[0.25, 0.25, 0.5], [0.875, 0.125, 0.0]],
    [[0.25, 0.5, 0.25], [1.0, 0.0, 0.0]],
]
"""Of cough, in each season, with flu and without."""


def assert_is_ward(network: Network) -> None:
    """Check that a network is this one, whatever the order of its variables.

    Files list the states of flu as yes, no; in the network, the second one means present.
    """
    assert sorted(network.names) == ["cough", "flu", "season"]
    states = dict(zip(network.names, network.states, strict=True))
    assert states == {"season": SEASON, "flu": ("no", "yes"), "cough": COUGH}
    season, flu, cough = (network.index(name) for name in ("season", "flu", "cough"))
    parents = {child: network.structure.families[child].parent_indices() for child in range(3)}
    assert parents == {season: (), flu: (season,), cough: tuple(sorted((season, flu)))}
    tables = [one.expand().axes() for one in network.distributions]
    assert tables[season].tolist() == SEASON_TABLE
    assert tables[flu].tolist() == np.flip(FLU_TABLE, axis=1).tolist()
    of_cough = np.flip(COUGH_TABLE, axis=1)  # without flu, then with it
    if flu < season:
        of_cough = of_cough.swapaxes(0, 1)
    assert tables[cough].tolist() == of_cough.tolist()
    assert labels_in_file(network, flu) == ("yes", "no")
    assert labels_in_file(network, cough) == COUGH
