"""Climbers as tasks on a cluster.

In each round every climber is a task. It begins with the best network of the last round and a seed
of its own, takes a fixed number of turns, and returns its network and the good families that it has
met. What it does depends on nothing else: it is made afresh for each task, since the families that
a climber remembers from an earlier task would change its choices, and which worker gets which task
is a matter of timing. So a killed worker changes nothing, and results are merged in the order of
their costs and numbers when all are back. That gives the same network for the same seed, and the
same numbers of rounds and climbers.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from heapq import nsmallest
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from noisyor.cluster import Cluster, ClusterTasks, aligned
from noisyor.core.request import Request
from noisyor.scoring.climbers import ClimbingWork, Met, met_by, new_climber
from noisyor.scoring.cluster_tasks import work_until

if TYPE_CHECKING:
    from noisyor._kernels import kernels

# Turns of a task: about a second, some times as long as a new climber needs for its first climb.
# That takes longer with many variables.
LEAST_TURNS = 32
_VARIABLES_PER_TURN = 4

_MOST_MET = 64  # of the good families of each child, the cheapest that are returned and kept,
_MET_IN_ALL = 1 << 14  # and in all,
_FEWEST_MET = 8  # but so many of each child

Parents = tuple[tuple[int, ...], ...]
"""A network: the parents of each child, ascending."""


@dataclass(frozen=True, slots=True)
class ClimbTask:
    """The work of a task: where to begin, and for how long to go on."""

    seed: int
    turns: int
    parents: Parents


@dataclass(frozen=True, slots=True)
class Climbed:
    """The result of a task: its best network, and good families by child."""

    cost: float
    parents: Parents
    met: tuple[tuple[Met, ...], ...]
    work: ClimbingWork


class ClusterClimbers:
    """Climbers on the workers of a cluster, one for each worker thread that there is now.

    One climber here has the best network, and never climbs itself.

    Parameters
    ----------
    request
        What is to be learned; sent to the workers once.
    cluster
        The cluster.
    seed
        The seed of all random choices.

    """

    def __init__(self, request: Request, cluster: Cluster, seed: int) -> None:
        self.best = new_climber(request, seed)
        self.lost: str | None = None
        self._seed = seed
        self._turns = max(LEAST_TURNS, request.data.variable_count // _VARIABLES_PER_TURN)
        self._met: list[dict[tuple[int, int], float]] = [
            {} for _ in range(request.data.variable_count)
        ]
        self._work = ClimbingWork()
        self._tasks: ClusterTasks[int, Climbed | None] = ClusterTasks(
            cluster, climb_on, request, f"climbing-{uuid4().hex}"
        )
        self._count = max(1, self._tasks.threads())

    @property
    def work(self) -> ClimbingWork:
        """The work so far."""
        return self._work + ClimbingWork.of(self.best)

    def adopt(self, parents: Sequence[Sequence[int]]) -> None:
        """Go on from this network if it is better."""
        self.best.adopt(parents)

    def climb(self, number: int, cancellation: "kernels.Cancellation") -> None:
        """Make the round of this number, then merge what the climbers have found.

        If it is cancelled, what has come back by then is merged.
        """
        parents = tuple(map(tuple, self.best.parents))
        turns = self._turns if number else 0
        back: dict[int, Climbed] = {}

        def take(climber: int, climbed: Climbed | None) -> None:
            if climbed is None:
                raise RuntimeError(f"climber {climber} did not finish, but was not stopped")
            back[climber] = climbed

        for climber in range(self._count):
            seed = _seed_of(self._seed, number, climber)
            self._tasks.submit(climber, ClimbTask(seed, turns, parents))
        self._tasks.run(lambda: cancellation.cancelled, take)
        self._merge(parents, [back[climber] for climber in sorted(back)])
        if self._tasks.lost:
            self.lost = self._tasks.lost[min(self._tasks.lost)]

    def _merge(self, start: Parents, results: Sequence[Climbed]) -> None:
        for climbed in results:
            self._work += climbed.work
        for child, known in enumerate(self._met):
            for climbed in results:
                for parents, place, cost in climbed.met[child]:
                    known.setdefault((parents, place), cost)
            cheapest = _cheapest(((*key, cost) for key, cost in known.items()), len(self._met))
            self._met[child] = {(parents, place): cost for parents, place, cost in cheapest}
        ranked = sorted(results, key=lambda one: one.cost)  # of equal ones, the first is first
        join_gains(self.best, start, [climbed.parents for climbed in ranked])

    def met(self, child: int) -> Iterator[Met]:
        """Return the good families of a child that were met."""
        yield from ((*key, cost) for key, cost in self._met[child].items())
        yield from met_by(self.best, child)


def climb_on(request: Request, stop: Callable[[], bool], task: ClimbTask) -> Climbed | None:
    """Climb on a worker, in one thread; None if it was stopped."""
    data = replace(request.data, weights=aligned(request.data.weights))
    climber = new_climber(replace(request, data=data), task.seed)
    climber.adopt(task.parents)
    work_until(lambda cancellation: climber.climb(task.turns, cancellation), stop)
    if stop():
        return None
    return Climbed(
        climber.cost,
        tuple(map(tuple, climber.parents)),
        tuple(
            _cheapest(met_by(climber, child), data.variable_count)
            for child in range(data.variable_count)
        ),
        ClimbingWork.of(climber),
    )


def join_gains(best: "kernels.Climber", start: Parents, networks: Sequence[Parents]) -> None:
    """Let a climber adopt the first of some networks, and from the others what goes with it.

    All began as `start`, and most have improved different parts of it. A part of another network is
    adopted if no family in it has changed yet, no cycle arises, and the cost falls.
    """
    changed: set[int] = set()
    for place, network in enumerate(networks):
        parts = _changed_parts(start, network)
        for part in parts if place else [set().union(*parts)]:
            own = best.parents
            joined = [network[child] if child in part else own[child] for child in range(len(own))]
            if changed.isdisjoint(part) and _is_acyclic(joined):
                before = best.cost
                best.adopt(joined)
                changed |= part if best.cost < before else set()


def _changed_parts(start: Parents, network: Parents) -> list[set[int]]:
    """Return the children whose parents have changed, together where one is a parent of another."""
    changed = {child for child, own in enumerate(network) if own != start[child]}
    part_of = {child: {child} for child in sorted(changed)}
    for child in sorted(changed):
        for parent in changed.intersection(start[child] + network[child]):
            together = part_of[child] | part_of[parent]
            part_of |= dict.fromkeys(together, together)
    return list({min(part): part for part in part_of.values()}.values())


def _is_acyclic(parents: Sequence[Sequence[int]]) -> bool:
    try:
        TopologicalSorter(dict(enumerate(parents))).prepare()
    except CycleError:
        return False
    return True


def _cheapest(met: Iterable[Met], variables: int) -> tuple[Met, ...]:
    """Return the cheapest of a child's families, as many as are kept of each child."""
    most = min(_MOST_MET, max(_FEWEST_MET, _MET_IN_ALL // variables))
    return tuple(nsmallest(most, met, key=lambda one: (one[2], one[0], one[1])))


def _seed_of(seed: int, number: int, climber: int) -> int:
    """Return the seed of a climber in a round."""
    return int(np.random.SeedSequence((seed, number, climber)).generate_state(1, np.uint64)[0])
