"""Threads that search several children at once."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from noisyor._kernels import kernels
from noisyor.core.listing import listed
from noisyor.core.machine import core_count
from noisyor.core.threads import wait_for
from noisyor.scoring.child_search import ChildScores, ChildSearch, SearchPass, SearchSettings
from noisyor.scoring.statistics import combine

_IDLE_SECONDS = 0.01  # until a thread without work looks again for some

Ready = Callable[[], ChildSearch]
"""Makes a child's search, with its pass begun."""


class Board:
    """Who works on which child. Idle threads join the child that has most left to do."""

    def __init__(self, children: Mapping[int, Ready]) -> None:
        self.cancellation = kernels.Cancellation()
        self.done: dict[int, ChildScores] = {}
        self.failure: BaseException | None = None
        self._waiting = [children[child] for child in sorted(children, reverse=True)]
        self._making = 0  # searches that some thread is about to start
        self._running: dict[ChildSearch, int] = {}  # with the number of threads on each
        self._lock = threading.Condition()

    def work(self) -> None:
        """Do what there is to do, until nothing is left."""
        try:
            while (search := self._join()) is not None:
                search.work(self.cancellation)
                self._leave(search)
        except BaseException as error:  # noqa: BLE001  (raised again by the caller's thread)
            self.failure = error
            self.cancellation.cancel()

    def _join(self) -> ChildSearch | None:
        """Return a search to work on; none when there will be nothing more to do."""
        with self._lock:
            while not self.cancellation.cancelled:
                if self._waiting:
                    ready = self._waiting.pop()
                    self._making += 1
                    break
                pieces = {search: search.pieces_waiting for search in self._running}
                busiest = max(pieces, key=pieces.__getitem__, default=None)
                if busiest is not None and pieces[busiest]:
                    self._running[busiest] += 1
                    return busiest
                if not self._running and not self._making:
                    return None
                self._lock.wait(_IDLE_SECONDS)
            else:
                return None
        search = ready()
        with self._lock:
            self._making -= 1
            self._running[search] = 1
            return search

    def _leave(self, search: ChildSearch) -> None:
        """Take a thread off a search, and the result of a search that has lost its last."""
        with self._lock:
            self._running[search] -= 1
            if self._running[search]:
                return
            if search.finished:
                self.done[search.child] = search.result()
            del self._running[search]
            self._lock.notify_all()

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, those under way in part, and the families decided so far."""
        with self._lock:
            running = list(self._running)
            done = list(self.done.values())
        partly = sum(search.share_done for search in running)
        decided = sum(search.decided for search in running)
        known = combine(part.statistics for part in done if part.statistics is not None)
        decided += sum(one.evaluated for one in known.relations.values())
        return len(done), partly, decided


def board_for(settings: SearchSettings, children: Iterable[int]) -> Board:
    """Return a board on which each child is searched for what could be in a credible network."""
    request = settings.request

    def start(child: int) -> ChildSearch:
        search = ChildSearch(settings, child)
        search.begin(SearchPass(request.factor.slack, request.relations))
        return search

    return Board({child: partial(start, child) for child in children})


def run(board: Board, jobs: int, look: Callable[[], bool], every: float) -> None:
    """Let threads work on the board; ask `look` now and then whether they shall stop.

    It is asked first, too. When it ends, by whatever exception, no thread is left.
    """
    if look():
        return
    threads = [threading.Thread(target=board.work, daemon=True) for _ in range(jobs)]
    started: list[threading.Thread] = []
    try:
        for thread in threads:
            started.append(thread)
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(every)
                if look():
                    board.cancellation.cancel()
    finally:
        board.cancellation.cancel()
        wait_for(started)
    if board.failure is not None:
        raise board.failure


def thread_count(jobs: int | None) -> int:
    """Return the number of threads to use: `jobs`, or one for each core."""
    return jobs or core_count()


def unfinished(names: Sequence[str], done: Iterable[int], cause: str) -> list[str]:
    """Return, if some children are not done, a line that says which and why."""
    finished = set(done)
    missing = [name for child, name in enumerate(names) if child not in finished]
    if not missing:
        return []
    count = f"{len(missing)} of {len(names)} children"
    return [f"{cause} left {count} unscored: {listed(missing)}"]
