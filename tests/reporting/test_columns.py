"""Columns keep order and room, and are otherwise as close to their neighbours as possible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.reporting.columns import columns_of, nearest_in_order
from tests.support.effort import scaled


@settings(max_examples=scaled(100))
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.1, 5), st.floats(0.5, 5)), min_size=1))
def test_places_are_the_nearest_that_keep_order_and_room(
    stops: list[tuple[float, float, float]],
) -> None:
    wanted, weights, room = (list(part) for part in zip(*stops, strict=True))
    places = nearest_in_order(wanted, weights, room)
    for at in range(len(places) - 1):
        assert places[at + 1] - places[at] >= room[at] + room[at + 1] - 1e-9

    def badness(xs: list[float]) -> float:
        away = zip(xs, wanted, weights, strict=True)
        return float(sum(weight * (x - want) ** 2 for x, want, weight in away))

    # No feasible step in any direction is better: the problem is convex.
    random = np.random.default_rng(0)
    for _ in range(20):
        other = [
            place + float(step)
            for place, step in zip(places, random.normal(0, 0.1, len(places)), strict=True)
        ]
        for at in range(len(other) - 1):
            other[at + 1] = max(other[at + 1], other[at] + room[at] + room[at + 1])
        assert badness(other) >= badness(places) - 1e-7


def test_a_crossing_that_can_be_avoided_is() -> None:
    # 0 -> 3 and 1 -> 2: drawn in the order of their numbers they would cross.
    xs = columns_of([0, 0, 1, 1], [(0, 3), (1, 2), (0, 3)], [5.0] * 4, [1.0] * 4)
    assert (xs[0] < xs[1]) == (xs[3] < xs[2])
    assert min(xs) == pytest.approx(5.0)
