"""Members of a sampled set, where nothing was drawn."""

import numpy as np
import pytest

from noisyor.core.sampling import SampledMembers


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("size", [0, 3])
def test_without_a_draw_the_best_network_is_all_there_is(weighted: bool, size: int) -> None:
    members = SampledMembers(
        networks=np.array([[0, 2, 5]], dtype=np.uint32),
        costs=np.array([12.5]),
        times=np.array([0]),
    )
    drawn = members.sample(size, seed=1, weighted=weighted)
    assert drawn.families.tolist() == [[0, 2, 5]] * size
    assert drawn.costs.tolist() == [12.5] * size
