"""Clusters of processes on this machine, for the tests of scoring on them."""

from importlib import import_module
from typing import Any

# Neither is typed all through. Where they are missing, the tests that need them fail.
joblib: Any = import_module("joblib")
dask: Any = import_module("distributed")

Cluster = Any
Client = Any
Worker = Any

SECONDS = 60
"""In which a cluster has to do what it is asked."""


def local_cluster(workers: int) -> Cluster:
    return dask.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # whichever port is free
    )
