"""What holds for all tests, and a cluster for those of a file, started when one asks for it.

Its libraries are loaded by then only: the other tests do without them.
"""

import signal
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.effort import FEW

if TYPE_CHECKING:
    from tests.support.clusters import Client, Cluster

# How long an example takes says something of the machine and its load, nothing of the code.
settings.register_profile("full", deadline=None)
# The same examples in every run: whoever runs `make test` sees what the last one saw.
settings.register_profile("quick", deadline=None, max_examples=FEW, derandomize=True)
settings.load_profile("quick")

# A shell starts what it leaves in the background with Ctrl-C ignored, and that is inherited. Then
# tests that send it would wait until their time limits.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module")
def cluster() -> Iterator["Cluster"]:
    from tests.support.clusters import local_cluster  # noqa: PLC0415

    rules = {
        # A local cluster closes for good what it has lost for so long, even if lost once more.
        "distributed.deploy.lost-worker-timeout": "1 hour",
        # The fewer workers a task may lose, the sooner it is known for what it is. By default: 3.
        "distributed.scheduler.allowed-failures": 1,
    }
    with (
        import_module("dask.config").set(rules),
        local_cluster(workers=2) as started,
    ):
        yield started


@pytest.fixture
def client(cluster: "Cluster") -> Iterator["Client"]:
    from tests.support.clusters import SECONDS, dask  # noqa: PLC0415

    with dask.Client(cluster, set_as_default=False) as connected:
        connected.wait_for_workers(2, timeout=SECONDS)
        yield connected


@pytest.fixture
def on_cluster(client: "Client") -> Iterator[None]:
    from tests.support.clusters import joblib  # noqa: PLC0415

    with joblib.parallel_config(backend="dask", client=client):
        yield
