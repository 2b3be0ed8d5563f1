"""Counting the members of a component: by local threads or, if that takes long, on a cluster.

The enumeration always splits into the same subtrees, and counting a subtree needs only the
families, the weights of the cuts and the sums outside. So subtrees are the tasks of a cluster.
Counts are integers, and floating-point weights are added in the order of the subtrees, so the
result is the same, bit for bit, wherever a subtree is counted.
"""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.cluster import POLL_SECONDS, Cluster, ClusterTasks, aligned
from noisyor.search.bounds.cut_system import CutSystem, Proof
from noisyor.search.bounds.duals import Duals
from noisyor.search.clock import Clock
from noisyor.search.families import Families

_LARGE_SUBTREE = 2**9  # nodes: larger subtrees get a mark, so that drawing can skip them
_ANY_NUMBER = 2**62  # of nodes
_SECONDS_HERE = 1.0  # before a count is sent to a cluster

Apart = dict[str, object]
"""Counted subtrees as named arrays, which every kernel build can read."""

TIME_IS_UP = "the time was up before all members were counted"
TOO_MANY_NODES = "the walk through the members has more nodes than allowed"


@dataclass(frozen=True, slots=True)
class Hands:
    """What counting may use: local threads, a cluster if there is one, and the time left.

    A walk of more than `most_nodes` nodes is given up.
    """

    jobs: int
    clock: Clock
    cluster: Cluster | None = None
    most_nodes: int | None = None


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class WalkToCount:
    """The input of a count: the families of a component, and the sums of the other components.

    Entry i of `ways` and `weights` belongs to all sums before the i-th. The weight of a network
    falls by `decay` with each tick.
    """

    families: Families
    duals: Duals | Proof
    limit: int
    optimum: int
    decay: float
    sums: npt.NDArray[np.int64]
    ways: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.float64]

    def count(  # noqa: PLR0913  (most of them positions)
        self,
        handle: "kernels.Members",
        begin: int,
        end: int,
        jobs: int,
        cancellation: "kernels.Cancellation",
        *,
        most_nodes: int | None = None,
    ) -> "kernels.CountedSubtrees":
        """Count the subtrees from `begin` up to, but not including, `end`.

        If they have more than `most_nodes` nodes together, the count is not complete.
        """
        return handle.count(
            aligned(self.sums),
            aligned(self.ways),
            aligned(self.weights),
            self.optimum,
            self.decay,
            _LARGE_SUBTREE,
            _ANY_NUMBER if most_nodes is None else most_nodes,
            begin,
            end,
            jobs,
            cancellation,
        )


def members_of(
    families: Families,
    duals: Duals | Proof,
    limit: int,
    *,
    groups: bool = True,
    merges: bool = True,
) -> "kernels.Members":
    """Return the kernel's enumerator of the acyclic networks of at most `limit` ticks.

    Two rules make it faster, and tests switch them off: `groups` branches on what can lie above a
    child instead of on each of its families, and `merges` adds up several lists of a leaf.
    """
    if isinstance(duals, Proof):
        system, weights = duals.system, duals.weights
    else:
        system, weights = CutSystem.of_cuts(duals.cuts), duals.cuts.weights
    return kernels.Members(
        aligned(families.first),
        aligned(families.parents),
        aligned(families.ticks),
        aligned(duals.rc),
        aligned(system.sets),
        aligned(system.needs),
        aligned(system.first_class),
        aligned(system.classes),
        aligned(system.first_part),
        aligned(system.parts),
        aligned(weights),
        limit,
        duals.lower_bound,
        groups,
        merges,
    )


def count_subtrees(
    walk: WalkToCount, handle: "kernels.Members", hands: Hands
) -> tuple["kernels.CountedSubtrees", tuple[str, ...]]:
    """Count all subtrees; return the counts, and the reasons why some are missing."""
    soon = None if hands.cluster is None else _SECONDS_HERE
    with hands.clock.limit(soon) as cancellation:
        counted = walk.count(
            handle, 0, handle.subtrees, hands.jobs, cancellation, most_nodes=hands.most_nodes
        )
    if counted.complete(handle.subtrees):
        return counted, ()
    if hands.most_nodes is not None and not hands.clock.time_is_up:
        return counted, (TOO_MANY_NODES,)
    if hands.cluster is None or hands.clock.time_is_up:
        return counted, (TIME_IS_UP,)
    there, lacking = _count_on(hands.cluster, walk, handle, hands.clock)
    more_here = bool(lacking) and _total(counted) > _total(there)
    return counted if more_here else there, lacking


def _total(counted: "kernels.CountedSubtrees") -> int:
    low, high = counted.add_up().total[0].tolist()
    return int(low) + (int(high) << 64)


def _count_on(
    cluster: Cluster, walk: WalkToCount, handle: "kernels.Members", clock: Clock
) -> tuple["kernels.CountedSubtrees", tuple[str, ...]]:
    """Count on a cluster, with one task per subtree."""
    tasks: ClusterTasks[int, Apart] = ClusterTasks(
        cluster, count_subtree, walk, f"walk-{uuid4().hex}"
    )
    with clock.limit() as cancellation:
        counted = walk.count(handle, 0, 0, 1, cancellation)  # none so far
        for number in range(handle.subtrees):
            tasks.submit(number, number)
        tasks.run(lambda: cancellation.cancelled, lambda _, one: counted.take(_together(one)))
        stopped = (TIME_IS_UP,) if cancellation.cancelled else ()
    if counted.complete(handle.subtrees):
        return counted, ()
    lacking = [
        f"{reason} left {count} of {handle.subtrees} parts of the members uncounted"
        for reason, count in sorted(Counter(tasks.lost.values()).items())
    ]
    return counted, (*lacking, *stopped)


def _together(apart: Apart) -> "kernels.CountedSubtrees":
    """Return counted subtrees from the arrays that a worker sent."""

    def ready(part: object) -> object:
        if isinstance(part, np.ndarray):
            return aligned(part)
        if isinstance(part, dict):
            return {name: ready(one) for name, one in part.items()}
        return [ready(one) for one in part] if isinstance(part, list) else part

    return kernels.CountedSubtrees.of({name: ready(part) for name, part in apart.items()})


def count_subtree(walk: WalkToCount, stop: Callable[[], bool], number: int) -> Apart:
    """Count one subtree on a worker, in one thread."""
    handle = _handles.get(walk)
    if handle is None:
        handle = _handles[walk] = members_of(walk.families, walk.duals, walk.limit)
    cancellation = kernels.Cancellation()
    counted = threading.Event()

    def watch() -> None:
        while not counted.wait(POLL_SECONDS):
            if stop():
                cancellation.cancel()
                return

    watcher = threading.Thread(target=watch, name="noisyor-watch", daemon=True)
    watcher.start()
    try:
        return walk.count(handle, number, number + 1, 1, cancellation).apart()
    finally:
        counted.set()
        watcher.join()


# A worker counts many subtrees of a walk, and creates the kernel's enumerator once.
_handles: WeakKeyDictionary[WalkToCount, "kernels.Members"] = WeakKeyDictionary()
