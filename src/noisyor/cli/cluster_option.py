"""The option that moves the long work to a cluster."""

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
        help="Let the workers of a Dask cluster score tables, climb to good networks and count "
        "networks; its scheduler's address, such as tcp://10.0.0.1:8786.",
    ),
]


@contextmanager
def working_where_asked(cluster: str | None, jobs: int | None) -> Iterator[None]:
    """Score, climb and count on the cluster while the context is open, if one was named."""
    if cluster is None:
        yield
        return
    if jobs is not None:
        raise SettingsError(
            f"--jobs is {jobs}, the threads of this machine, but --cluster moves the work to "
            "others; give only one of them. The threads of a worker are set when it is started"
        )
    with cluster_at(cluster):
        yield
