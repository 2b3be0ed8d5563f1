"""The edge to branch on is chosen by trials, and by what earlier trials have shown."""

from collections.abc import Sequence

import numpy as np
import pytest

from noisyor.search.bounds.bounding import Bounding
from noisyor.search.proof import edge_choice
from noisyor.search.proof.edge_choice import (
    Edge,
    Experience,
    Tried,
    choose_edge,
    undecided,
)

ROOM = 100.0


class _Gains(Bounding):
    """A program whose gains are given, and which counts the edges tried."""

    def __init__(self, gains: dict[Edge, tuple[float, float]]) -> None:
        self.gains = gains
        self.tried: list[Edge] = []

    def edge_gains(self, edges: Sequence[Edge], most_iterations: int) -> list[tuple[float, float]]:
        assert most_iterations > 0
        self.tried += edges
        return [self.gains[edge] for edge in edges]


@pytest.mark.parametrize("room", [ROOM, 0.01])
def test_without_experience_edges_nearest_to_one_half_come_first(room: float) -> None:
    values = np.array([[0.0, 0.1, 0.5], [1.0, 0.0, 0.8], [0.4, 1e-5, 0.0]])
    found = undecided(values, Experience(), room, lambda _: True)
    assert list(found) == [(0, 2), (2, 0), (1, 2), (0, 1)]
    assert found[1, 2] == 0.8


def test_edges_that_cannot_be_split_are_left_out() -> None:
    values = np.array([[0.0, 0.5], [0.3, 0.0]])
    assert list(undecided(values, Experience(), ROOM, lambda edge: edge != (0, 1))) == [(1, 0)]


def test_experience_puts_good_edges_first() -> None:
    values = np.array([[0.0, 0.5, 0.2], [0.4, 0.0, 0.3], [0.0, 0.0, 0.0]])
    experience = Experience()
    experience.learn([Tried((0, 2), 0.5, 8.0, 8.0), Tried((0, 1), 0.5, 0.1, 0.1)])
    assert list(undecided(values, experience, ROOM, lambda _: True)) == [
        (0, 2),
        (1, 0),
        (1, 2),
        (0, 1),
    ]


def test_experience_is_an_average_of_trials() -> None:
    experience = Experience()
    experience.learn([Tried((0, 1), 0.5, 1.0, 2.0)])
    experience.learn([Tried((0, 1), 0.25, 1.0, 3.0)])
    # Per unit of change: 2 and 4 without the edge, 4 and 4 with it.
    assert experience.promise((0, 1), 0.5, ROOM) == pytest.approx(3 * 0.5 * 4 * 0.5)


def test_an_impossible_side_counts_as_much_and_not_as_infinite() -> None:
    experience = Experience()
    experience.learn([Tried((0, 1), 0.5, np.inf, 1.0)])
    assert np.isfinite(experience.promise((0, 1), 0.5, np.inf))


def test_gains_beyond_the_goal_are_worth_no_more() -> None:
    assert Tried((0, 1), 0.5, 50.0, 1.0).merit(3.0) == Tried((0, 1), 0.5, 3.0, 1.0).merit(3.0) == 3


def test_trials_end_when_some_in_a_row_are_no_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_choice, "_AT_ONCE", 2)
    monkeypatch.setattr(edge_choice, "_FRUITLESS", 4)
    edges = {(0, child): 0.5 for child in range(1, 13)}
    gains = dict.fromkeys(edges, (1.0, 1.0)) | {(0, 3): (2.0, 2.0), (0, 12): (9.0, 9.0)}
    work = _Gains(gains)
    choice = choose_edge(work, edges, Experience(), ROOM)
    assert work.tried == [(0, child) for child in range(1, 9)]
    assert [one.edge for one in choice.trials] == work.tried
    assert choice.edge == (0, 3)


def test_of_equals_the_first_is_chosen() -> None:
    edges = {(2, 1): 0.5, (0, 1): 0.5}
    work = _Gains(dict.fromkeys(edges, (1.0, 1.0)))
    assert choose_edge(work, edges, Experience(), ROOM).edge == (2, 1)


def often(edge: Edge, absent: float, present: float, times: int) -> Experience:
    """Return the experience of the same trials of an edge with the value one half."""
    experience = Experience()
    experience.learn([Tried(edge, 0.5, absent, present)] * times)
    return experience


def test_an_edge_that_was_tried_often_is_not_tried_again() -> None:
    edges = {(0, 1): 0.25, (0, 2): 0.5}
    work = _Gains({(0, 2): (1.0, 1.0)})
    choice = choose_edge(work, edges, often((0, 1), 2.0, 2.0, 4), ROOM)
    assert work.tried == [(0, 2)]
    assert [one.edge for one in choice.trials] == [(0, 2)]
    assert choice.edge == (0, 1)  # 1 without the edge, and 3 with it, for a value of 0.25
    work.gains[0, 2] = (2.0, 2.0)
    assert choose_edge(work, edges, often((0, 1), 2.0, 2.0, 4), ROOM).edge == (0, 2)


def test_a_few_trials_are_not_relied_on() -> None:
    edges = {(0, 1): 0.5}
    work = _Gains({(0, 1): (1.0, 1.0)})
    choose_edge(work, edges, often((0, 1), 2.0, 2.0, 3), ROOM)
    assert work.tried == [(0, 1)]


def test_edges_are_tried_until_some_are_no_better_than_what_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(edge_choice, "_AT_ONCE", 2)
    monkeypatch.setattr(edge_choice, "_FRUITLESS", 4)
    edges = {(0, child): 0.5 for child in range(1, 13)}
    work = _Gains(dict.fromkeys(edges, (1.0, 1.0)))
    choice = choose_edge(work, edges, often((0, 9), 2.0, 2.0, 4), ROOM)
    assert work.tried == [(0, child) for child in range(1, 5)]
    assert choice.edge == (0, 9)
