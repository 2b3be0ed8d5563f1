"""Children as tasks of a Dask cluster.

The cluster is the one of joblib's active backend, `with joblib.parallel_config(backend="dask")`,
as scikit-learn takes it; `cluster_at` is that for an address. A task is a child, which one thread
of a worker searches as a thread here would, so the table is the same to the last bit.

joblib's own `Parallel` is not used to run them. As its dask backend hands on results (1.6), a task
whose workers were all killed never comes back, and the call waits for ever; and what it scatters
is lost with the worker that has it. The client of that backend does both: the records are the
result of a task, so that the scheduler can make them again, and each child has a future.

What goes over the wire is pickled by distributed; nothing of that is stored.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from math import inf
from typing import Any
from uuid import uuid4

import numpy as np

from noisyor.core import BinaryDataset, MismatchError, SettingsError
from noisyor.core.version import VERSION
from noisyor.scoring.board import board_for, run
from noisyor.scoring.search import ChildScores, SearchSettings

# distributed's own, which is not typed all through and need not be installed.
Client = Any
Future = Any

_POLL_SECONDS = 0.1
_CONNECT_SECONDS = 10.0
_FIRST_WORKER_SECONDS = 60.0


@contextmanager
def cluster_at(address: str) -> Iterator[None]:
    """Let `score` use the cluster whose scheduler is there, such as tcp://10.0.0.1:8786."""
    joblib, distributed = _load("joblib"), _load("distributed")
    try:
        client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # a timeout is an OSError
        raise SettingsError(
            f"there is no Dask scheduler at {address!r} ({error}); the address must look like "
            "tcp://host:port, as 'dask scheduler' prints it"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_FIRST_WORKER_SECONDS)
        except TimeoutError as error:
            raise SettingsError(
                f"the cluster at {address} has had no worker for {_FIRST_WORKER_SECONDS:.0f} s; "
                f"'dask worker {address}' starts one"
            ) from error
        with joblib.parallel_config(backend="dask", client=client):
            yield


def chosen_cluster() -> Client | None:
    """Return the client of joblib's active backend, if that is dask."""
    # Who has not imported joblib has chosen nothing.
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or "distributed" not in sys.modules:
        return None
    client = getattr(parallel.get_active_backend()[0], "client", None)
    return client if isinstance(client, _load("distributed").Client) else None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a task sends back: no scores if it was stopped."""

    version: str
    scores: ChildScores | None


class ChildTasks:
    """The children that a cluster works on; for `score` the same as a Board."""

    def __init__(
        self,
        client: Client,
        data: BinaryDataset,
        settings: SearchSettings,
        children: Iterable[int],
    ) -> None:
        self.done: dict[int, ChildScores] = {}
        self.lost: dict[int, str] = {}  # children that came to nothing, and why
        self._client = client
        self._data = data
        self._settings = settings
        self._children = sorted(children)
        self._decided = 0

    def progress(self) -> tuple[int, float, int]:
        """Return the children done, none in part, and the families decided so far."""
        return len(self.done), 0.0, self._decided

    def run(self, time_limit: float | None, look: Callable[[], bool]) -> None:
        """Have all children scored; ask `look` now and then whether that shall stop.

        When it ends, by whatever exception, the cluster is told to stop what is left.
        """
        ends = inf if time_limit is None else time.time() + time_limit
        waiting: dict[Future, int] = {}
        with _room_for_others():
            try:
                records = self._records()
                for child in self._children:
                    waiting[self._submit(records, child, ends)] = child
                while waiting and not look():
                    if not self._take(waiting):
                        time.sleep(_POLL_SECONDS)
                look()
            finally:
                if self._client.status == "running":
                    self._client.cancel(list(waiting))

    def _records(self) -> Future:
        """Return the data on the cluster: sent once, to the scheduler, which keeps them."""
        with _load("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self._client.submit(
                _as_given, self._data, key=f"noisyor-records-{self._data.fingerprint()}"
            )

    def _submit(self, records: Future, child: int, ends: float) -> Future:
        return self._client.submit(
            score_child,
            records,
            self._settings,
            child,
            ends,
            key=f"noisyor-child-{child}-{uuid4().hex}",
        )

    def _take(self, waiting: dict[Future, int]) -> bool:
        """Take what has come back since the last time; return whether anything had."""
        back = [future for future in waiting if future.done()]
        for future in back:
            self._settle(waiting.pop(future), future)
        return bool(back)

    def _settle(self, child: int, future: Future) -> None:
        if future.status == "cancelled":
            self.lost[child] = "the loss of the cluster"
            return
        killed = _load("distributed").scheduler.KilledWorker
        try:
            outcome = future.result()
        except killed:
            self.lost[child] = "the death of each worker that tried"
            return
        except ImportError as error:
            raise SettingsError(
                f"a worker of the cluster cannot import what scoring needs ({error}); noisyor "
                f"{VERSION} must be installed there"
            ) from error
        if outcome.version != VERSION:
            raise MismatchError(
                f"a worker of the cluster has noisyor {outcome.version}, here it is {VERSION}; "
                "they must be the same"
            )
        if outcome.scores is not None:
            self.done[child] = outcome.scores
            work = outcome.scores.statistics
            self._decided += sum(one.evaluated for one in work.relations.values()) if work else 0


def score_child(data: BinaryDataset, settings: SearchSettings, child: int, ends: float) -> _Outcome:
    """Search one child on a worker, in one thread, until a time by the clock on the wall."""
    board = board_for(_aligned(data), settings, [child])
    unwanted = _unwanted()
    run(board, 1, lambda: time.time() > ends or unwanted(), _POLL_SECONDS)
    return _Outcome(VERSION, board.done.get(child))


def _unwanted() -> Callable[[], bool]:
    """Return what tells whether the task of this thread was cancelled meanwhile.

    A worker lets a task run to its end for nobody, and a child may take hours.
    """
    worker = _load("distributed").get_worker()
    key = worker.get_current_task()

    def asked() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return asked


def _aligned(data: BinaryDataset) -> BinaryDataset:
    """Return the data, checked again, with arrays that kernels can take.

    Those that come over the wire lie wherever they lay in the message.
    """
    return BinaryDataset(
        data.names,
        np.require(data.rows, requirements=["C", "A"]),
        np.require(data.weights, requirements=["C", "A"]),
        data.states,
    )


def _as_given(data: BinaryDataset) -> BinaryDataset:
    return data


@contextmanager
def _room_for_others() -> Iterator[None]:
    """Where this itself is a task, let another have its place on the worker while it waits."""
    backend, _ = _load("joblib").parallel.get_active_backend()
    with backend.retrieval_context():
        yield


def lost_children(names: Sequence[str], lost: Mapping[int, str]) -> list[str]:
    """Return a line for each reason for which children came to nothing."""
    lines = []
    for reason in sorted(set(lost.values())):
        own = [names[child] for child in sorted(lost) if lost[child] == reason]
        count = f"{len(own)} of {len(names)} children"
        lines.append(f"{reason} left {count} unscored: {', '.join(own)}")
    return lines


def _load(name: str) -> Any:  # noqa: ANN401  (neither library is typed all through)
    """Return joblib or distributed, which are needed for a cluster only."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{name} cannot be imported ({error}); `pip install noisyor[cluster]` installs it"
        ) from error
