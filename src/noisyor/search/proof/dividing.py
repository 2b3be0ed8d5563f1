"""Splits several branches together, so that each learns from the others what to split on."""

from collections.abc import Sequence

from noisyor.search.clock import Clock
from noisyor.search.proof.state import Standing, State, begin_branching, parts_of

_NODES_AT_ONCE = 16  # branches between two looks at the clock


def divide(standing: Standing, states: Sequence[State], clock: Clock, jobs: int) -> list[State]:
    """Split branches until their bounds reach the best network of all, if time allows.

    Return the parts that may have a credible network.
    """
    work, index = begin_branching(standing, states)
    work.run(0, 0, clock, jobs)
    while not work.finished() and not clock.time_is_up:
        work.run(0, _NODES_AT_ONCE, clock, jobs)
    standing.branch_nodes += work.nodes
    standing.offer(index[work.best])
    return parts_of(standing, work, index)
