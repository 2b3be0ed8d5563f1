"""Run tasks on a Dask cluster: the one of joblib's active backend.

The cluster is chosen as in scikit-learn, `with joblib.parallel_config(backend="dask")`, or by the
address of its scheduler with `cluster_at`.

joblib's own `Parallel` is not used to run tasks. With its dask backend (1.6), a task whose workers
were all killed never returns, so the call would wait forever, and scattered data are lost with the
worker that holds them. The backend's client avoids both: shared data are the result of a task, so
the scheduler can recompute them, and each task has a future.

distributed pickles what is sent between processes; no pickle is stored.
"""

import sys
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from noisyor.core import MismatchError, SettingsError
from noisyor.core.version import VERSION

# Types of distributed and joblib, which are only partly typed and may not be installed.
Client = Any
Backend = Any
Future = Any

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")
Scalar = TypeVar("Scalar", bound=np.generic)

POLL_SECONDS = 0.1
_SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
_CONNECT_SECONDS = 10.0
_FIRST_WORKER_SECONDS = 60.0
_FETCH_SECONDS = 20.0  # to fetch a finished result; then other futures are checked first

LOST_CLUSTER = "the loss of the cluster"
KILLED_WORKERS = "the death of each worker that tried"


@dataclass(frozen=True, slots=True)
class Cluster:
    """The client of the chosen cluster, and joblib's backend for it."""

    client: Client
    backend: Backend


@contextmanager
def cluster_at(address: str) -> Iterator[None]:
    """Use the cluster whose scheduler has this address, such as tcp://10.0.0.1:8786."""
    joblib, distributed = _load("joblib"), _load("distributed")
    try:
        _check_address(address)
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


