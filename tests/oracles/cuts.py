"""Cuts, rewards and best networks straight from their definitions, on plain ints and lists."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import NamedTuple

Family = tuple[int, int]  # parents as a set, ticks
Choices = Sequence[Sequence[Family]]  # of each variable
Network = Sequence[Family]  # one family of each variable


class OracleCut(NamedTuple):
    """A cut with sets as ints; every variable without a listed class is a class of its own."""

    members: int
    need: int
    weight: int = 0
    classes: tuple[int, ...] = ()


def classes_of(cut: OracleCut) -> list[int]:
    """Return all classes of a cut."""
    members = [v for v in range(cut.members.bit_length()) if cut.members >> v & 1]
    single = [v for v in members if not any(one >> v & 1 for one in cut.classes)]
    return [*cut.classes, *(1 << v for v in single)]


def counts(child: int, parents: int, cut: OracleCut) -> bool:
    """Return whether a family is in the left side of a cut."""
    if not cut.members >> child & 1:
        return False
    classes = classes_of(cut)
    (own,) = (one for one in classes if one >> child & 1)
    return not own & parents and sum(1 for one in classes if one & parents) < cut.need


def reward(child: int, parents: int, cuts: Sequence[OracleCut]) -> int:
    return sum(cut.weight for cut in cuts if counts(child, parents, cut))


def pi(choices: Choices, cuts: Sequence[OracleCut]) -> list[int]:
    return [
        min(ticks - reward(child, parents, cuts) for parents, ticks in own)
        for child, own in enumerate(choices)
    ]


def rc(choices: Choices, cuts: Sequence[OracleCut]) -> list[int]:
    """Return the reduced costs of all families, child by child."""
    least = pi(choices, cuts)
    return [
        ticks - reward(child, parents, cuts) - least[child]
        for child, own in enumerate(choices)
        for parents, ticks in own
    ]


def surplus(network: Network, cut: OracleCut) -> int:
    """Return the surplus of a network in a cut: the families that count, less the need."""
    return sum(counts(child, parents, cut) for child, (parents, _) in enumerate(network)) - cut.need


def left_side(values: Mapping[tuple[int, int], float], cut: OracleCut) -> float:
    """Return a cut's left side where each (child, parents) has a value."""
    return sum(value for (child, parents), value in values.items() if counts(child, parents, cut))


def is_acyclic(parents: Sequence[int]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not any(parents[v] >> u & 1 for u in left)}
        if not free:
            return False
        left -= free
    return True


def acyclic_networks(choices: Choices) -> Iterator[Network]:
    for network in product(*choices):
        if is_acyclic([parents for parents, _ in network]):
            yield network


def best_of_order(choices: Choices, order: Sequence[int]) -> int | None:
    """Return the fewest ticks of a network whose edges follow the order; None if there is none."""
    before, total = 0, 0
    for v in order:
        fitting = [ticks for parents, ticks in choices[v] if not parents & ~before]
        if not fitting:
            return None
        total += min(fitting)
        before |= 1 << v
    return total


def optimum(choices: Choices) -> int | None:
    """Return the fewest ticks of any acyclic network; None if there is none."""
    totals = (best_of_order(choices, order) for order in permutations(range(len(choices))))
    return min((total for total in totals if total is not None), default=None)


HalvedCut = tuple[int, tuple[int, ...]]  # children rounded down as a set, numbers of the parts


def halved_sums(
    clusters: Sequence[OracleCut], halved: Sequence[HalvedCut], child: int, parents: int
) -> list[int]:
    """Return the coefficients of a family in clusters and then in cuts that are half of sums."""
    values = [int(counts(child, parents, cut)) for cut in clusters]
    for down, parts in halved:
        total = sum(values[part] for part in parts)
        values.append(total // 2 if down >> child & 1 else -(-total // 2))
    return values


def halved_needs(clusters: Sequence[OracleCut], halved: Sequence[HalvedCut]) -> list[int]:
    needs = [cut.need for cut in clusters]
    for down, parts in halved:
        needs.append(-(-(sum(needs[part] for part in parts) - down.bit_count()) // 2))
    return needs
