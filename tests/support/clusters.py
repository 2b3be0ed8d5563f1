"""Clusters of local processes for tests."""

import time
from importlib import import_module
from typing import Any

# These libraries are only partly typed. If they are missing, the tests that need them fail.
joblib: Any = import_module("joblib")
dask: Any = import_module("distributed")

Cluster = Any
Client = Any
Worker = Any

SECONDS = 300
"""In which a cluster has to do what it is asked."""


def local_cluster(workers: int) -> Cluster:
    return dask.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # whichever port is free
    )


def worker_pids(cluster: Cluster) -> list[int]:
    return [nanny.pid for nanny in cluster.workers.values()]


def wait_until_idle(client: Client) -> None:
    """Wait until no worker has a busy thread."""
    ends = time.monotonic() + SECONDS
    while any(client.run(tasks_under_way).values()):
        assert time.monotonic() < ends, "workers go on with what nobody wants"
        time.sleep(0.1)


def tasks_under_way(dask_worker: Worker) -> int:
    return len(dask_worker.active_threads)
