"""The parts of a network that can be chosen independently.

Draw an edge from every parent in some family to that family's child. Cycles lie inside strongly
connected components, so a choice of families is acyclic if it is acyclic within each component.
Choices whose families differ only in parents outside of the component are still different members.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.variable_sets import (
    Words,
    from_words,
    set_of,
    to_words,
    variables_in,
    word_count,
)
from noisyor.search.bounds.cut_system import CutSystem, Proof, prove
from noisyor.search.families import Families


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Some variables, renumbered in their order, with their families.

    `index` holds the position of each family among all families.
    """

    variables: tuple[int, ...]
    families: Families
    index: npt.NDArray[np.int64]


def strong_components(families: Families) -> list[tuple[int, ...]]:
    """Return the strongly connected components of the possible edges, each ascending."""
    reach = ancestors(_parents_named(families))
    found: dict[int, list[int]] = {}
    for variable, above in enumerate(reach):
        mutual = {variable} | {u for u in variables_in(above) if reach[u] >> variable & 1}
        found.setdefault(min(mutual), []).append(variable)
    return [tuple(group) for group in found.values()]


def components_in_order(families: Families) -> list[tuple[int, ...]]:
    """Return the strongly connected components, each after those of its possible parents.

    A component has all the ancestors of such a one, and has it among its own: so it has more.
    """
    reach = ancestors(_parents_named(families))
    return sorted(
        strong_components(families), key=lambda one: (reach[one[0]] | set_of(one)).bit_count()
    )


def ancestors(parents: Sequence[int]) -> list[int]:
    """Return the ancestors of each variable, given its parents; itself too if on a cycle."""
    above = list(parents)
    for middle in range(len(above)):
        for low in range(len(above)):
            if above[low] >> middle & 1:
                above[low] |= above[middle]
    return above


def component_of(families: Families, variables: tuple[int, ...]) -> Component:
    """Return the component of these variables; parents outside of it are dropped."""
    kept = np.isin(families.children(), variables)
    index = np.flatnonzero(kept)
    number = {variable: place for place, variable in enumerate(variables)}
    inside = [
        set_of(number[p] for p in variables_in(parents) if p in number)
        for parents in from_words(families.parents[kept])
    ]
    counts = np.diff(families.first)[list(variables)]
    return Component(
        variables,
        Families(
            first=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            parents=to_words(inside, word_count(len(variables))),
            ticks=families.ticks[kept],
            rows=families.rows[kept],
        ),
        index,
    )


def restrict(proof: Proof, component: Component) -> Proof:
    """Return a proof on a component: the restriction of a cut, or of its parts, is a cut.

    A cluster of too few classes in the component restricts to the empty set with no need.
    """
    system = proof.system
    number = {variable: place for place, variable in enumerate(component.variables)}
    words = component.families.parents.shape[1]

    def inside(given: Words) -> list[int]:
        return [
            set_of(number[v] for v in variables_in(one) if v in number) for one in from_words(given)
        ]

    sets, classes = inside(system.sets), inside(system.classes)
    first, parts = system.first_part.tolist(), system.parts.tolist()
    needs: list[int] = []
    for cut, need in enumerate(system.needs.tolist()):
        own = parts[first[cut] : first[cut + 1]]
        among = classes[system.first_class[cut] : system.first_class[cut + 1]]
        class_count = sets[cut].bit_count() - sum(max(0, one.bit_count() - 1) for one in among)
        if own:
            needs.append((1 + sum(needs[part] for part in own) - sets[cut].bit_count()) // 2)
        elif class_count < need:
            sets[cut] = 0
            needs.append(0)
        else:
            needs.append(need)
    none = np.empty((0, words), dtype=np.uint64)
    restricted = CutSystem(
        to_words(sets, words) if sets else none,
        np.array(needs, dtype=np.int32),
        system.first_class,
        to_words(classes, words) if classes else none,
        system.first_part,
        system.parts,
    )
    return prove(component.families, restricted, proof.weights)


def _parents_named(families: Families) -> list[int]:
    """Return, for each child, the union of the parents of its families."""
    starts = families.first[:-1]
    if not len(families):
        return [0] * families.variable_count
    return from_words(np.bitwise_or.reduceat(families.parents, starts, axis=0))
