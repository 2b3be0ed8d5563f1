"""Splits several branches together, so that each learns from the others what to split on."""

from collections.abc import Callable, Sequence

from noisyor.search.clock import Clock
from noisyor.search.proof.state import Standing, State, begin_branching, parts_of

_NODES_AT_ONCE = 16  # branches between two reports


def divide(  # noqa: PLR0913  (most by name)
    standing: Standing,
    states: Sequence[State],
    *,
    beyond: int,
    clock: Clock,
    jobs: int,
    report: Callable[[str, int], None] | None = None,
) -> list[State]:
    """Split branches until their best networks are proven, or their bounds are high enough.

    That is `beyond` ticks above the best network of all. Return the parts that may have a credible
    network; if time is up, some may be split further. `report` is called with a line about the work
    and the lower bound.
    """
    work, index = begin_branching(standing, states)
    work.run(beyond, 0, clock, jobs)
    while not work.finished(beyond) and not clock.time_is_up:
        work.run(beyond, _NODES_AT_ONCE, clock, jobs)
        if report is not None:
            report(f"{len(work.waiting()):,} of {work.nodes:,} branches are open", work.lower_bound)
    standing.branch_nodes += work.nodes
    standing.offer(index[work.best])
    return parts_of(standing, work, index)
