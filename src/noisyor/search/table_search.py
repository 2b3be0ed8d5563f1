"""Step 4 of the paper: from a score table to the optimum and every credible network."""

import os
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
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.core.threads import check_jobs, wait_for
from noisyor.search.bounds.root import NoNetworkError
from noisyor.search.clock import Clock
from noisyor.search.preparation import bayes_factor_for, prepare
from noisyor.search.result import credible_set
from noisyor.search.steps import BoundKind, Means, Run, SearchProgress, SearchStatistics

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
    progress: Callable[[SearchProgress], None] | None = None,
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
    check_limits(jobs, time_limit, memory_limit)
    clock = Clock(time_limit)
    try:
        problem = prepare(table, factor, labels, constraints)
    except NoNetworkError as error:
        raise ConstraintError(error.message(table.names)) from None
    means = means_for(clock, jobs, memory_limit, progress)
    run = Run(problem, means)
    interruptible(lambda: run.search(kind), means)
    credible = credible_set(table, factor, labels, run.found())
    return Searched(credible, run.statistics(len(credible.families)), clock.seconds)


def check_limits(jobs: int | None, time_limit: float | None, memory_limit: int | None) -> None:
    """Refuse limits that cannot be kept."""
    check_jobs(jobs)
    if time_limit is not None and not time_limit > 0:
        raise SettingsError(f"the time limit is {time_limit}; it must be above 0 seconds")
    if memory_limit is not None and memory_limit < 1:
        raise SettingsError(f"the memory limit is {memory_limit} bytes; it must be at least 1")


def means_for(
    clock: Clock,
    jobs: int | None,
    memory_limit: int | None,
    progress: Callable[[SearchProgress], None] | None,
) -> Means:
    """Return what a search may use; the cluster is that of the calling thread."""
    return Means(
        clock=clock,
        jobs=jobs or os.cpu_count() or 1,
        memory=memory_limit or default_memory(),
        progress=progress,
        cluster=chosen_cluster() if jobs is None else None,
    )


def default_memory() -> int:
    """Return the bytes that the lattice of subsets may take, if nothing else is said."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(_MOST_MEMORY, int(_MEMORY_SHARE * physical))


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
