"""Climbers that improve one network together: what a climb needs, and those on local threads."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from noisyor._kernels import kernels
from noisyor.core.request import Request
from noisyor.core.variable_sets import set_of, variables_in
from noisyor.scoring.child_search import kernel_relation

_TURNS = 8  # of each climber in a round

Met = tuple[int, int, float]
"""A family of some child: its parents, the place of its relation, and its cost."""


@dataclass(frozen=True, slots=True)
class ClimbingWork:
    """What climbing took: turns, single steps, and the families that were counted or fitted."""

    turns: int = 0
    steps: int = 0
    evaluated: int = 0

    @classmethod
    def of(cls, climber: "kernels.Climber") -> "ClimbingWork":
        """Return the work of one climber."""
        return cls(climber.turns, climber.steps, climber.evaluated)

    def __add__(self, other: "ClimbingWork") -> "ClimbingWork":
        """Return the work of both."""
        return ClimbingWork(
            self.turns + other.turns, self.steps + other.steps, self.evaluated + other.evaluated
        )


class Climbers(Protocol):
    """Climbers that go on from their best network in each round."""

    @property
    def best(self) -> "kernels.Climber":
        """The climber that has the best network."""

    @property
    def work(self) -> ClimbingWork:
        """The work so far."""

    @property
    def lost(self) -> str | None:
        """Why they cannot go on; None if they can."""

    def adopt(self, parents: Sequence[Sequence[int]]) -> None:
        """Go on from this network if it is better."""

    def climb(self, number: int, cancellation: "kernels.Cancellation") -> None:
        """Make the round of this number, then share the best network.

        The first round, 0, is a climb without turns, so that there is a network soon.
        """

    def met(self, child: int) -> Iterator[Met]:
        """Return the good families of a child that were met; a family may occur again."""


class LocalClimbers:
    """Climbers on threads of this machine, which remember what they have met.

    Parameters
    ----------
    request
        What is to be learned.
    threads
        The number of threads.
    count
        The number of climbers; by default one for each thread. The network depends on it.
    seed
        The seed of their random choices.

    """

    lost = None

    def __init__(self, request: Request, threads: int, count: int | None, seed: int) -> None:
        count = count or threads
        self._threads = min(threads, count)
        self._climbers = [new_climber(request, seed * count + number) for number in range(count)]

    @property
    def best(self) -> "kernels.Climber":
        """The climber that has the best network; of equal ones, the first."""
        return min(self._climbers, key=lambda one: one.cost)

    @property
    def work(self) -> ClimbingWork:
        """The work so far."""
        return sum(map(ClimbingWork.of, self._climbers), ClimbingWork())

    def adopt(self, parents: Sequence[Sequence[int]]) -> None:
        """Go on from this network if it is better."""
        for one in self._climbers:
            one.adopt(parents)

    def climb(self, number: int, cancellation: "kernels.Cancellation") -> None:
        """Make the round of this number, then share the best network."""
        turns = _TURNS if number else 0
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(lambda one: one.climb(turns, cancellation), self._climbers))
        best = self.best
        for one in self._climbers:
            if one.cost > best.cost:
                one.adopt(best.parents)

    def met(self, child: int) -> Iterator[Met]:
        """Return the good families of a child that were met."""
        for one in self._climbers:
            yield from met_by(one, child)


def new_climber(request: Request, seed: int) -> "kernels.Climber":
    """Return a climber that begins with the required edges alone."""
    data, constraints = request.data, request.constraints
    children = range(data.variable_count)
    allowed = (constraints.allowed[child] & ~constraints.required[child] for child in children)
    return kernels.Climber(
        np.ascontiguousarray(data.codes),
        data.weights,
        [variable.state_count for variable in data.variables],
        [
            [kernel_relation(request, child, one) for one in request.relations_of(child)]
            for child in children
        ],
        [list(variables_in(own)) for own in allowed],
        [list(variables_in(own)) for own in constraints.required],
        constraints.most_parents,
        seed,
    )


def met_by(climber: "kernels.Climber", child: int) -> Iterator[Met]:
    """Return the good families of a child that one climber has met."""
    for parents, place, cost in zip(*climber.families_of(child), strict=True):
        yield set_of(parents), place, cost
