"""Canonical orders of networks, and the paths that place them, straight from their definitions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.oracles.cuts import Choices, Family


class Path(NamedTuple):
    """The order in which variables are placed, and the family of each variable."""

    order: tuple[int, ...]
    network: tuple[Family, ...]


def canonical_order(parents: Sequence[int], numbers: Sequence[int]) -> tuple[int, ...]:
    """Place the available variable that comes first among the numbers, again and again."""
    order: list[int] = []
    placed = 0
    while len(order) < len(parents):
        v = next(v for v in numbers if not placed >> v & 1 and not parents[v] & ~placed)
        order.append(v)
        placed |= 1 << v
    return tuple(order)


def paths(choices: Choices, numbers: Sequence[int]) -> Iterator[Path]:
    """Place variables in any order, with families within what is placed but not in the barrier."""
    yield from _paths(choices, list(numbers), (), {}, {})


def _paths(
    choices: Choices,
    numbers: Sequence[int],
    order: tuple[int, ...],
    families: Mapping[int, Family],
    barriers: Mapping[int, int],
) -> Iterator[Path]:
    if len(order) == len(numbers):
        yield Path(order, tuple(families[v] for v in range(len(numbers))))
    placed = sum(1 << v for v in order)
    for v in set(numbers) - set(order):
        passed = {u: placed for u in numbers[: numbers.index(v)] if u not in order}
        for family in choices[v]:
            within = not family[0] & ~placed
            in_barrier = v in barriers and not family[0] & ~barriers[v]
            if within and not in_barrier:
                yield from _paths(
                    choices,
                    numbers,
                    (*order, v),
                    {**families, v: family},
                    {**barriers, **passed},
                )
