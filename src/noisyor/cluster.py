"""Work for a Dask cluster: that of joblib's active backend.

The cluster is chosen as scikit-learn takes it, `with joblib.parallel_config(backend="dask")`, and
`cluster_at` is that for an address.

joblib's own `Parallel` is not used to run tasks. As its dask backend hands on results (1.6), a task
whose workers were all killed never comes back, and the call waits for ever; and what it scatters
is lost with the worker that has it. The client of that backend does both: what tasks share is the
result of a task, so that the scheduler can make it again, and each task has a future.

What goes over the wire is pickled by distributed; nothing of that is stored.
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

# distributed's and joblib's own, which are not typed all through and need not be installed.
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
_FETCH_SECONDS = 20.0  # for a result that a worker has; then others are looked at first

LOST_CLUSTER = "the loss of the cluster"
KILLED_WORKERS = "the death of each worker that tried"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that was chosen, and joblib's view of it."""

    client: Client
    backend: Backend


@contextmanager
def cluster_at(address: str) -> Iterator[None]:
    """Let what can use a cluster use that whose scheduler is there, such as tcp://10.0.0.1:8786."""
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
    """Raise ValueError for what no client can connect to: one that tried would not end well."""
    addressing = _load("distributed.comm.addressing")
    scheme, place = addressing.parse_address(address)
    addressing.parse_host_port(place)
    if scheme not in _SCHEMES:
        raise ValueError(f"its scheme is {scheme!r}, not one of {', '.join(_SCHEMES)}")


def chosen_cluster() -> Cluster | None:
    """Return the cluster of joblib's backend that is active in this thread, if that is dask."""
    # Who has not imported joblib has chosen nothing.
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or "distributed" not in sys.modules:
        return None
    backend, _ = parallel.get_active_backend()
    client = getattr(backend, "client", None)
    return Cluster(client, backend) if isinstance(client, _load("distributed").Client) else None


@contextmanager
def room_for_others(cluster: Cluster | None) -> Iterator[None]:
    """Where this thread itself is at a task, let another have its place while it waits."""
    with nullcontext() if cluster is None else cluster.backend.retrieval_context():
        yield


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a task sends back: no result if it was stopped. Of one that is lost, why."""

    version: str
    result: object
    stopped: bool = False
    lost: bool = False


class ClusterTasks(Generic[Key, Result]):
    """Calls of a function on a cluster, `function(shared, stop, *arguments)`, told apart by keys.

    `shared` is sent once, and `stop` tells whether the result is no longer wanted. A worker that is
    killed costs time only; `lost` says of which keys nothing came, and why.
    """

    def __init__(
        self,
        cluster: Cluster,
        function: Callable[..., Result],
        shared: object,
        name: str,
    ) -> None:
        """Take what the tasks do and share, and a name for what they share."""
        self.lost: dict[Key, str] = {}
        self._client = cluster.client
        self._function = function
        self._waiting: dict[Future, tuple[Key, tuple[object, ...]]] = {}
        self._share = partial(self.send, shared, name)
        self._shared: Future | None = None

    def send(self, shared: object, name: str) -> Future:
        """Return something on the cluster: sent once, to the scheduler, which keeps it.

        As an argument of a task it stands for itself.
        """
        with _load("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return self._client.submit(_as_given, shared, key=f"noisyor-{name}")

    def submit(self, key: Key, *arguments: object) -> None:
        """Have the function called; also while the tasks are under way."""
        with self._lost_with_the_cluster(key):
            if self._shared is None:
                self._shared = self._share()
            future = self._client.submit(
                _call, self._function, self._shared, *arguments, key=f"noisyor-task-{uuid4().hex}"
            )
            self._waiting[future] = key, arguments

    def idle_threads(self) -> int:
        """Return how many threads of the cluster have none of these tasks waiting for them."""
        threads: dict[str, int] = self._client.nthreads()
        return max(0, sum(threads.values()) - len(self._waiting))

    def run(self, look: Callable[[], bool], take: Callable[[Key, Result], None]) -> None:
        """Hand on each result as it comes; ask `look` now and then whether to stop.

        When it ends, by whatever exception, the cluster is told to stop what is left.
        """
        try:
            while self._waiting and not look():
                if not self._collect(take):
                    time.sleep(POLL_SECONDS)
            look()
        finally:
            if self._client.status == "running":
                self._client.cancel(list(self._waiting))

    def _collect(self, take: Callable[[Key, Result], None]) -> bool:
        """Hand on what has come back since the last time; return whether anything had."""
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
                # The scheduler had taken the task from a worker, and then given it back.
                self.submit(key, *arguments)
            else:
                with self._lost_with_the_cluster(key):
                    take(key, cast("Result", outcome.result))
        return any_back

    @contextmanager
    def _lost_with_the_cluster(self, key: Key) -> Iterator[None]:
        """Note that nothing comes of a key if the cluster was lost when more was to be submitted.

        A client that is closed raises now this, now that.
        """
        try:
            yield
        except Exception:
            if self._client.status == "running":
                raise
            self.lost[key] = LOST_CLUSTER

    @staticmethod
    def _outcome(future: Future) -> _Outcome | None:
        """Return what a task has sent back, or why nothing will come; None if it may come later."""
        if future.status == "cancelled":
            return _Outcome(VERSION, LOST_CLUSTER, lost=True)
        killed = _load("distributed").scheduler.KilledWorker
        try:
            outcome: _Outcome = future.result(timeout=_FETCH_SECONDS)
        except killed:
            return _Outcome(VERSION, KILLED_WORKERS, lost=True)
        except (OSError, CancelledError):  # a timeout is an OSError
            if future.status == "error":  # that of the task itself
                raise
            return None
        except ImportError as error:
            raise SettingsError(
                f"a worker of the cluster cannot import what it needs ({error}); noisyor "
                f"{VERSION} must be installed there"
            ) from error
        if outcome.version != VERSION:
            raise MismatchError(
                f"a worker of the cluster has noisyor {outcome.version}, here it is {VERSION}; "
                "they must be the same"
            )
        return outcome


def _call(function: Callable[..., object], shared: object, *arguments: object) -> _Outcome:
    """Do a task on a worker."""
    unwanted = _Unwanted()
    result = function(shared, unwanted, *arguments)
    return _Outcome(VERSION, None if unwanted.seen else result, unwanted.seen)


class _Unwanted:
    """Tells whether the task of the thread that made this was cancelled meanwhile.

    A worker lets a task run to its end for nobody, and one may take hours.
    """

    def __init__(self) -> None:
        self.seen = False  # whether it has ever said so
        self._worker = _load("distributed").get_worker()
        self._key = self._worker.get_current_task()

    def __call__(self) -> bool:
        task = self._worker.state.tasks.get(self._key)
        self.seen = self.seen or task is None or task.state == "cancelled"
        return self.seen


def aligned(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return an array that kernels can take: one from the wire lies wherever it lay there."""
    return np.require(array, requirements=["C", "A"])


def _as_given(shared: object) -> object:
    return shared


def _load(name: str) -> Any:  # noqa: ANN401  (neither library is typed all through)
    """Return joblib, distributed or dask's settings, which are needed for a cluster only."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"{name} cannot be imported ({error}); `pip install noisyor[cluster]` installs it"
        ) from error