def _check_address(address: str) -> None:
    """Raise ValueError for an address that a client cannot even try to connect to."""
    addressing = _load("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    addressing.parse_host_port(place)
    if scheme not in _SCHEMES:
        raise ValueError(f"its scheme is {scheme!r}, not one of {', '.join(_SCHEMES)}")


def chosen_cluster() -> Cluster | None:
    """Return the cluster of the joblib backend active in this thread; None if it is not dask."""
    # Without joblib imported, no backend can have been chosen.
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or "distributed" not in sys.modules:
        return None
    backend, _ = parallel.get_active_backend()
    client = getattr(backend, "client", None)
    return Cluster(client, backend) if isinstance(client, _load("distributed").Client) else None


@contextmanager
def room_for_others(cluster: Cluster | None) -> Iterator[None]:
    """If this thread runs a cluster task itself, release its worker slot while it waits."""
    with nullcontext() if cluster is None else cluster.backend.retrieval_context():
        yield


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a task returns: no result if it was stopped; the reason if it was lost."""

    version: str
    result: object
    stopped: bool = False
    lost: bool = False


class ClusterTasks(Generic[Key, Result]):
    """Calls `function(shared, stop, *arguments)` on a cluster, each identified by a key.

    `shared` is sent once. `stop()` returns whether the result is no longer wanted. A killed worker
    costs time only. `lost` maps each key without a result to the reason.
    """

    def __init__(
        self,
        cluster: Cluster,
        function: Callable[..., Result],
        shared: object,
        name: str,
    ) -> None:
        """Take the function, the data that all calls share, and a name for these data."""
        self.lost: dict[Key, str] = {}
        self._client = cluster.client
        self._function = function
        self._waiting: dict[Future, tuple[Key, tuple[object, ...]]] = {}
        self._share = partial(self.send, shared, name)
        self._shared: Future | None = None

    def send(self, shared: object, name: str) -> Future:
        """Send data to the scheduler once, which keeps them; return their future.

        The future can be passed as an argument of a task, which then receives the data.
        """
        with _load("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self._client.submit(_as_given, shared, key=f"noisyor-{name}")

    def submit(self, key: Key, *arguments: object) -> None:
        """Submit a call of the function, also while others are running."""
        with self._lost_with_the_cluster(key):
            if self._shared is None:
                self._shared = self._share()
            future = self._client.submit(
                _call, self._function, self._shared, *arguments, key=f"noisyor-task-{uuid4().hex}"
            )
            self._waiting[future] = key, arguments

    def threads(self) -> int:
        """Return how many threads the workers have now; 0 if the cluster is lost."""
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception:
            if self._client.status == "running":
                raise
            return 0
        return sum(threads.values())

    def idle_threads(self) -> int:
        """Return how many worker threads are left over once each of these tasks has one."""
        return max(0, self.threads() - len(self._waiting))

    def run(self, look: Callable[[], bool], take: Callable[[Key, Result], None]) -> None:
        """Pass each result to `take` as it arrives; poll `look`, which returns whether to stop.

        On return, or on any exception, the tasks that are left are cancelled. More can be
        submitted then, and run.
        """
        try:
            while self._waiting and not look():
                if not self._collect(take):
                    time.sleep(POLL_SECONDS)
            look()
        finally:
            if self._client.status == "running":
                self._client.cancel(list(self._waiting))
            self._waiting.clear()

    def _collect(self, take: Callable[[Key, Result], None]) -> bool:
        """Pass on the results that have arrived since the last call; return whether any had."""
        any_back = False
        for future in [future for future in self._waiting if future.done()]:
            outcome = self._outcome(future)
            if outcome is None:
                continue
            any_back = True
            key, arguments = self._waiting.pop(future)
            if outcome.lost:
                self.lost[key] = str(outcome.result)
            elif outcome.stopped:
                # The scheduler had taken the task away from a worker, and then given it back.
                self.submit(key, *arguments)
            else:
                with self._lost_with_the_cluster(key):
                    take(key, cast("Result", outcome.result))
        return any_back

    @contextmanager
    def _lost_with_the_cluster(self, key: Key) -> Iterator[None]:
        """Record a key as lost if the cluster is lost while a task is submitted.

        A closed client raises various exceptions, so its status decides.
        """
        try:
            yield
        except Exception:
            if self._client.status == "running":
                raise
            self.lost[key] = LOST_CLUSTER

    @staticmethod
    def _outcome(future: Future) -> _Outcome | None:
        """Return the outcome of a task, or why there is none; None if it may still arrive."""
        if future.status == "cancelled":
            return _Outcome(VERSION, LOST_CLUSTER, lost=True)
        killed = _load("distributed").scheduler.KilledWorker
        try:
            outcome: _Outcome = future.result(timeout=_FETCH_SECONDS)
        except killed:
            return _Outcome(VERSION, KILLED_WORKERS, lost=True)
        except (OSError, CancelledError):  # a timeout is an OSError
            if future.status == "error":  # raised by the task itself
                raise
            return None
        except ImportError as error:
            raise SettingsError(
                f"a worker of the cluster cannot import what it needs ({error}); noisyor "
                f"{VERSION} must be installed there"
            ) from error
        if outcome.version != VERSION:
            raise MismatchError(
                f"a worker of the cluster has noisyor {outcome.version}, this process {VERSION}; "
                "the versions must be the same"
            )
        return outcome


def _call(function: Callable[..., object], shared: object, *arguments: object) -> _Outcome:
    """Run a task on a worker."""
    unwanted = _Unwanted()
    result = function(shared, unwanted, *arguments)
    return _Outcome(VERSION, None if unwanted.seen else result, unwanted.seen)


class _Unwanted:
    """Returns whether the task of the thread that created it has been cancelled.

    A worker does not stop a cancelled task, which may take hours, so the task must ask.
    """

    def __init__(self) -> None:
        self.seen = False  # whether it has ever returned True
        self._worker = _load("distributed").get_worker()
        self._key = self._worker.get_current_task()

    def __call__(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        self.seen = self.seen or task is None or task.state == "cancelled"
        return self.seen


def aligned(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return an aligned array for the kernels: one received from a worker may not be aligned."""
    return np.require(array, requirements=["C", "A"])


def _as_given(shared: object) -> object:
    return shared


def _load(name: str) -> Any:  # noqa: ANN401  (these libraries are only partly typed)
    """Import a module of joblib, dask or distributed, which only clusters need."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{name} cannot be imported ({error}); `pip install noisyor[cluster]` installs it"
        ) from error
