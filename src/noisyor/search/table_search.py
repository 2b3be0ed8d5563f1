"""Step 4 of the paper: find the optimum and all credible networks in a score table."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.cluster import chosen_cluster, room_for_others
from noisyor.core import (
    BayesFactor,
    ConstraintError,
    Constraints,
    CredibleSet,
    ScoreTable,
)
from noisyor.core.credible_set import Labels
from noisyor.core.machine import core_count, usable_memory
from noisyor.core.progress import Progress
from noisyor.core.request import Limits
from noisyor.core.threads import wait_for
from noisyor.search.clock import Clock
from noisyor.search.no_network import NoNetworkError
from noisyor.search.preparation import bayes_factor_for, prepare
from noisyor.search.result import ONLY_BEST, credible_set
from noisyor.search.sampling import sample_credible
from noisyor.search.steps import BoundKind, Resources, Run, SearchStatistics

_POLL_SECONDS = 0.1
_SAMPLING_SHARE = 0.1  # of the time limit, for a sample if the set cannot be counted
_MOST_SAMPLING = 60.0  # seconds
_MEMORY_SHARE = 0.5  # of the machine's memory
_MOST_MEMORY = 12 * 2**30


@dataclass(frozen=True, slots=True)
class Searched:
    """A credible set and how it was found."""

    credible: CredibleSet
    statistics: SearchStatistics
    seconds: float


def search(  # noqa: PLR0913  (one option each, all by name)
    table: ScoreTable,
    bayes_factor: float | BayesFactor | None = None,
    *,
    constraints: Constraints | None = None,
    labels: str | Labels = Labels.BEST,
    bounds: str | BoundKind = BoundKind.AUTO,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Searched:
    """Find the best network of a table and all networks within a Bayes factor of it.

    Parameters
    ----------
    table
        The families and their costs.
    bayes_factor
        The largest Bayes factor between the best network and a credible one; by default the
        table's own, or 20.
    constraints
        Prior knowledge, applied to the table; required edges must have been scored as required.
    labels
        Which networks count as different (see `Labels`).
    bounds
        How the search over orders is bounded (see `BoundKind`). It does not affect the result.
    jobs
        The number of threads; all cores by default. It does not affect a complete result. If it is
        None, inside `joblib.parallel_config` with the backend "dask", the cluster counts the
        members if that takes more than about a second.
    time_limit
        Seconds after which the search stops. The result may then be incomplete, and says so. The
        last tenth of the time, at most a minute, is for a sample of the credible networks, and is
        not used if they were counted.
    memory_limit
        Bytes for the lattice of subsets; by default half of the machine's memory, at most 12 GiB.
    progress
        Called regularly with the progress.
    """
    factor = bayes_factor_for(table, bayes_factor)
    kind = BoundKind.of(bounds)
    labels = Labels.of(labels)
    resources = resources_for(Limits(jobs, time_limit, memory_limit), progress)
    try:
        problem = prepare(table, factor, labels, constraints)
    except NoNetworkError as error:
        raise ConstraintError(error.message(table.names)) from None
    exact = leaving_time(resources, time_limit)
    run = Run(problem, exact)
    interruptible(lambda: run.search(kind), exact)
    found = run.found()
    credible = credible_set(table, factor, labels, found)
    best = found.families.rows[found.best]
    credible = sample_if_uncounted(credible, table, best, constraints, resources)
    return Searched(credible, run.statistics(len(credible.families)), resources.clock.seconds)


def resources_for(limits: Limits, progress: Callable[[Progress], None] | None) -> Resources:
    """Return the resources of a search and start its clock; the cluster is this thread's."""
    return Resources(
        clock=Clock(limits.seconds),
        jobs=limits.jobs or core_count(),
        memory=limits.memory or default_memory(),
        progress=progress,
        cluster=chosen_cluster() if limits.jobs is None else None,
    )


def leaving_time(resources: Resources, seconds: float | None) -> Resources:
    """Return the resources of an exact search: some of the time is left for a sample."""
    if seconds is None:
        return resources
    left = min(_MOST_SAMPLING, _SAMPLING_SHARE * seconds)
    return replace(resources, clock=Clock(seconds - left))


def sample_if_uncounted(
    credible: CredibleSet,
    table: ScoreTable,
    best: npt.NDArray[np.int64],
    constraints: Constraints | None,
    resources: Resources,
) -> CredibleSet:
    """Return the set, or a sample if only the best network, whose rows are `best`, is known.

    A set that was counted, even in part, stays as it is.
    """
    if ONLY_BEST not in credible.shortfalls:
        return credible
    return sample_credible(
        table,
        credible.bayes_factor,
        best=best,
        labels=credible.labels,
        constraints=constraints,
        lower_bound=credible.lower_bound,
        shortfalls=[line for line in credible.shortfalls if line != ONLY_BEST],
        notes=credible.notes,
        clock=resources.clock,
        jobs=resources.jobs,
        progress=resources.progress,
    )


def default_memory() -> int:
    """Return the default memory limit of the lattice of subsets, in bytes."""
    return min(_MOST_MEMORY, int(_MEMORY_SHARE * usable_memory()))


def interruptible(work: Callable[[], None], resources: Resources) -> None:
    """Run work in a thread, so that Ctrl-C is noticed at once and cancels it."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001  (raised again in the caller's thread)
            failures.append(failure)

    thread = threading.Thread(target=run, name="noisyor-search", daemon=True)
    try:
        thread.start()
        with room_for_others(resources.cluster):
            while thread.is_alive():
                thread.join(_POLL_SECONDS)
    except KeyboardInterrupt:
        resources.clock.cancel()
        wait_for([thread])
        raise
    if failures:
        raise failures[0]
