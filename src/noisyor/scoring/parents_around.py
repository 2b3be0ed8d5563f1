"""The sets of parents that networks equivalent to a given one have, and others near it.

Reversing an arc takes two changes at once: the child loses a parent, at a great cost, and the
parent gains one, at as great a gain. So families that are nearly as good as the best one of their
child are not enough to reverse the arcs of a network.
"""

from collections.abc import Iterator
from itertools import combinations

from noisyor.core import Constraints, Structure
from noisyor.core.variable_sets import set_of, variables_in

_MOST_CHANGES = 3


def parents_around(
    structure: Structure, constraints: Constraints, most: int
) -> tuple[tuple[int, ...], ...]:
    """Return, for each variable, its parents with up to three arcs dropped or turned towards it.

    Parameters
    ----------
    structure
        The network.
    constraints
        The arcs and numbers of parents that are allowed.
    most
        The most sets for each variable; those with the fewest changes come first.
    """
    children = [0] * len(structure.names)
    for family in structure.families:
        for parent in family.parent_indices():
            children[parent] |= 1 << family.child
    found = []
    for child, family in enumerate(structure.families):
        required = constraints.required[child]
        turned = children[child] & constraints.allowed[child] & ~required
        changes = list(variables_in((family.parents & ~required) | turned))
        sets = (
            family.parents ^ set_of(some)
            for count in range(1, _MOST_CHANGES + 1)
            for some in combinations(changes, count)
        )
        found.append(tuple(_first(sets, constraints.most_parents, most)))
    return tuple(found)


def _first(sets: Iterator[int], largest: int, most: int) -> Iterator[int]:
    for own in sets:
        if most <= 0:
            return
        if own.bit_count() <= largest:
            most -= 1
            yield own
