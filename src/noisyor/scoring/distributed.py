"""Children as tasks of a cluster.

A task is a child, which one thread of a worker searches as a thread here would, so the table is the
same to the last bit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from noisyor.cluster import POLL_SECONDS, Cluster, ClusterTasks, aligned, room_for_others
from noisyor.core import BinaryDataset
from noisyor.core.listing import listed
from noisyor.scoring.board import board_for, run
from noisyor.scoring.search import ChildScores, SearchSettings


class ChildTasks:
    """The children that a cluster works on; for `score` the same as a Board."""

    def __init__(
        self,
        cluster: Cluster,
        data: BinaryDataset,
        settings: SearchSettings,
        children: Iterable[int],
    ) -> None:
        self.done: dict[int, ChildScores] = {}
        self.lost: dict[int, str] = {}  # children that came to nothing, and why
        self._cluster = cluster
        self._data = data
        self._settings = settings
        self._children = sorted(children)
        self._decided = 0

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, none in part, and the families decided so far."""
        return len(self.done), 0.0, self._decided

    def run(self, look: Callable[[], bool]) -> None:
        """Have all children scored; ask `look` now and then whether that shall stop."""
        with room_for_others(self._cluster):
            tasks: ClusterTasks[int, ChildScores | None] = ClusterTasks(
                self._cluster, score_child, self._data, f"records-{self._data.fingerprint()}"
            )
            self.lost = tasks.lost
            for child in self._children:
                tasks.submit(child, self._settings, child)
            tasks.run(look, self._take)

    def _take(self, child: int, scores: ChildScores | None) -> None:
        if scores is None:
            raise RuntimeError(f"a worker did not finish child {child}, though nobody stopped it")
        self.done[child] = scores
        work = scores.statistics
        self._decided += sum(one.evaluated for one in work.relations.values()) if work else 0


def score_child(
    data: BinaryDataset, stop: Callable[[], bool], settings: SearchSettings, child: int
) -> ChildScores | None:
    """Search one child on a worker, in one thread; None if it was stopped."""
    board = board_for(
        BinaryDataset(data.names, aligned(data.rows), aligned(data.weights), data.states),
        settings,
        [child],
    )
    run(board, 1, stop, POLL_SECONDS)
    return board.done.get(child)


def lost_children(names: Sequence[str], lost: Mapping[int, str]) -> list[str]:
    """Return a line for each reason for which children came to nothing."""
    lines = []
    for reason in sorted(set(lost.values())):
        own = [names[child] for child in sorted(lost) if lost[child] == reason]
        count = f"{len(own)} of {len(names)} children"
        lines.append(f"{reason} left {count} unscored: {listed(own)}")
    return lines
