"""Step 4 of the paper: from a score table to the optimum and every credible network."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

from noisyor.cluster import chosen_cluster, room_for_others
from noisyor.core import (
    BayesFactor,
    ConstraintError,
    Constraints,
    CredibleSet,
    ScoreTable,
)
from noisyor.core.credible_set import Labels
from noisyor.core.machine import core_count, physical_memory
from noisyor.core.progress import Progress
from noisyor.core.request import Limits
from noisyor.core.threads import wait_for
from noisyor.search.clock import Clock
from noisyor.search.no_network import NoNetworkError
from noisyor.search.preparation import bayes_factor_for, prepare
from noisyor.search.result import credible_set
from noisyor.search.steps import BoundKind, Means, Run, SearchStatistics

_POLL_SECONDS = 0.1
_MEMORY_SHARE = 0.5  # of the machine's
_MOST_MEMORY = 12 * 2**30


@dataclass(frozen=True, slots=True)
class Searched:
    """A credible set and how it was found."""

    credible: CredibleSet
    statistics: SearchStatistics
    seconds: float


def search(  # noqa: PLR0913  (each option is one that a user names)
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

    By default the Bayes factor is the table's own, or 20. `constraints` are applied to the table;
    required edges must have been scored. `labels` says what counts as a network of its own,
    `bounds` what the search over orders is bounded with (see BoundKind); no result depends on it.
    `memory_limit`, in bytes, is for the lattice of subsets; by default half of the machine's
    memory, and 12 GiB at most. With a `time_limit` in seconds the result may be incomplete, and
    says so. Nothing in a complete result depends on the number of `jobs` (threads; all cores).
    Without `jobs`, inside `joblib.parallel_config` with the backend "dask", its cluster counts the
    members, if that takes more than a moment.
    """
    factor = bayes_factor_for(table, bayes_factor)
    kind = BoundKind.of(bounds)
    labels = Labels.of(labels)
    means = means_for(Limits(jobs, time_limit, memory_limit), progress)
    try:
        problem = prepare(table, factor, labels, constraints)
    except NoNetworkError as error:
        raise ConstraintError(error.message(table.names)) from None
    run = Run(problem, means)
    interruptible(lambda: run.search(kind), means)
    credible = credible_set(table, factor, labels, run.found())
    return Searched(credible, run.statistics(len(credible.families)), means.clock.seconds)


def means_for(limits: Limits, progress: Callable[[Progress], None] | None) -> Means:
    """Return what a search may use, its clock started; the cluster is the calling thread's."""
    return Means(
        clock=Clock(limits.seconds),
        jobs=limits.jobs or core_count(),
        memory=limits.memory or default_memory(),
        progress=progress,
        cluster=chosen_cluster() if limits.jobs is None else None,
    )


def default_memory() -> int:
    """Return the bytes that the lattice of subsets may take, if nothing else is said."""
    return min(_MOST_MEMORY, int(_MEMORY_SHARE * physical_memory()))


def interruptible(work: Callable[[], None], means: Means) -> None:
    """Run something in a thread, so that Ctrl-C is noticed, and ends it."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as failure:  # noqa: BLE001  (raised again in the caller's thread)
            failures.append(failure)

    thread = threading.Thread(target=run, name="noisyor-search", daemon=True)
    try:
        thread.start()
        with room_for_others(means.cluster):
            while thread.is_alive():
                thread.join(_POLL_SECONDS)
    except KeyboardInterrupt:
        means.clock.cancel()
        wait_for([thread])
        raise
    if failures:
        raise failures[0]
