"""The split to branch on is chosen by trials, and by what earlier trials have shown."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from noisyor.search.bounds.bounding import Bounding, Sides
from noisyor.search.bounds.separation import Point
from noisyor.search.proof import split_choice
from noisyor.search.proof.split_choice import Experience, Tried, choose_split, undecided
from noisyor.search.proof.splits import CountSplit, EdgeSplit, Split, edge_splits

ROOM = 100.0


class _Gains(Bounding):
    """A program whose gains are given, and which lists the splits tried."""

    def __init__(self, known: Mapping[Split, tuple[float, float]]) -> None:
        self.known = dict(known)
        self.tried: list[Split] = []

    def gains(self, splits: Sequence[Sides], most_iterations: int) -> list[tuple[float, float]]:
        assert most_iterations > 0
        own = [split for one in splits for split in self.known if split == one]
        self.tried += own
        return [self.known[split] for split in own]


def point_of(*families: tuple[int, int, float]) -> Point:
    """Return a point of three variables: child, parents as a set, value."""
    children, parents, values = zip(*families, strict=True)
    return Point(
        3,
        np.array(children, dtype=np.int32),
        np.array(parents, dtype=np.uint64)[:, None],
        np.array(values),
    )


@pytest.fixture
def _edges_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_choice, "KINDS", (edge_splits,))


MIXED = point_of(
    (0, 0b000, 0.6), (0, 0b100, 0.4), (1, 0b000, 0.9), (1, 0b001, 0.1), (2, 0b011, 0.5),
    (2, 0b010, 0.3), (2, 0b000, 0.2),
)  # fmt: skip


@pytest.mark.usefixtures("_edges_only")
@pytest.mark.parametrize("room", [ROOM, 0.01])
def test_without_experience_splits_nearest_to_one_half_come_first(room: float) -> None:
    found = undecided(MIXED, Experience(), room, lambda _: True)
    assert list(found) == [EdgeSplit(*ends) for ends in [(0, 2), (2, 0), (1, 2), (0, 1)]]
    assert found[EdgeSplit(1, 2)] == 0.8


def test_splits_of_every_kind_are_tried() -> None:
    found = undecided(MIXED, Experience(), ROOM, lambda _: True)
    assert found[CountSplit(2, 1)] == pytest.approx(0.5)
    assert found[CountSplit(2, 0)] == pytest.approx(0.8)
    assert found[CountSplit(0, 0)] == pytest.approx(0.4)
    assert len(found) == 4 + 4


def test_what_is_decided_is_not_split() -> None:
    point = point_of((0, 0, 1.0), (1, 0b001, 1 - 1e-5), (1, 0, 1e-5), (2, 0b011, 1.0))
    assert undecided(point, Experience(), ROOM, lambda _: True) == {}


@pytest.mark.usefixtures("_edges_only")
def test_splits_that_cannot_be_made_are_left_out() -> None:
    point = point_of((0, 0b010, 0.3), (0, 0, 0.7), (1, 0b001, 0.5), (1, 0, 0.5), (2, 0, 1.0))
    found = undecided(point, Experience(), ROOM, lambda split: split != EdgeSplit(0, 1))
    assert list(found) == [EdgeSplit(1, 0)]


@pytest.mark.usefixtures("_edges_only")
def test_experience_puts_good_splits_first() -> None:
    good, bad = EdgeSplit(0, 1), EdgeSplit(0, 2)
    experience = Experience()
    experience.learn([Tried(good, 0.5, 8.0, 8.0), Tried(bad, 0.5, 0.1, 0.1)])
    found = undecided(MIXED, experience, ROOM, lambda _: True)
    assert list(found) == [good, EdgeSplit(2, 0), EdgeSplit(1, 2), bad]


def test_a_split_without_trials_is_expected_to_be_like_its_kind() -> None:
    experience = Experience()
    experience.learn([Tried(EdgeSplit(0, 1), 0.5, 0.1, 0.1), Tried(CountSplit(0, 1), 0.5, 4, 4)])
    assert experience.promise(CountSplit(1, 3), 0.5, ROOM) == pytest.approx(16)
    assert experience.promise(EdgeSplit(1, 0), 0.5, ROOM) == pytest.approx(0.01)
    found = undecided(MIXED, experience, ROOM, lambda _: True)
    kinds = [type(split) for split in found]
    assert kinds == [CountSplit] * 4 + [EdgeSplit] * 4


def test_experience_is_an_average_of_trials() -> None:
    experience = Experience()
    experience.learn([Tried(EdgeSplit(0, 1), 0.5, 1.0, 2.0)])
    experience.learn([Tried(EdgeSplit(0, 1), 0.25, 1.0, 3.0)])
    # Per unit of change: 2 and 4 without the edge, 4 and 4 with it.
    assert experience.promise(EdgeSplit(0, 1), 0.5, ROOM) == pytest.approx(3 * 0.5 * 4 * 0.5)


def test_an_impossible_side_counts_as_much_and_not_as_infinite() -> None:
    experience = Experience()
    experience.learn([Tried(EdgeSplit(0, 1), 0.5, np.inf, 1.0)])
    assert np.isfinite(experience.promise(EdgeSplit(0, 1), 0.5, np.inf))


def test_gains_beyond_the_goal_are_worth_no_more() -> None:
    assert Tried(EdgeSplit(0, 1), 0.5, 50.0, 1.0).merit(3.0) == 3
    assert Tried(EdgeSplit(0, 1), 0.5, 3.0, 1.0).merit(3.0) == 3


def test_trials_end_when_some_in_a_row_are_no_better(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split_choice, "_AT_ONCE", 2)
    monkeypatch.setattr(split_choice, "_FRUITLESS", 4)
    edges: dict[Split, float] = {EdgeSplit(0, child): 0.5 for child in range(1, 13)}
    gains = dict.fromkeys(edges, (1.0, 1.0)) | {
        EdgeSplit(0, 3): (2.0, 2.0),
        EdgeSplit(0, 12): (9.0, 9.0),
    }
    work = _Gains(gains)
    choice = choose_split(work, edges, Experience(), ROOM)
    assert work.tried == [EdgeSplit(0, child) for child in range(1, 9)]
    assert [one.split for one in choice.trials] == work.tried
    assert choice.split == EdgeSplit(0, 3)


def test_of_equals_the_first_is_chosen() -> None:
    edges: dict[Split, float] = {EdgeSplit(2, 1): 0.5, EdgeSplit(0, 1): 0.5}
    work = _Gains(dict.fromkeys(edges, (1.0, 1.0)))
    assert choose_split(work, edges, Experience(), ROOM).split == EdgeSplit(2, 1)


def often(split: Split, without: float, having: float, times: int) -> Experience:
    """Return the experience of the same trials of an edge with the value one half."""
    experience = Experience()
    experience.learn([Tried(split, 0.5, without, having)] * times)
    return experience


def test_an_edge_that_was_tried_often_is_not_tried_again() -> None:
    edges: dict[Split, float] = {EdgeSplit(0, 1): 0.25, EdgeSplit(0, 2): 0.5}
    work = _Gains({EdgeSplit(0, 2): (1.0, 1.0)})
    choice = choose_split(work, edges, often(EdgeSplit(0, 1), 2.0, 2.0, 4), ROOM)
    assert work.tried == [EdgeSplit(0, 2)]
    assert [one.split for one in choice.trials] == [EdgeSplit(0, 2)]
    assert choice.split == EdgeSplit(0, 1)  # 1 without the edge, and 3 with it, for a value of 0.25
    work.known[EdgeSplit(0, 2)] = (2.0, 2.0)
    choice = choose_split(work, edges, often(EdgeSplit(0, 1), 2.0, 2.0, 4), ROOM)
    assert choice.split == EdgeSplit(0, 2)


def test_a_few_trials_are_not_relied_on() -> None:
    edges: dict[Split, float] = {EdgeSplit(0, 1): 0.5}
    work = _Gains({EdgeSplit(0, 1): (1.0, 1.0)})
    choose_split(work, edges, often(EdgeSplit(0, 1), 2.0, 2.0, 3), ROOM)
    assert work.tried == [EdgeSplit(0, 1)]


def test_edges_are_tried_until_some_are_no_better_than_what_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(split_choice, "_AT_ONCE", 2)
    monkeypatch.setattr(split_choice, "_FRUITLESS", 4)
    edges: dict[Split, float] = {EdgeSplit(0, child): 0.5 for child in range(1, 13)}
    work = _Gains(dict.fromkeys(edges, (1.0, 1.0)))
    choice = choose_split(work, edges, often(EdgeSplit(0, 9), 2.0, 2.0, 4), ROOM)
    assert work.tried == [EdgeSplit(0, child) for child in range(1, 5)]
    assert choice.split == EdgeSplit(0, 9)
