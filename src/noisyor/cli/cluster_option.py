"""The option that moves the scoring to a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from noisyor.cluster import cluster_at
from noisyor.core import SettingsError

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Let the workers of a Dask cluster score; its scheduler's address, such as "
        "tcp://10.0.0.1:8786.",
    ),
]


@contextmanager
def scoring_where_asked(cluster: str | None, jobs: int | None) -> Iterator[None]:
    """Let what is scored meanwhile be scored by the cluster, if one was named."""
    if cluster is None:
        yield
        return
    if jobs is not None:
        raise SettingsError(
            f"--jobs is {jobs}, the threads of this machine, but --cluster moves the scoring to "
            "another; give one of them. How many threads a worker has is said where it is started"
        )
    with cluster_at(cluster):
        yield
