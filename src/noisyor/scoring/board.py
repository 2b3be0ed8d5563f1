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

_IDLE_SECONDS = 0.01  # between an idle thread's checks for work

Ready = Callable[[], ChildSearch]
"""Creates the search of a child and starts its pass."""

Keep = Callable[[ChildScores], None]
"""Keeps a finished child."""


class Board:
    """Assigns threads to children. An idle thread joins the child with most work left.

    The thread that finishes a child also keeps it, before it counts as done. Forcing a file to disk
    may take longer than a quick search, so one thread that keeps what all others finish would lag
    behind them, and a time limit would have to wait for it.
    """

    def __init__(self, children: Mapping[int, Ready], keep: Keep | None = None) -> None:
        self.cancellation = kernels.Cancellation()
        self.done: dict[int, ChildScores] = {}
        self.failure: BaseException | None = None
        self._keep = keep
        self._waiting = [children[child] for child in sorted(children, reverse=True)]
        self._making = 0  # searches that a thread is creating
        self._running: dict[ChildSearch, int] = {}  # with the number of threads on each
        self._keeping: dict[int, ChildScores] = {}  # searched, but not done before they are kept
        self._lock = threading.Condition()

    def work(self) -> None:
        """Work until nothing is left to do."""
        try:
            while (search := self._join()) is not None:
                search.work(self.cancellation)
                self._leave(search)
        except BaseException as error:  # noqa: BLE001  (raised again by the caller's thread)
            self.failure = error
            self.cancellation.cancel()

    def _join(self) -> ChildSearch | None:
        """Return a search to work on; None when no work is left or to come."""
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
        """Take a thread off a search; if it was the last one, collect and keep the result."""
        with self._lock:
            self._running[search] -= 1
            if self._running[search]:
                return
            scores = search.result() if search.finished else None
            del self._running[search]
            if scores is not None:
                self._keeping[search.child] = scores
            self._lock.notify_all()
        if scores is None:
            return
        if self._keep is not None:
            self._keep(scores)
        with self._lock:
            self.done[search.child] = self._keeping.pop(search.child)

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, the sum of the others' shares, and the families decided."""
        with self._lock:
            running = list(self._running)
            done = list(self.done.values())
            keeping = list(self._keeping.values())
        partly = len(keeping) + sum(search.share_done for search in running)
        decided = sum(search.decided for search in running)
        every = (part.statistics for part in [*done, *keeping])
        known = combine(statistics for statistics in every if statistics is not None)
        decided += sum(one.evaluated for one in known.relations.values())
        return len(done), partly, decided


def board_for(settings: SearchSettings, children: Iterable[int], keep: Keep | None = None) -> Board:
    """Return a board that searches each child for the families of credible networks."""
    request = settings.request

    def start(child: int) -> ChildSearch:
        search = ChildSearch(settings, child)
        search.begin(SearchPass(request.factor.slack, request.relations))
        return search

    return Board({child: partial(start, child) for child in children}, keep)


def run(board: Board, jobs: int, look: Callable[[], bool], every: float) -> None:
    """Let threads work on the board, and poll `look`, which returns whether to stop.

    `look` is also called before the start. On return, or on any exception, all threads have ended.
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
    """Return a line that names the unfinished children and the cause, if there are any."""
    finished = set(done)
    missing = [name for child, name in enumerate(names) if child not in finished]
    if not missing:
        return []
    count = f"{len(missing)} of {len(names)} children"
    return [f"{cause} left {count} unscored: {listed(missing)}"]
