"""The loss of the best full table, also where sums of two records collide."""

import numpy as np
import pytest

from noisyor.core import Dataset
from noisyor.core.variable_sets import set_of
from noisyor.scoring.record_source import FullTableLoss
from tests.scoring.problems import random_tables


def plain_loss(data: Dataset, child: int, parents: set[int]) -> float:
    """Return -ln L, cell by cell."""
    cells: dict[tuple[int, ...], np.ndarray] = {}
    for row, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
        cell = tuple(row[v] for v in sorted(parents))
        own = cells.setdefault(cell, np.zeros(data.variables[child].state_count))
        own[row[child]] += weight
    return float(
        sum(count * np.log(own.sum() / count) for own in cells.values() for count in own if count)
    )


@pytest.mark.parametrize("collide", [False, True])
def test_losses_are_those_of_the_cells(collide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_tables(3, 6, 60, most_states=3)
    loss = FullTableLoss(data)
    if collide:  # every record has the sum of every other
        nothing = np.zeros(len(data.weights), dtype=np.uint64)
        monkeypatch.setattr(FullTableLoss, "_sums", lambda *_: nothing)
        loss = FullTableLoss(data)
    everyone = set(range(6))
    for child in range(6):
        for parents in (everyone - {child}, {0, 1} - {child}, set[int]()):
            found = loss.of(child, set_of(parents))
            assert found == pytest.approx(plain_loss(data, child, parents), rel=1e-12)
